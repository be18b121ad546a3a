"""The fake provider: what it applies, what it answers, and that it is on disk by then."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actae.crashtest.kinds import Behaviour, Kind
from actae_client.testing import Provider, ProviderError

START = [sys.executable, "-m", "actae.crashtest.provider", "--database"]


class RunningProvider:
    """The provider as a process."""

    def __init__(self, database: Path) -> None:
        self.process = subprocess.Popen([*START, str(database)], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None, "a pipe was asked for"
        self.url = json.loads(self.process.stdout.readline())["url"]

    def of(self, kind: str, behaviour: str, run_id: str = "run-1") -> Provider:
        return Provider(f"{self.url}/{kind}/{behaviour}/{run_id}")

    def counts(self, run_id: str = "run-1") -> Any:
        return Provider(self.url)._ask("GET", f"runs/{run_id}", None, {})["references"]

    def kill(self) -> None:
        """Also a second time."""
        with self.process:
            self.process.send_signal(signal.SIGKILL)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], RunningProvider]]:
    """Starts one, on the same record each time."""
    started: list[RunningProvider] = []

    def start() -> RunningProvider:
        started.append(RunningProvider(tmp_path / "provider.sqlite3"))
        return started[-1]

    yield start
    for each in started:
        each.kill()


def test_what_each_kind_makes_of_a_repetition(start: Callable[[], RunningProvider]) -> None:
    """One key honours it; the others apply what they are told; one of them says so when it is asked."""
    provider = start()
    for kind, applied in ((Kind.HONOURS_KEY, 1), (Kind.QUERYABLE, 2), (Kind.BLIND, 2)):
        asked = provider.of(kind, Behaviour.NORMAL, run_id=kind)
        ids = {asked.apply("charges/ü 1", {"cents": 7}, idempotency_key="k")["id"] for _ in range(2)}
        assert len(ids) == applied
        assert provider.counts(kind) == {"charges/ü 1": {"calls": 2, "applied": applied}}
        if kind is Kind.QUERYABLE:
            found = asked.find("charges/ü 1")
            assert found is not None
            assert found["id"] in ids
            assert asked.find("charges/other") is None
        else:
            with pytest.raises(ProviderError, match="cannot be asked") as refused:
                asked.find("charges/ü 1")
            assert refused.value.status == 405


def test_how_each_behaviour_meets_the_first_request(start: Callable[[], RunningProvider]) -> None:
    """And the second one, which is answered."""
    provider = start()
    for behaviour, status, applied in (
        (Behaviour.FAILS, 500, [0, 1]),
        (Behaviour.DROPS_REPLY, None, [1, 2]),
    ):
        asked = provider.of(Kind.BLIND, behaviour, run_id=behaviour)
        with pytest.raises(ProviderError) as failed:
            asked.apply("mails/1")
        assert failed.value.status == status
        assert provider.counts(behaviour)["mails/1"]["applied"] == applied[0]
        asked.apply("mails/1")
        assert provider.counts(behaviour)["mails/1"] == {"calls": 2, "applied": applied[1]}


def test_runs_know_nothing_of_each_other(start: Callable[[], RunningProvider]) -> None:
    """One key in two runs is two keys."""
    provider = start()
    for run_id in ("run-1", "run-2"):
        provider.of(Kind.HONOURS_KEY, Behaviour.NORMAL, run_id).apply("charges/1", idempotency_key="k")
        assert provider.counts(run_id) == {"charges/1": {"calls": 1, "applied": 1}}


def test_a_key_that_is_reused_is_refused_and_counted(start: Callable[[], RunningProvider]) -> None:
    """With another body or another reference."""
    provider = start()
    asked = provider.of(Kind.HONOURS_KEY, Behaviour.NORMAL)
    asked.apply("charges/1", {"cents": 1}, idempotency_key="k")
    for reference, cents in (("charges/1", 2), ("charges/2", 1)):
        with pytest.raises(ProviderError, match="already stands for 'charges/1'") as refused:
            asked.apply(reference, {"cents": cents}, idempotency_key="k")
        assert refused.value.status == 422
    assert provider.counts() == {
        "charges/1": {"calls": 2, "applied": 1},
        "charges/2": {"calls": 1, "applied": 0},
    }


def test_what_was_answered_survives_the_providers_own_death(start: Callable[[], RunningProvider]) -> None:
    """Also the knowledge of its keys."""
    first = start()
    effect = first.of(Kind.HONOURS_KEY, Behaviour.NORMAL).apply("charges/1", idempotency_key="k")
    first.kill()
    second = start()
    assert second.of(Kind.HONOURS_KEY, Behaviour.NORMAL).apply("charges/1", idempotency_key="k") == effect
    assert second.counts() == {"charges/1": {"calls": 2, "applied": 1}}


@pytest.mark.parametrize(
    "path", ["/kind/normal/run-1/x", "/blind/manner/run-1/x", "/blind/normal/run-1/", "/"]
)
def test_a_path_that_means_nothing_is_refused(start: Callable[[], RunningProvider], path: str) -> None:
    """An agent that was given a wrong address notices."""
    with pytest.raises(ProviderError) as refused:
        Provider(f"{start().url}{path.rpartition('/')[0]}")._ask("POST", path.rpartition("/")[2], {}, {})
    assert refused.value.status == 400
