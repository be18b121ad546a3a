"""Replies as a server writes them."""

from __future__ import annotations

from typing import Any

EVENT: dict[str, Any] = {
    "id": "01956c2e-7a10-7c3e-9a55-2f0d6c1b8e01",
    "channel_id": "run-7",
    "type": "note",
    "payload": {"text": "hello"},
    "actor": "agent",
    "cursor": 3,
    "channel_cursor": 3,
    "timestamp": "2026-03-01T09:30:00Z",
    "agent_id": None,
    "user_id": "u-1",
    "metadata": {"model": "m"},
    "depends_on": None,
}

EXECUTION: dict[str, Any] = {
    "id": "run-7~5f0c",
    "channel_id": "run-7",
    "key_name": "invoice-88:send",
    "tool_name": "mail.send",
    "status": "running",
    "attempts": 1,
    "lease_until": "2026-03-01T09:31:00Z",
    "started_cursor": 14,
    "completed_cursor": None,
    "started_event_id": "01956c2f-7a10-7c3e-9a55-2f0d6c1b8e01",
    "completed_event_id": None,
    "replay_emitted": False,
    "params": {"invoice": 88},
    "result": None,
    "error": None,
    "created_at": "2026-03-01T09:30:00Z",
    "updated_at": "2026-03-01T09:30:00Z",
    "completed_at": None,
}

CLAIMED: dict[str, Any] = {
    "status": "claimed",
    "execution": EXECUTION,
    "result": None,
    "claim_token": "ct_5QZ",
}

METADATA: dict[str, Any] = {
    "channel_id": "run-7",
    "parent_channel_id": None,
    "origin_run_id": "run-7",
    "forked_at_cursor": 0,
    "forked_at": "2026-03-01T09:30:00Z",
    "display_name": "Nightly",
}

WAKEUP: dict[str, Any] = {
    "id": "run-7~0199c4a18e337f4fb2a61c0d9e8f7a6b",
    "channel_id": "run-7",
    "run_at": "2026-03-01T10:00:00Z",
    "status": "pending",
    "payload": {"why": "look again"},
    "created_at": "2026-03-01T09:30:00Z",
    "executed_at": None,
    "attempts": 0,
    "error": None,
}
