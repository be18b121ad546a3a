"""`actae retention` and `actae sizes`: how long channels are kept, and what takes room."""

from collections.abc import Callable

import pytest

from actae.cli.durations import shown_duration
from actae.cli.sizes import shown_bytes
from tests.support.command import Command
from tests.support.keeping import end
from tests.support.postgres import Clock
from tests.support.server import RunningServer


@pytest.fixture
def resting(start_server: Callable[..., RunningServer]) -> RunningServer:
    """An empty server that removes nothing by itself."""
    return start_server(environment={"ACTAE_RETENTION_SWEEP_SECONDS": "0"})


def test_channels_go_when_a_policy_says_so(actae: Command, resting: RunningServer, database_url: str) -> None:
    """Set, look, try, do."""
    at = {"ACTAE_URL": resting.url, "ACTAE_API_KEY": resting.api_key}
    assert actae("retention", "list", **at).out == "There are no policies: every channel is kept.\n"
    told = actae("retention", "set", "run-*", "--keep-for", "30d", **at)
    assert told.out == "Channels of run-* go 30d after their end.\n"
    told = actae("retention", "set", "run-7", "--keep-for", "forever", **at)
    assert told.out == "Channels of run-7 are kept for ever.\n"
    listed = actae("retention", "list", **at).out.splitlines()
    assert [line.split()[:2] for line in listed[2:]] == [["run-*", "30d"], ["run-7", "forever"]]
    for number in (6, 7, 8):
        end(resting, f"run-{number}")
    assert actae("retention", "run", **at).out == "Nothing is past its policy.\n"
    Clock(database_url).advance(31 * 86_400)
    dry = actae("retention", "run", "--dry-run", **at)
    assert [line.split()[0] for line in dry.out.splitlines()[2:]] == ["run-6", "run-8"]
    assert "this was a dry run" in dry.err
    assert actae("retention", "run", "--limit", "1", "--json", **at).json()["has_more"] is True
    ran = actae("retention", "run", **at)
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()[2:]] == ["run-8"]
    assert actae("retention", "remove", "run-7", **at).out == "There is no policy for run-7 any more.\n"
    failed = actae("retention", "remove", "run-7", **at)
    assert (failed.code, failed.out, failed.err.count("\n")) == (1, "", 1)
    sizes = actae("sizes", **at)
    assert sizes.out.startswith("The database takes ")
    assert {"retention_policies", "run-7"} <= {line.split(" ")[0] for line in sizes.out.splitlines()}
    assert actae("sizes", "--limit", "0", "--json", **at).json()["channels"] == []


@pytest.mark.parametrize(
    ("keep_for", "said"),
    [
        ("0s", "'--keep-for': 0s is too short: at least 1s."),
        ("3661d", "'--keep-for': 3661d is too long: at most 3660d."),
        ("never", "'--keep-for': 'never' is no duration."),
    ],
)
def test_a_policy_keeps_for_some_time(actae: Command, keep_for: str, said: str) -> None:
    """Or wrong usage is told, by the name of the option; no server is asked."""
    refused = actae("retention", "set", "run-*", "--keep-for", keep_for)
    assert (refused.code, said in refused.err) == (2, True)


def test_the_longest_policy_is_one_that_a_server_takes(actae: Command, resting: RunningServer) -> None:
    """The command line knows the bound, so that it can name the option."""
    at = {"ACTAE_URL": resting.url, "ACTAE_API_KEY": resting.api_key}
    told = actae("retention", "set", "run-*", "--keep-for", "3660d", "--json", **at)
    assert told.json()["keep_for_seconds"] == 3_660 * 86_400


@pytest.mark.parametrize(
    ("seconds", "shown"), [(1, "1s"), (90, "90s"), (120, "2m"), (3600, "1h"), (86_400 * 30, "30d")]
)
def test_durations_are_shown_as_they_are_written(seconds: int, shown: str) -> None:
    """In the largest unit that leaves no rest."""
    assert shown_duration(seconds) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (123_456, "123 kB"), (5 * 10**15, "5000 TB")],
)
def test_bytes_are_shown_in_a_unit_that_fits(count: int, shown: str) -> None:
    """Three digits say enough."""
    assert shown_bytes(count) == shown
