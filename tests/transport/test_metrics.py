"""The server's numbers: what is counted, for whom, and in which form."""

import re
from collections.abc import Callable
from datetime import timedelta

from actae.operations.census import Census
from actae.store.database import Database
from tests.support.approving import ask, charge, decide
from tests.support.consuming import GroupCalls, record_many
from tests.support.postgres import Clock
from tests.support.server import RunningServer
from tests.support.timers import schedule, until_over


def read(server: RunningServer) -> dict[str, float]:
    """Every number by its name and labels."""
    reply = server.request("GET", "/metrics", api_key=None)
    assert reply.status == 200
    lines = reply.body.decode().splitlines()
    found = [re.fullmatch(r"(\S+) (\S+)", line) for line in lines if line and not line.startswith("#")]
    return {match[1]: float(match[2]) for match in found if match is not None}


def test_what_happens_is_counted(start_server: Callable[..., RunningServer], database_url: str) -> None:
    """Requests, responses, batches, events, take-overs and stale owners, each once."""
    server = start_server()
    first = server.claim("run-1", "charge", lease_seconds=1).body
    assert server.record("run-1").status == 200
    Clock(database_url).advance(2)
    assert server.claim("run-1", "charge").body["status"] == "reclaimed"
    stale = {"claim_token": first["claim_token"], "result": 1}
    assert server.post(f"/executions/{first['execution']['id']}/complete", stale).status == 409
    assert server.get("/instance", api_key="sk-" + "0" * 32).status == 401
    assert server.request("GET", "/nowhere").status == 404
    found = read(server)
    assert found['actae_requests_total{operation="executions.claim"}'] == 2
    assert found['actae_requests_total{operation="events.record"}'] == 1
    assert found['actae_requests_total{operation="executions.complete"}'] == 1
    assert found['actae_responses_total{status="200"}'] == 3
    assert found['actae_responses_total{status="409"}'] == 1
    assert found['actae_responses_total{status="401"}'] == 1
    assert found['actae_responses_total{status="404"}'] == 1
    assert found["actae_leases_taken_over_total"] == 1
    assert found['actae_stale_owners_refused_total{call="complete"}'] == 1
    assert found["actae_events_appended_total"] == 4  # what the stale owner reported is kept as well
    assert found["actae_batch_asks_count"] == found['actae_batch_asks_bucket{le="+Inf"}'] == 4
    assert found["actae_batch_asks_sum"] == found['actae_batch_asks_bucket{le="1.0"}'] == 4
    assert found["actae_batch_seconds_count"] == 4
    assert found["actae_batch_seconds_sum"] > 0
    assert found['actae_executions{lease="live"}'] == 1
    assert found['actae_executions{lease="lapsed"}'] == 0
    assert 2 < found["actae_executions_oldest_open_seconds"] < 60
    assert found["actae_pool_connections_max"] == 10
    assert found['actae_process_resident_bytes{worker="0"}'] > 1_000_000


def test_wakeups_are_counted(start_server: Callable[..., RunningServer], database_url: str) -> None:
    """What has fired and what was given up; what is pending, and for how long it has been due."""
    clock = Clock(database_url)
    server = start_server(environment={"ACTAE_WAKEUP_LAG_SECONDS": "600"})
    now = clock.now()
    server.record("closed")
    for channel in ("run-1", "run-1", "run-2", "closed"):
        schedule(server, channel, now - timedelta(hours=1))
    server.post("/channels/closed/close", {})
    for channel in ("run-1", "run-2"):
        until_over(server, channel)
    until_over(server, "closed")
    schedule(server, "run-1", now + timedelta(hours=10))
    schedule(server, "run-1", now - timedelta(seconds=300))
    found = read(server)
    assert found["actae_wakeups_fired_total"] == 3
    assert found["actae_wakeups_failed_total"] == 1
    assert found["actae_wakeups_put_off_total"] == 0
    assert found['actae_wakeups_pending{time="ahead"}'] == 1
    assert found['actae_wakeups_pending{time="due"}'] == 1
    assert 300 <= found["actae_wakeups_oldest_due_seconds"] < 600


def test_what_waits_for_people_is_counted(
    start_server: Callable[..., RunningServer], database_url: str
) -> None:
    """Operations, and not questions that keep nothing from being run."""
    server = start_server()
    ask(server, "run-1", "r1")
    Clock(database_url).advance(300)
    ask(server, "run-2", "r2")
    ask(server, "run-2", "answered", operation=charge(2))
    decide(server, "run-2", "rejected", "answered")
    ask(server, "run-2", "unbound", operation=None)
    ask(server, "run-2", "overdue", operation=charge(3), timeout_seconds=0.001)
    Clock(database_url).advance(1)
    found = read(server)
    assert found["actae_approvals_pending"] == 2
    assert 301 <= found["actae_approvals_oldest_pending_seconds"] < 600


