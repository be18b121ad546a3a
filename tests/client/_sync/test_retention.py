# Written by tools/generate_sync.py from _async/test_retention.py. Do not edit.
"""What the calls about retention send, what they make of the answer, and how a real server takes them."""

from typing import Any

import pytest

from actae_client import RetentionPolicy, SyncActaeClient, errors
from actae_client.types import ChannelSize, RemovedChannel, RetentionRun, StorageReport, TableSize
from tests.client.support.scripted_server import ScriptedServer

POLICY = {"pattern": "run-*", "keep_for_seconds": 60, "set_by": "key:k", "set_at": "2026-03-01T12:00:00Z"}
REMOVED = {
    "channel_id": "run-7",
    "pattern": "run-*",
    "ended_at": "2026-03-01T12:00:00Z",
    "idle_since": "2026-03-01T12:00:00Z",
    "event_count": 3,
}
RUN: dict[str, Any] = {"is_dry": False, "removed": [REMOVED], "kept": {"fork": 1}, "has_more": True}
TABLE = {"name": "events", "rows_estimate": None, "table_bytes": 1, "index_bytes": 2}
CHANNEL = {
    "channel_id": "run-7",
    "bytes_estimate": 5,
    "event_count": 3,
    "state_count": 0,
    "lifecycle": "open",
    "active_at": "2026-03-01T12:00:00Z",
}
STORAGE = {"database_bytes": 9, "tables": [TABLE], "channels": [CHANNEL], "sampled_share": 1.0}


@pytest.mark.parametrize(
    ("method", "args", "options", "sent", "body"),
    [
        ("list_retention_policies", (), {}, "GET /api/v1/retention/policies", None),
        (
            "set_retention_policy",
            ("run-*", 60),
            {},
            "PUT /api/v1/retention/policies/run-%2A",
            {"keep_for_seconds": 60},
        ),
        (
            "set_retention_policy",
            ("a:b", None),
            {},
            "PUT /api/v1/retention/policies/a:b",
            {"keep_for_seconds": None},
        ),
        ("remove_retention_policy", ("*",), {}, "DELETE /api/v1/retention/policies/%2A", None),
        ("run_retention", (), {}, "POST /api/v1/retention/run", {"dry_run": False}),
        (
            "run_retention",
            (),
            {"dry_run": True, "limit": 5},
            "POST /api/v1/retention/run",
            {"dry_run": True, "limit": 5},
        ),
        ("storage", (), {}, "GET /api/v1/storage", None),
        ("storage", (), {"limit": 3}, "GET /api/v1/storage?limit=3", None),
    ],
)
def test_a_call_sends_what_it_was_given(
    client: SyncActaeClient,
    scripted: ScriptedServer,
    method: str,
    args: tuple[Any, ...],
    options: dict[str, Any],
    sent: str,
    body: Any,
) -> None:
    """The whole of it, and nothing else."""
    scripted.answers({**POLICY, **RUN, **STORAGE, "policies": [POLICY]})
    getattr(client, method)(*args, **options)
    assert f"{scripted.last.method} {scripted.last.target}" == sent
    assert (scripted.last.json if scripted.last.body else None) == body


def test_answers_are_records(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Keys that are not known are ignored."""
    scripted.answers({"policies": [{**POLICY, "colour": "red"}]})
    assert client.list_retention_policies() == [RetentionPolicy(**POLICY)]  # type: ignore[arg-type]
    scripted.answers(RUN)
    went = [RemovedChannel(**REMOVED)]  # type: ignore[arg-type]
    assert client.run_retention() == RetentionRun(is_dry=False, removed=went, kept={"fork": 1}, has_more=True)
    scripted.answers(STORAGE)
    assert client.storage() == StorageReport(
        9,
        [TableSize("events", None, 1, 2)],
        [ChannelSize("run-7", 5, 3, 0, "open", "2026-03-01T12:00:00Z")],
        1.0,
    )


def test_a_policy_is_set_and_removed(actae: SyncActaeClient, channel: str) -> None:
    """A dry run finds nothing that has just ended."""
    pattern = f"{channel}*"
    made = actae.retention.set_retention_policy(pattern, 86_400)
    assert (made.pattern, made.keep_for_seconds) == (pattern, 86_400)
    assert made in actae.list_retention_policies()
    actae.events.record(channel, "note", {}, actor="test")
    actae.close_channel(channel)
    ran = actae.run_retention(dry_run=True)
    assert channel not in [each.channel_id for each in ran.removed]
    sizes = actae.storage(limit=3)
    assert 0 < len(sizes.channels) <= 3
    actae.remove_retention_policy(pattern)
    with pytest.raises(errors.NotFoundError) as caught:
        actae.remove_retention_policy(pattern)
    assert caught.value.code == "retention_policy_not_found"
    with pytest.raises(errors.InvalidRequestError, match="keep_for_seconds"):
        actae.set_retention_policy(pattern, 0)
    with pytest.raises(errors.InvalidRequestError, match="pattern"):
        actae.set_retention_policy("a*b", 60)
