"""The ledger: claim, complete, fail, heartbeat, cancel, look, delete."""

import secrets
from collections.abc import Callable
from itertools import count
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Raw

from actae.domain import approval_errors, errors, guard_errors, outcome_errors
from actae.domain.access import Caller
from actae.domain.channels import FENCE_KEY
from actae.domain.executions import (
    Cancel,
    Claim,
    ClaimAnswer,
    Complete,
    Dispatch,
    Execution,
    Fail,
    Heartbeat,
    OnLapse,
    Status,
    digest_key,
    shown_to,
)
from actae.domain.fingerprint import FingerprintRefusal, fingerprint
from actae.operations import executions as operations
from actae.transport.digests import digest_aside
from actae.transport.fields import (
    NULL,
    ChannelId,
    KeyName,
    LeaseSeconds,
    Name,
    OperationId,
    check_channel_id,
    split_execution_id,
)
from actae.transport.route import Asked, Route
from actae.transport.services import Services

_LEASE_SECONDS_DEFAULT = 60

TtlSeconds = Annotated[int, Meta(ge=1, le=10 * 366 * 86_400)]

# Names the attempts of callers who named none. It must be unguessable, because the claim token is derived
# from it, and a number costs less than asking the system for randomness at each claim.
_PROCESS = secrets.token_hex(16)
_claims = count(1)


class ClaimBody(msgspec.Struct):
    """An operation to claim. The same key with the same input is the same operation."""

    channel_id: ChannelId
    key_name: KeyName
    tool_name: Name
    params: Annotated[
        Raw, Meta(description="The input, any JSON. With the tool's name it makes the fingerprint.")
    ] = NULL
    dedup_fields: Annotated[
        list[str] | None,
        Meta(description="Top-level fields of `params` that make the identity; null means all."),
    ] = None
    lease_seconds: LeaseSeconds = _LEASE_SECONDS_DEFAULT
    emit_replay_event: bool = False
    actor: Name | None = None
    on_lapse: Annotated[
        Literal["reclaim", "ambiguous"],
        Meta(
            description="What a lapsed lease means: the next claimer runs the tool again, or nobody does "
            "before somebody says what happened. The latter gets no operation either of which a worker has "
            "reported a result since it was resolved as not applied."
        ),
    ] = "reclaim"
    dispatches: Annotated[
        bool,
        Meta(
            description="With `on_lapse: ambiguous`: `dispatched` will be sent just before the tool is "
            "called, so a lapse before that may be reclaimed."
        ),
    ] = False
    on_failure: Annotated[
        Literal["reclaim", "replay"],
        Meta(description="What a recorded failure means to this caller: run again, or get the same error."),
    ] = "reclaim"
    ttl_seconds: Annotated[
        TtlSeconds | None,
        Meta(description="How long the key lives from its first claim on. Absent: as long as its channel."),
    ] = None
    attempt_id: Annotated[
        OperationId | None,
        Meta(description="Made once per logical call; repeating the claim with it returns the same answer."),
    ] = None
    requires_approval: Annotated[
        bool,
        Meta(
            description="Start only if somebody has approved this very call; without it, if nobody was asked."
        ),
    ] = False
    approval_request_id: Annotated[
        OperationId | None, Meta(description="Start only if it is this request that was approved.")
    ] = None


class CompleteBody(msgspec.Struct):
    """The result to record."""

    claim_token: str | None = None
    result: Raw = NULL


class FailBody(msgspec.Struct):
    """Why it failed. Texts are kept as sent, whatever characters they hold."""

    message: Annotated[Raw, Meta(extra_json_schema={"type": "string"})]
    claim_token: str | None = None
    error_type: Annotated[Raw, Meta(extra_json_schema={"type": ["string", "null"]})] = NULL
    stack: Annotated[Raw, Meta(extra_json_schema={"type": ["string", "null"]})] = NULL
    outcome_unknown: Annotated[
        bool,
        Meta(description="The tool may have taken effect all the same: hand the operation to nobody."),
    ] = False


class HeartbeatBody(msgspec.Struct):
    """How much longer; the claim's lease length if absent."""

    claim_token: str | None = None
    lease_seconds: LeaseSeconds | None = None


