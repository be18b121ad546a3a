"""Runs and forks with sensible defaults, over HTTP."""

from typing import Any
from uuid import uuid4

from tests.support.server import Reply, RunningServer


def step(server: RunningServer, channel: str, number: int, output: Any = None) -> int:
    """Record one step and the state after it; the cursor of its event."""
    output = f"output {number}" if output is None else output
    payload = {"step_number": number, "input": None, "output": output}
    recorded = server.record(channel, "step", payload, step_number=number)
    assert recorded.status == 200, recorded
    cursor: int = recorded.body["event"]["cursor"]
    saved = server.post(f"/state/{channel}", {"cursor": cursor, "state": {"after": number}})
    assert saved.status == 200, saved
    return cursor


def effect(server: RunningServer, channel: str, key: str, *, result: Any = "done", **fields: Any) -> int:
    """Claim and complete an operation; the cursor at which it completed."""
    claimed = server.claim(channel, key, **fields)
    assert claimed.body["status"] in ("claimed", "reclaimed"), claimed
    execution_id, token = claimed.body["execution"]["id"], claimed.body["claim_token"]
    completed = server.post(f"/executions/{execution_id}/complete", {"claim_token": token, "result": result})
    assert completed.status == 200, completed
    cursor: int = completed.body["execution"]["completed_cursor"]
    return cursor


def fork(server: RunningServer, source: str, child: str, at_cursor: int = 0, **fields: Any) -> Reply:
    """Fork with a fresh operation id."""
    body = {"source_channel_id": source, "new_channel_id": child, "at_cursor": at_cursor}
    return server.post("/channels/fork", {"operation_id": str(uuid4()), **body, **fields})


def events_of(server: RunningServer, channel: str) -> list[dict[str, Any]]:
    """The whole log."""
    found: list[dict[str, Any]] = server.get(f"/events/replay/{channel}?limit=10000").body["events"]
    return found
