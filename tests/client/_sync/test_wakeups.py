# Written by tools/generate_sync.py from _async/test_wakeups.py. Do not edit.
"""What the calls about wake-ups send, what they make of the answer, and how a real server keeps them."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest

from actae_client import SyncActaeClient, Wakeup, errors
from tests.client.support.replies import WAKEUP
from tests.client.support.scripted_server import Answer, ScriptedServer

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_call_sends_all_that_it_was_given(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Text goes as it is, and what comes back is a record."""
    scripted.answers({**WAKEUP, "priority": 7})
    made = client.schedule_wakeup(
        "run-7", "2026-03-01 noon", payload={"why": "look again"}, operation_id="op-1"
    )
    assert (scripted.last.method, scripted.last.target) == ("POST", "/api/v1/scheduler/wakeups")
    assert scripted.last.json == {
        "channel_id": "run-7",
        "run_at": "2026-03-01 noon",
        "payload": {"why": "look again"},
        "operation_id": "op-1",
    }
    assert made == Wakeup(**WAKEUP)


def test_each_call_has_an_identity_and_its_repetitions_the_same(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """An empty payload stays at home."""
    scripted.will(Answer(503, {"status": "unavailable", "error": "later"}), Answer(200, WAKEUP))
    client.schedule_wakeup("run-7", NOON, payload={})
    client.schedule_wakeup("run-7", NOON)
    first, again, other = [heard.json for heard in scripted.heard]
    assert first == again
    assert UUID(first["operation_id"]).version == 4
    assert first["operation_id"] != other.pop("operation_id")
    assert other == {"channel_id": "run-7", "run_at": "2026-03-01T12:00:00+00:00"}


@pytest.mark.parametrize(
    ("run_at", "sent"),
    [
        (NOON.astimezone(timezone(timedelta(hours=-5))), "2026-03-01T12:00:00+00:00"),
        (NOON.replace(microsecond=5), "2026-03-01T12:00:00.000005+00:00"),
        ("2026-03-01T13:00:00+01:00", "2026-03-01T13:00:00+01:00"),
    ],
)
def test_moments_travel_in_utc(
    client: SyncActaeClient, scripted: ScriptedServer, run_at: Any, sent: str
) -> None:
    """Unless they are text."""
    scripted.answers(WAKEUP)
    client.schedule_wakeup("run-7", run_at)
    assert scripted.last.json["run_at"] == sent


@pytest.mark.parametrize(
    ("run_at", "error"),
    [(datetime(2026, 3, 1), ValueError), (NOON.date(), TypeError), (60, TypeError)],  # noqa: DTZ001
)
def test_what_is_no_moment_is_refused(
    client: SyncActaeClient, scripted: ScriptedServer, run_at: Any, error: type[Exception]
) -> None:
    """Before anything is sent."""
    with pytest.raises(error, match="run_at"):
        client.schedule_wakeup("run-7", run_at)
    assert scripted.heard == []


@pytest.mark.parametrize(
    ("method", "args", "options", "sent"),
    [
        ("list_wakeups", (), {}, "GET /api/v1/scheduler/wakeups"),
        (
            "list_wakeups",
            (),
            {"channel_id": "run:7", "status": "pending", "after": "run-7~5f", "limit": 5},
            "GET /api/v1/scheduler/wakeups?channel_id=run%3A7&status=pending&after=run-7~5f&limit=5",
        ),
        ("get_wakeup", ("run-7~5f",), {}, "GET /api/v1/scheduler/wakeups/run-7~5f"),
        ("cancel_wakeup", ("run:7~5f",), {}, "DELETE /api/v1/scheduler/wakeups/run:7~5f"),
    ],
)
def test_calls_without_a_body(
    client: SyncActaeClient,
    scripted: ScriptedServer,
    method: str,
    args: tuple[Any, ...],
    options: dict[str, Any],
    sent: str,
) -> None:
    """The path and its query say it all."""
    scripted.answers({**WAKEUP, "wakeups": [WAKEUP]})
    getattr(client, method)(*args, **options)
    assert f"{scripted.last.method} {scripted.last.target}" == sent
    assert scripted.last.body == b""


def test_bad_ids_are_refused(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """They would reach another route, or none."""
    for channel_id in ("", "a b", ".."):
        with pytest.raises(ValueError, match="channel_id"):
            client.schedule_wakeup(channel_id, NOON)
        with pytest.raises(ValueError, match="channel_id"):
            client.list_wakeups(channel_id=channel_id)
    for wakeup_id in ("", ".", ".."):
        with pytest.raises(ValueError, match="wakeup_id"):
            client.get_wakeup(wakeup_id)
        with pytest.raises(ValueError, match="wakeup_id"):
            client.cancel_wakeup(wakeup_id)
    assert scripted.heard == []


def test_a_wakeup_is_scheduled_and_cancelled_once(actae: SyncActaeClient, channel: str) -> None:
    """Later it is over, and that is an answer, not an error."""
    ahead = datetime(2999, 1, 1, tzinfo=UTC)
    made = actae.wakeups.schedule_wakeup(channel, ahead, payload={"n": 10**40})
    assert (made.status, made.run_at, made.payload) == ("pending", "2999-01-01T00:00:00Z", {"n": 10**40})
    assert actae.get_wakeup(made.id) == made
    assert actae.list_wakeups(channel_id=channel, status="pending") == [made]
    assert actae.cancel_wakeup(made.id) is True
    assert actae.cancel_wakeup(made.id) is False
    cancelled = actae.get_wakeup(made.id)
    assert cancelled is not None
    assert cancelled.status == "cancelled"


def test_named_calls_are_made_once(actae: SyncActaeClient, channel: str) -> None:
    """Whoever makes them, and whenever."""
    first = actae.schedule_wakeup(channel, "2999-01-01T00:00:00Z", operation_id="remind")
    assert actae.schedule_wakeup(channel, "2999-01-01T00:00:00Z", operation_id="remind") == first
    with pytest.raises(errors.IdempotencyConflictError):
        actae.schedule_wakeup(channel, "2999-01-02T00:00:00Z", operation_id="remind")
    others = [actae.schedule_wakeup(channel, f"2999-01-0{day}T00:00:00Z") for day in (3, 2)]
    in_order = [first, *reversed(others)]
    assert actae.list_wakeups(channel_id=channel) == in_order
    assert actae.list_wakeups(channel_id=channel, after=first.id, limit=1) == in_order[1:2]


def test_what_is_refused_has_a_class(actae: SyncActaeClient, channel: str) -> None:
    """Unknown wake-ups, channels that have ended, and moments that are none."""
    unknown = f"{channel}~{'0' * 32}"
    assert actae.get_wakeup(unknown) is None
    with pytest.raises(errors.WakeupNotFoundError):
        actae.cancel_wakeup(unknown)
    with pytest.raises(errors.InvalidRequestError) as caught:
        actae.schedule_wakeup(channel, "2999-01-01T00:00:00")
    assert caught.value.details["field"] == "run_at"
    actae.record(channel, "note", None, actor="a")
    actae.close_channel(channel)
    with pytest.raises(errors.ChannelClosedError):
        actae.schedule_wakeup(channel, "2999-01-01T00:00:00Z")
    actae.delete_channel(channel)
    with pytest.raises(errors.ChannelDeletedError):
        actae.schedule_wakeup(channel, "2999-01-01T00:00:00Z")


def test_a_question_with_a_deadline_sets_one_timer(actae: SyncActaeClient, channel: str) -> None:
    """However often it is asked; it can be cancelled like any other."""
    for _ in range(2):
        actae.request_approval(channel, summary="pay?", timeout_seconds=3_600, request_id="r-1")
    (timer,) = actae.list_wakeups(channel_id=channel)
    assert timer.payload == {"approval_request_id": "r-1", "kind": "approval_timeout"}
    assert (timer.status, actae.cancel_wakeup(timer.id)) == ("pending", True)