class DispatchedBody(msgspec.Struct):
    """Who is about to call the tool."""

    claim_token: str | None = None


class CancelBody(msgspec.Struct):
    """Who gives up."""

    claim_token: str | None = None


class SettledReply(msgspec.Struct):
    """How the operation stands."""

    status: Status
    execution: Execution


async def claim(services: Services, asked: Asked) -> ClaimAnswer:
    """Ask for the right to run an operation, or for its outcome."""
    body: ClaimBody = asked.body
    channel_id = check_channel_id(body.channel_id)
    asked.caller.require("write", channel_id)
    _check_terms(body)
    params = bytes(body.params)
    try:
        digest = await digest_aside(len(params), fingerprint, body.tool_name, params, body.dedup_fields)
    except FingerprintRefusal as refusal:
        raise errors.InvalidRequestError(str(refusal), field=refusal.field) from None
    ask = Claim(
        channel_id,
        body.key_name,
        digest_key(body.key_name),
        body.tool_name,
        params,
        digest,
        body.lease_seconds,
        body.attempt_id or f"{_PROCESS}-{next(_claims)}",
        services.secret,
        len(params) + 512,
        body.dedup_fields,
        body.emit_replay_event,
        body.actor or "system",
        _on_lapse(body),
        body.on_failure == "replay",
        body.ttl_seconds,
        body.requires_approval,
        body.approval_request_id,
    )
    try:
        answer = await operations.claim(services.writer, ask, services.observe)
    except guard_errors.NearDuplicateError as error:
        raise error.shown_to(_knows_of(asked.caller, channel_id)) from None
    return shown_to(answer, _knows_of(asked.caller, channel_id))


def _knows_of(caller: Caller, channel_id: str) -> Callable[[str], bool]:
    """Whether something on another channel may be told to who writes to this one."""
    return lambda other: other == channel_id or caller.permissions.allows("read", other)


async def complete(services: Services, asked: Asked) -> SettledReply:
    """Record the result."""
    channel_id, key_digest = owned(asked)
    body: CompleteBody = asked.body or CompleteBody()
    result = bytes(body.result)
    ask = Complete(channel_id, key_digest, body.claim_token, result, len(result) + 512)
    return SettledReply(*await operations.settle(services.writer, ask, services.observe))


async def fail(services: Services, asked: Asked) -> SettledReply:
    """Record that the operation failed."""
    channel_id, key_digest = owned(asked)
    body: FailBody = asked.body
    texts = {"message": bytes(body.message), "error_type": bytes(body.error_type), "stack": bytes(body.stack)}
    for field, text in texts.items():
        if not text.startswith(b'"') and (text != b"null" or field == "message"):
            raise errors.InvalidRequestError(f"{field!r} must be a string.", field=field)
    error = b'{"message":%b,"error_type":%b,"stack":%b}' % tuple(texts.values())
    ask = Fail(channel_id, key_digest, body.claim_token, error, len(error) + 512, body.outcome_unknown)
    return SettledReply(*await operations.settle(services.writer, ask, services.observe))


async def heartbeat(services: Services, asked: Asked) -> SettledReply:
    """Extend the lease."""
    channel_id, key_digest = owned(asked)
    body: HeartbeatBody = asked.body or HeartbeatBody()
    ask = Heartbeat(channel_id, key_digest, body.claim_token, body.lease_seconds)
    return SettledReply(*await operations.settle(services.writer, ask, services.observe))


async def dispatched(services: Services, asked: Asked) -> SettledReply:
    """Say that the tool is about to be called.

    Where the claim said `dispatches`, a lapse before this is handed to the next claimer, and one after it is
    ambiguous. Call the tool only after the answer.
    """
    channel_id, key_digest = owned(asked)
    body: DispatchedBody = asked.body or DispatchedBody()
    ask = Dispatch(channel_id, key_digest, body.claim_token)
    return SettledReply(*await operations.settle(services.writer, ask, services.observe))


