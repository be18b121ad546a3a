"""Asks with sensible defaults, for tests of decisions and of the writer."""

from datetime import UTC, datetime, timedelta
from typing import Any

from actae.domain import approvals
from actae.domain.approvals import Answer, Binding, Request
from actae.domain.events import Authorship, Record, Transition
from actae.domain.executions import Cancel, Claim, Complete, Dispatch, Fail, Heartbeat, digest_key
from actae.domain.fingerprint import content_digest, fingerprint
from actae.domain.identity import EVENT_NAMESPACE, STATE_NAMESPACE, identify
from actae.domain.resolutions import Outcome, Resolve
from actae.domain.states import SaveState

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SECRET = bytes(32)


def later(seconds: float) -> datetime:
    """So many seconds after noon."""
    return NOON + timedelta(seconds=seconds)


def claim(
    key_name: str = "charge:1",
    *,
    channel_id: str = "run-1",
    tool_name: str = "charge",
    params: bytes = b'{"order":1}',
    attempt_id: str = "first",
    **fields: Any,
) -> Claim:
    """A claim."""
    return Claim(
        channel_id=channel_id,
        key_name=key_name,
        key_digest=digest_key(key_name),
        tool_name=tool_name,
        params=params,
        fingerprint=fingerprint(tool_name, params, fields.get("dedup_fields")),
        attempt_id=attempt_id,
        secret=SECRET,
        **{"lease_seconds": 60, "size": len(params), **fields},
    )


def complete(
    token: str | None, key_name: str = "charge:1", *, channel_id: str = "run-1", result: bytes = b'"ok"'
) -> Complete:
    """A complete."""
    return Complete(channel_id, digest_key(key_name), token, result, len(result))


def fail(
    token: str | None,
    key_name: str = "charge:1",
    *,
    channel_id: str = "run-1",
    message: str = "no",
    outcome_unknown: bool = False,
) -> Fail:
    """A fail."""
    error = b'{"message":"%b","error_type":null,"stack":null}' % message.encode()
    return Fail(channel_id, digest_key(key_name), token, error, len(error), outcome_unknown)


def dispatch(token: str | None, key_name: str = "charge:1", *, channel_id: str = "run-1") -> Dispatch:
    """The mark before the tool is called."""
    return Dispatch(channel_id, digest_key(key_name), token)


def resolve(
    outcome: Outcome,
    key_name: str = "charge:1",
    *,
    channel_id: str = "run-1",
    result: bytes = b"null",
    operation_id: str | None = None,
    by: str = "ann",
    attempts: int | None = None,
) -> Resolve:
    """Somebody says what happened."""
    content = content_digest(outcome, by, None, result, b"null")
    identity = None if operation_id is None else identify("executions.resolve", operation_id, content)
    return Resolve(
        channel_id, digest_key(key_name), outcome, result, by, None, b"null", 99, identity, attempts
    )


def heartbeat(
    token: str | None, key_name: str = "charge:1", *, channel_id: str = "run-1", seconds: int | None = None
) -> Heartbeat:
    """A heartbeat."""
    return Heartbeat(channel_id, digest_key(key_name), token, seconds)


def cancel(token: str | None, key_name: str = "charge:1", *, channel_id: str = "run-1") -> Cancel:
    """A cancel."""
    return Cancel(channel_id, digest_key(key_name), token)


def record(
    payload: bytes = b"1", *, channel_id: str = "run-1", operation_id: str | None = None, **fields: Any
) -> Record:
    """A record."""
    identity = None
    if operation_id is not None:
        identity = identify(EVENT_NAMESPACE, operation_id, content_digest("record", "note", payload, None))
    return Record(channel_id, "note", payload, Authorship("tester"), len(payload), identity, **fields)


def request(
    request_id: str = "r1",
    *,
    channel_id: str = "run-1",
    key_name: str | None = "charge:1",
    tool_name: str = "charge",
    params: bytes = b'{"order":1}',
    timeout_seconds: float | None = None,
) -> Record:
    """A question whether an operation may be run; without a key it is bound to none."""
    binding, payload = None, b'{"request_id":"%b"}' % request_id.encode()
    if key_name is not None:
        binding = Binding(digest_key(key_name), fingerprint(tool_name, params, None))
        operation = b'{"key_name":"%b","tool_name":"%b","params":%b}' % (
            key_name.encode(), tool_name.encode(), params
        )  # fmt: skip
        payload = b'{"request_id":"%b","operation":%b}' % (request_id.encode(), operation)
    news = Request(request_id, digest_key(request_id), binding, timeout_seconds)
    return Record(channel_id, approvals.REQUESTED, payload, Authorship("agent"), len(payload), approval=news)


def answer(verdict: Any, request_id: str = "r1", *, channel_id: str = "run-1") -> Record:
    """What somebody says to it."""
    event_type = approvals.EXPIRED if verdict == "expired" else approvals.DECIDED
    payload = b'{"request_id":"%b"}' % request_id.encode()
    news = Answer(digest_key(request_id), verdict)
    return Record(channel_id, event_type, payload, Authorship("ada"), len(payload), approval=news)


def transition(
    state: bytes = b"{}", *, channel_id: str = "run-1", operation_id: str | None = None, **fields: Any
) -> Transition:
    """A transition."""
    identity = None
    if operation_id is not None:
        identity = identify(EVENT_NAMESPACE, operation_id, content_digest("transition", "move", b"1", state))
    return Transition(channel_id, "move", b"1", state, Authorship("tester"), len(state), identity, **fields)


def save_state(
    state: bytes = b"{}",
    *,
    cursor: int = 0,
    channel_id: str = "run-1",
    operation_id: str | None = None,
    **fields: Any,
) -> SaveState:
    """A state save."""
    identity = None
    if operation_id is not None:
        identity = identify(STATE_NAMESPACE, operation_id, content_digest("state", str(cursor), state))
    return SaveState(channel_id, cursor, state, len(state), identity, **fields)
