"""Questions to people and their answers, as plain events."""

from typing import Any

from tests.support.server import Reply, RunningServer

CHARGE = {"key_name": "charge:1", "tool_name": "charge", "params": {"n": 1}}  # what `server.claim` claims


def charge(number: int) -> dict[str, Any]:
    """One of several operations like CHARGE."""
    return {**CHARGE, "key_name": f"charge:{number}"}


def ask(
    server: RunningServer, channel: str, request_id: str = "r1", *, operation: Any = CHARGE, **fields: Any
) -> Reply:
    """Ask whether an operation may be run; `operation=None` asks about none."""
    payload = {"request_id": request_id, "summary": "Charge?", **fields}
    if operation is not None:
        payload["operation"] = operation
    return server.record(channel, "approval.requested", payload)


def decide(
    server: RunningServer, channel: str, decision: Any, request_id: str = "r1", **options: Any
) -> Reply:
    """Answer it."""
    payload = {"request_id": request_id, "decision": decision}
    return server.record(channel, "approval.decided", payload, **options)


def expire(server: RunningServer, channel: str, request_id: str = "r1") -> Reply:
    """Say that nobody has."""
    return server.record(channel, "approval.expired", {"request_id": request_id})


def code(reply: Reply) -> str:
    """`claimed` and the like, or the code of a refusal."""
    found: str = reply.body["status"]
    return found