def _check_terms(body: ClaimBody) -> None:
    if body.dispatches and body.on_lapse == "reclaim":
        raise errors.InvalidRequestError("`dispatches` needs `on_lapse: ambiguous`.", field="dispatches")
    if body.key_name == FENCE_KEY and (body.on_lapse != "reclaim" or body.ttl_seconds is not None):
        field = "ttl_seconds" if body.on_lapse == "reclaim" else "on_lapse"
        raise errors.InvalidRequestError("A session can always be taken over.", field=field)


def _on_lapse(body: ClaimBody) -> OnLapse | None:
    if body.on_lapse == "reclaim":
        return None
    return "after_dispatch" if body.dispatches else "ambiguous"


async def cancel(services: Services, asked: Asked) -> SettledReply:
    """Give the operation up without an outcome."""
    channel_id, key_digest = owned(asked)
    body: CancelBody = asked.body or CancelBody()
    ask = Cancel(channel_id, key_digest, body.claim_token)
    return SettledReply(*await operations.settle(services.writer, ask, services.observe))


def owned(asked: Asked) -> tuple[str, str]:
    """Channel id and key digest of the operation in the path, which the caller may write."""
    channel_id, key_digest = split_execution_id(asked.path["id"])
    asked.caller.require("write", channel_id)
    return channel_id, key_digest


_SETTLE_ERRORS = (
    errors.InvalidRequestError,
    errors.InvalidJsonError,
    errors.PayloadTooLargeError,
    errors.ExecutionNotFoundError,
    errors.ExecutionNotOwnedError,
    errors.ExecutionTerminalError,
    errors.OverloadedError,
    errors.UnavailableError,
)

ROUTES = (
    Route(
        method="POST",
        path="/executions/claim",
        operation="executions.claim",
        summary="Claim an operation, or learn its outcome",
        handler=claim,
        body=ClaimBody,
        reply=ClaimAnswer,
        errors=(
            errors.InvalidRequestError,
            errors.InvalidJsonError,
            errors.PayloadTooLargeError,
            errors.IdempotencyKeyMismatchError,
            outcome_errors.KeyExpiredError,
            outcome_errors.ExecutionAmbiguousError,
            approval_errors.ApprovalPendingError,
            approval_errors.ApprovalRejectedError,
            approval_errors.ApprovalExpiredError,
            approval_errors.ApprovalMismatchError,
            approval_errors.ApprovalNotFoundError,
            guard_errors.ToolFrozenError,
            guard_errors.BudgetExceededError,
            guard_errors.NearDuplicateError,
            errors.ChannelClosedError,
            errors.CounterfactualBlockedError,
            errors.ChannelDeletedError,
            errors.OverloadedError,
            errors.UnavailableError,
        ),
    ),
    Route(
        method="POST",
        path="/executions/{id}/complete",
        operation="executions.complete",
        summary="Record the result of an operation",
        handler=complete,
        body=CompleteBody,
        body_optional=True,
        reply=SettledReply,
        errors=_SETTLE_ERRORS,
    ),
    Route(
        method="POST",
        path="/executions/{id}/fail",
        operation="executions.fail",
        summary="Record that an operation failed",
        handler=fail,
        body=FailBody,
        reply=SettledReply,
        errors=_SETTLE_ERRORS,
    ),
    Route(
        method="POST",
        path="/executions/{id}/heartbeat",
        operation="executions.heartbeat",
        summary="Extend the lease of an operation",
        handler=heartbeat,
        body=HeartbeatBody,
        body_optional=True,
        reply=SettledReply,
        errors=_SETTLE_ERRORS,
    ),
    Route(
        method="POST",
        path="/executions/{id}/dispatched",
        operation="executions.dispatched",
        summary="Say that the tool is about to be called",
        handler=dispatched,
        body=DispatchedBody,
        body_optional=True,
        reply=SettledReply,
        errors=_SETTLE_ERRORS,
    ),
    Route(
        method="POST",
        path="/executions/{id}/cancel",
        operation="executions.cancel",
        summary="Give an operation up",
        handler=cancel,
        body=CancelBody,
        body_optional=True,
        reply=SettledReply,
        errors=_SETTLE_ERRORS,
    ),
)
