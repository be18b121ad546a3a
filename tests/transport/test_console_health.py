"""How the server has been: what is done shows, over all workers, and what needs attention is said."""

from collections.abc import Callable
from typing import Any

import pytest

from actae.observations import BatchCommitted
from actae.transport.counting import counting_facts
from actae.transport.history import History, percentile
from actae.transport.tally import Tally
from tests.support.approving import ask
from tests.support.keys import make_key
from tests.support.postgres import Clock
from tests.support.server import RunningServer
from tests.support.waiting import until

BOUNDS = (500, 1_000, 2_500)


@pytest.mark.parametrize(
    ("counts", "share", "expected"),
    [
        ((0, 0, 0, 0), 0.5, None),
        ((10, 0, 0, 0), 0.5, 250),
        ((10, 10, 0, 0), 0.5, 500),
        ((10, 10, 0, 0), 0.75, 750),
        ((0, 10, 0, 0), 0.99, 995),
        ((1, 0, 1, 0), 0.99, 2_470),
        ((1, 0, 0, 99), 0.5, 2_500),
    ],
)
def test_a_percentile_lies_within_its_bucket(
    counts: tuple[int, ...], share: float, expected: float | None
) -> None:
    """As far into it as its share of the bucket's values; above the last bound nothing is known."""
    assert percentile(counts, BOUNDS, share) == pytest.approx(expected)


class Moments:
    """A clock that tests move, and a sampler that has nothing to say."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sample(self) -> None:
        """Nothing."""


def test_each_interval_tells_what_changed_in_it() -> None:
    """Nothing counts twice; the interval that has not ended is there once it is long enough."""
    tally, moments = Tally(("executions.claim", "events.record")), Moments()
    remembered = History(tally, moments, moments)  # type: ignore[arg-type]
    assert remembered.series().times == []
    for number in range(5):
        moments.now += 10
        tally.add("requests.executions.claim", number)
        tally.add("requests.events.record", 10)
        if number == 3:
            counting_facts(tally)(BatchCommitted(asks=6, events=20, seconds=0.0004, waiting=3))
            tally.add("database_lost")
        remembered.sample()
    moments.now += 0.5
    tally.add("requests.executions.claim", 4)
    series = remembered.series()
    assert series.claims_per_second == [0.0, 0.1, 0.2, 0.3, 0.4]
    moments.now += 1.5
    series = remembered.series()
    assert series.claims_per_second == [0.0, 0.1, 0.2, 0.3, 0.4, 2.0]
    assert series.requests_per_second == [1.0, 1.1, 1.2, 1.3, 1.4, 2.0]
    assert series.events_per_second == [0, 0, 0, 2, 0, 0]
    assert series.batch_asks == [None, None, None, 6, None, None]
    assert series.batch_milliseconds_p50 == [None, None, None, 0.25, None, None]
    assert series.writer_waiting == [0, 0, 0, 3, 3, 3]
    assert remembered.databases_lost() == 1


def test_an_hour_is_remembered_and_no_more() -> None:
    """However long the server runs."""
    tally, moments = Tally(("executions.claim",)), Moments()
    remembered = History(tally, moments, moments)  # type: ignore[arg-type]
    for _ in range(400):
        moments.now += 10
        remembered.sample()
    assert len(remembered.series().times) == 360


def health(server: RunningServer, **options: Any) -> Any:
    """The reply."""
    reply = server.get("/console/health", **options)
    assert reply.status == 200
    return reply.body


def test_what_is_done_shows(start_server: Callable[..., RunningServer]) -> None:
    """With two workers whichever is asked knows of both."""
    server = start_server(environment={"ACTAE_WORKERS": "2"})
    for number in range(20):
        server.claim("run-1", f"key-{number}")

    def shown() -> bool:
        series = health(server)["series"]
        return any(rate > 0 for rate in series["claims_per_second"]) and len(series["times"]) >= 1

    until(shown)
    found = health(server)
    series = found["series"]
    assert {len(values) for values in series.values()} == {len(series["times"])}
    assert series["times"] == sorted(series["times"])
    assert any(rate > 0 for rate in series["events_per_second"])
    assert any(value is not None and value > 0 for value in series["batch_milliseconds_p99"])
    assert any(value is not None and value >= 1 for value in series["batch_asks"])
    assert series["memory_bytes"][-1] > 10_000_000
    assert (found["interval_seconds"], found["server"]["workers"]) == (10, 2)
    assert found["server"]["instance_id"] == server.get("/instance").body["instance_id"]
    assert found["sizes"]["database_bytes"] > 1_000_000
    tables = {table["name"]: table for table in found["sizes"]["tables"]}
    assert tables["events"]["bytes"] > 0


def test_what_needs_attention_is_said(start_server: Callable[..., RunningServer], database_url: str) -> None:
    """And nothing else."""
    server = start_server()
    assert health(server)["attention"] == []
    server.stop()
    server = start_server()
    ask(server, "run-1")
    server.claim("run-1", "charge", on_lapse="ambiguous", lease_seconds=1)
    Clock(database_url).advance(90)
    found = {each["kind"]: each for each in health(server)["attention"]}
    assert set(found) == {"ambiguous", "approvals_pending"}
    assert found["ambiguous"]["count"] == 1
    assert 80 < found["ambiguous"]["oldest_seconds"] < 120
    assert found["ambiguous"]["href"] == "/ledger?status=ambiguous"


def test_any_credential_may_ask_and_only_administrators_see_the_sizes(
    server: RunningServer, channel: str
) -> None:
    """No name of a channel is in it."""
    server.record(channel)
    found = health(server, api_key=make_key(server, read=("elsewhere",)))
    assert found["sizes"] is None
    assert channel not in str(found)
    assert health(server, api_key=make_key(server, admin=(f"{channel}*",)))["sizes"] is None
    assert health(server)["sizes"] is not None
    assert server.get("/console/health", api_key=None).status == 401