def test_what_nobody_knows_is_counted(start_server: Callable[..., RunningServer], database_url: str) -> None:
    """Since its lease ended, until somebody says what happened; and apart from what may be taken over."""
    server = start_server()
    for key, terms in (
        ("old", {"on_lapse": "ambiguous"}),
        ("resolved", {"on_lapse": "ambiguous"}),
        ("plain", {}),
    ):
        server.claim("run-1", key, lease_seconds=100, **terms)
    Clock(database_url).advance(400)
    resolved = server.claim("run-1", "resolved").body["execution_id"]
    server.post(f"/executions/{resolved}/resolve", {"outcome": "not_applied", "by": "ann"})
    server.claim("run-2", "held", on_lapse="ambiguous")
    found = read(server)
    assert found['actae_executions{lease="lapsed"}'] == 1  # the plain one
    assert found['actae_executions{lease="live"}'] == 1  # the held one
    assert found["actae_executions_ambiguous"] == 1
    assert 300 <= found["actae_executions_oldest_ambiguous_seconds"] < 400


async def test_without_due_wakeups_there_is_no_oldest(db: Database) -> None:
    """Not even where there are none at all."""
    counts = await Census(db).take()
    assert counts.pending_wakeups == (0, 0, 0.0)
    assert counts.pending_approvals == (0, 0.0)
    assert counts.ambiguous_executions == (0, 0.0)


def test_metrics_are_text_of_the_version_that_scrapers_know(server: RunningServer) -> None:
    """And every number has its meaning and its type beside it."""
    reply = server.request("GET", "/metrics", api_key=None)
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    names = set(re.findall(r"^# TYPE (\S+) ", reply.body.decode(), re.MULTILINE))
    assert names == set(re.findall(r"^# HELP (\S+) ", reply.body.decode(), re.MULTILINE))
    assert all(name.startswith("actae_") for name in names)


def test_live_connections_are_told_as_json(server: RunningServer) -> None:
    """In the one shape that clients read."""
    body = server.request("GET", "/metrics.json", api_key=None).body
    live = body["websocket"]
    assert body["status"] == "ok"
    assert type(body["uptime_seconds"]) is int
    assert live["total_messages"] == live["messages_sent"] + live["messages_received"]
    assert set(live["back_pressure"]) == {"total_consumers", "slow_consumers", "total_queued_messages"}


def test_metrics_can_be_kept_for_holders_of_a_key(start_server: Callable[..., RunningServer]) -> None:
    """Health and readiness stay open."""
    server = start_server(environment={"ACTAE_METRICS_PUBLIC": "false"})
    for path in ("/metrics", "/metrics.json"):
        assert server.request("GET", path, api_key=None).status == 401
        assert server.request("GET", path, api_key="sk-" + "0" * 32).status == 401
        assert server.request("GET", path).status == 200
    for path in ("/healthz", "/readyz"):
        assert server.request("GET", path, api_key=None).status == 200


def test_what_consumers_have_not_done_is_counted(
    start_server: Callable[..., RunningServer], database_url: str
) -> None:
    """All groups together, the slowest, and what is stuck with those that are gone; no group is named."""
    server = start_server()
    record_many(server, "run-1", 10)
    quick, slow = GroupCalls(server, "run-1", "quick"), GroupCalls(server, "run-1", "slow")
    for group in (quick, slow, GroupCalls(server, "not-yet", "idle")):
        group.create()
        group.join("a", lease_seconds=60)
    quick.work("a", 7)
    quick.ack("a", 6)
    slow.work("a", 3)
    Clock(database_url).advance(61)
    quick.join("a")
    found = read(server)
    assert found["actae_consumer_groups"] == 3
    assert found["actae_consumer_lag_events"] == 4 + 10
    assert found["actae_consumer_lag_events_max"] == 10
    assert found["actae_consumer_stranded_events"] == 3
    assert not any("quick" in name for name in found)


async def test_what_was_counted_is_counted_again_only_after_a_while(db: Database) -> None:
    """Whoever scrapes often gets the last counts."""
    census = Census(db)
    first = await census.take()
    assert first.open_executions is not None
    assert first.unconsumed_events is not None
    again = await census.take()
    assert again.open_executions is first.open_executions
    assert again.unconsumed_events is first.unconsumed_events
