"""Channels with a secret in every place that holds content."""

from typing import Any
from uuid import uuid4

from tests.support.approving import ask
from tests.support.forking import fork
from tests.support.server import Reply, RunningServer

SECRET = "canary-of-content"
HIDDEN = {"note": SECRET}


def plant(server: RunningServer, channel: str) -> dict[str, str]:
    """Fill a channel, a fork of it and what goes with them; what their ids are, by the names in paths."""
    child = f"{channel}.child"
    event_id = _record_events(server, channel)
    execution_id = _run_operations(server, channel)
    asked(ask(server, channel, operation=_charge("asked"), summary=SECRET, details=HIDDEN))
    payload = {"request_id": "r1", "decision": "rejected", "reason": SECRET}
    asked(server.record(channel, "approval.decided", payload))
    hidden = {"reason": SECRET, "experiment_metadata": HIDDEN, "manifest": HIDDEN}
    asked(fork(server, channel, child, display_name="seen", **hidden))
    for each in (channel, child):
        _run_operations(server, each, "again ")
        changed = {"display_name": "seen", "reason": SECRET, "experiment_metadata": HIDDEN}
        asked(server.request("PUT", f"/api/v1/channels/{each}/metadata", changed))
    wakeup = {"channel_id": channel, "run_at": "2099-01-01T00:00:00Z", "payload": HIDDEN}
    wakeup_id = asked(server.post("/scheduler/wakeups", {**wakeup, "operation_id": str(uuid4())}))["id"]
    return {
        "channel_id": channel,
        "child": child,
        "event_id": event_id,
        "id": execution_id,
        "wakeup_id": wakeup_id,
        **_form_groups(server, channel, child),
    }


def _record_events(server: RunningServer, channel: str) -> str:
    own = {"actor": "ada", "metadata": HIDDEN}
    event = asked(server.record(channel, "note", HIDDEN, metadata=own, step_number=1))["event"]
    forged = {"key_name": HIDDEN, "tool_name": [SECRET], "params": SECRET}
    for event_type in ("tool.started", "tool.completed", "fork.started"):
        asked(server.record(channel, event_type, forged))
    body = {"channel_id": channel, "type": "step", "payload": HIDDEN, "state": HIDDEN, "metadata": own}
    asked(server.post("/events/transition", body))
    return str(event["id"])


def _run_operations(server: RunningServer, channel: str, prefix: str = "") -> str:
    """One that completed, one that failed, and one with all that can be said of an outcome."""
    done, token = _claim(server, channel, f"{prefix}done")
    asked(_settle(server, done, "complete", claim_token=token, result=HIDDEN))
    failed, token = _claim(server, channel, f"{prefix}failed")
    error = {"message": SECRET, "error_type": SECRET, "stack": SECRET}
    asked(_settle(server, failed, "fail", claim_token=token, **error))
    lost, token = _claim(server, channel, f"{prefix}lost", on_lapse="ambiguous")
    asked(_settle(server, lost, "fail", claim_token=token, outcome_unknown=True, **error))
    said = {"outcome": "not_applied", "by": "ada", "reason": SECRET, "evidence": HIDDEN}
    asked(_settle(server, lost, "resolve", **said))
    _settle(server, lost, "complete", claim_token=token, result=HIDDEN)  # too late, and kept as evidence
    return lost


def _form_groups(server: RunningServer, channel: str, child: str) -> dict[str, str]:
    crew, consumers = f"{channel}.crew", f"{channel}.consumers"
    made = {"name": "seen", "description": SECRET, "operation_id": str(uuid4())}
    experiment = asked(server.post("/experiments", made))
    member = {"channel_id": child, "declared_delta": HIDDEN}
    group_id = str(experiment["group_id"])
    asked(server.post(f"/experiments/{group_id}/members", member))
    asked(server.post("/groups", {"group_id": consumers, "channel_id": channel, "metadata": HIDDEN}))
    asked(server.post(f"/groups/{consumers}/join", {"consumer_id": "c"}))
    asked(server.post("/execution-groups", {"group_id": crew, "metadata": HIDDEN}))
    for member_id, its_channel in (("a", channel), ("b", child)):
        joined = {"member_id": member_id, "channel_id": its_channel, "metadata": HIDDEN}
        asked(server.post(f"/execution-groups/{crew}/members", joined))
    mail = {"from_member_id": "a", "to_member_id": "b", "type": "ask", "payload": HIDDEN}
    message = asked(server.post(f"/execution-groups/{crew}/messages", mail))["message"]
    return {
        "experiment_id": group_id,
        "consumers": consumers,
        "crew": crew,
        "message_id": str(message["message_id"]),
    }


def _charge(key_name: str) -> dict[str, Any]:
    return {"key_name": key_name, "tool_name": "charge", "params": HIDDEN}


def _claim(server: RunningServer, channel: str, key_name: str, **terms: Any) -> tuple[str, str]:
    claimed = asked(server.claim(channel, key_name, params=HIDDEN, **terms))
    return claimed["execution"]["id"], claimed["claim_token"]


def _settle(server: RunningServer, execution_id: str, verb: str, **body: Any) -> Reply:
    return server.post(f"/executions/{execution_id}/{verb}", body)


def asked(reply: Reply) -> Any:
    """The body of what went well."""
    assert reply.status == 200, reply
    return reply.body
