"""The ledger: claim, complete, fail, heartbeat, cancel, look, delete."""

import re
import secrets
from itertools import count
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from actae.domain import approval_errors, errors
from actae.domain.event_ids import from_microseconds, microseconds
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
)
from actae.domain.fingerprint import FingerprintRefusal, content_digest, fingerprint
from actae.domain.identity import identify
from actae.domain.late_evidence import LateEvidence
from actae.domain.resolutions import Outcome, Resolve
from actae.operations import executions as operations
from actae.store.executions import Place, Wanted
from actae.transport.digests import digest_aside
from actae.transport.fields import (
    NULL,
    ChannelId,
    KeyName,
    LeaseSeconds,
    Name,
    OperationId,
    Text,
    check_channel_id,
    split_execution_id,
)
from actae.transport.operation_ids import operation_id_of
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp
from actae.transport.services import Services

_LEASE_SECONDS_DEFAULT = 60
_MICROSECONDS = re.compile(r"[0-9]{1,17}")

TtlSeconds = Annotated[int, Meta(ge=1, le=10 * 366 * 86_400)]
AgeSeconds = Annotated[int, Meta(ge=0, le=100 * 366 * 86_400)]

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
            "before somebody says what happened."
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


class ResolveBody(msgspec.Struct):
    """What happened, who says so, and on what grounds."""

    outcome: Outcome
    by: Name
    result: Annotated[Raw, Meta(description="With `applied`: what the operation replays from now on.")] = NULL
    reason: Text | None = None
    evidence: Annotated[Raw, Meta(description="What was looked at: any JSON.")] = NULL
    operation_id: OperationId | None = None


class CancelBody(msgspec.Struct):
    """Who gives up."""

    claim_token: str | None = None


class SettledReply(msgspec.Struct):
    """How the operation stands."""

    status: Status
    execution: Execution


class ExecutionReply(msgspec.Struct):
    """One operation, and what was reported of it after it had passed to another worker, or had ended."""

    execution: Execution
    late_evidence: list[LateEvidence]


class ExecutionsReply(msgspec.Struct):
    """Operations, newest first."""

    executions: list[Execution]
    has_more: bool
    next: Annotated[
        str | UnsetType, Meta(description="Across channels: what `after` takes for the next page.")
    ] = UNSET


class DeletedReply(msgspec.Struct):
    """The key is free."""

    id: str
    status: str = "deleted"


async def claim(services: Services, asked: Asked) -> ClaimAnswer:
    """Ask for the right to run an operation, or for its outcome."""
    body: ClaimBody = asked.body
    channel_id = check_channel_id(body.channel_id)
    asked.caller.require("write", channel_id)
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
    return await operations.claim(services.writer, ask, services.observe)


async def complete(services: Services, asked: Asked) -> SettledReply:
    """Record the result."""
    channel_id, key_digest = _owned(asked)
    body: CompleteBody = asked.body or CompleteBody()
    result = bytes(body.result)
    ask = Complete(channel_id, key_digest, body.claim_token, result, len(result) + 512)
    return SettledReply(*await operations.settle(services.writer, ask, services.observe))


async def fail(services: Services, asked: Asked) -> SettledReply:
    """Record that the operation failed."""
    channel_id, key_digest = _owned(asked)
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
    channel_id, key_digest = _owned(asked)
    body: HeartbeatBody = asked.body or HeartbeatBody()
    ask = Heartbeat(channel_id, key_digest, body.claim_token, body.lease_seconds)
    return SettledReply(*await operations.settle(services.writer, ask, services.observe))


async def dispatched(services: Services, asked: Asked) -> SettledReply:
    """Say that the tool is about to be called.

    Where the claim said `dispatches`, a lapse before this is handed to the next claimer, and one after it is
    ambiguous. Call the tool only after the answer.
    """
    channel_id, key_digest = _owned(asked)
    body: DispatchedBody = asked.body or DispatchedBody()
    ask = Dispatch(channel_id, key_digest, body.claim_token)
    return SettledReply(*await operations.settle(services.writer, ask, services.observe))


async def resolve(services: Services, asked: Asked) -> SettledReply:
    """Say what became of an operation that nobody holds and that is not completed.

    `applied` completes it with the result; `not_applied` lets the next claimer have it; `unknown` only
    records who looked. Whoever held it before is fenced out by the first two.
    """
    channel_id, key_digest = _owned(asked)
    body: ResolveBody = asked.body
    result, evidence = bytes(body.result), bytes(body.evidence)
    if body.outcome != "applied" and result != b"null":
        raise errors.InvalidRequestError("Only `applied` has a result.", field="result")
    identity = None
    operation_id = operation_id_of(body.operation_id, asked.headers)
    if operation_id is not None:
        content = await digest_aside(
            len(result) + len(evidence), content_digest, body.outcome, body.by, body.reason, result, evidence
        )
        identity = identify(f"executions.resolve {key_digest}", operation_id, content)
    ask = Resolve(
        channel_id,
        key_digest,
        body.outcome,
        result,
        body.by,
        body.reason,
        evidence,
        len(result) + len(evidence) + 1024,
        identity,
    )
    return SettledReply(*await operations.settle(services.writer, ask, services.observe))


def _on_lapse(body: ClaimBody) -> OnLapse | None:
    if body.on_lapse == "reclaim":
        return None
    return "after_dispatch" if body.dispatches else "ambiguous"


async def cancel(services: Services, asked: Asked) -> SettledReply:
    """Give the operation up without an outcome."""
    channel_id, key_digest = _owned(asked)
    body: CancelBody = asked.body or CancelBody()
    ask = Cancel(channel_id, key_digest, body.claim_token)
    return SettledReply(*await operations.settle(services.writer, ask, services.observe))


def _owned(asked: Asked) -> tuple[str, str]:
    channel_id, key_digest = split_execution_id(asked.path["id"])
    asked.caller.require("write", channel_id)
    return channel_id, key_digest


async def get(services: Services, asked: Asked) -> ExecutionReply:
    """One operation."""
    channel_id, key_digest = split_execution_id(asked.path["id"])
    asked.caller.require("read", channel_id)
    execution = await operations.get(services.db, channel_id, key_digest)
    evidence = await operations.get_evidence(services.db, channel_id, key_digest)
    return ExecutionReply(execution, evidence)


class ListQuery(msgspec.Struct):
    """Whose operations, and how many."""

    channel_id: Annotated[
        ChannelId | None, Meta(description="Without it: all channels that the credential may read.")
    ] = None
    limit: Annotated[int, Meta(description="1 to 100; other values are clamped.")] = 50
    offset: Annotated[int, Meta(ge=0, le=2**63 - 1, description="Within one channel.")] = 0
    status: Annotated[
        Literal["running", "lapsed", "ambiguous", "completed", "failed", "cancelled"] | None,
        Meta(
            description="Only these; `lapsed` are the running ones whose lease has ended, `ambiguous` those "
            "of them that nobody gets before they are resolved."
        ),
    ] = None
    tool_name: Annotated[Name | None, Meta(description="Across channels: of this tool.")] = None
    key_prefix: Annotated[Name | None, Meta(description="Across channels: keys that begin so.")] = None
    older_than_seconds: Annotated[
        AgeSeconds | None, Meta(description="Across channels: first claimed longer ago.")
    ] = None
    field: Annotated[
        Name | None, Meta(description="Across channels: a top-level field of `params`; needs `value`.")
    ] = None
    value: Annotated[Name | None, Meta(description="What the field holds, as text.")] = None
    after: Annotated[Name | None, Meta(description="Across channels: `next` of a page.")] = None


async def list_newest(services: Services, asked: Asked) -> ExecutionsReply:
    """The operations of a channel, or of all channels, newest first."""
    query: ListQuery = asked.query
    if query.channel_id is None:
        return await _search(services, asked)
    channel_id = check_channel_id(query.channel_id)
    _refuse_search_within_a_channel(query)
    asked.caller.require("read", channel_id)
    found, has_more = await operations.list_newest(
        services.db,
        channel_id,
        status=query.status,
        skip=query.offset,
        most=clamp(query.limit, 1, 100),
    )
    return ExecutionsReply(found, has_more)


def _refuse_search_within_a_channel(query: ListQuery) -> None:
    for name in ("tool_name", "key_prefix", "older_than_seconds", "field", "value", "after"):
        if getattr(query, name) is not None:
            raise errors.InvalidRequestError(
                f"{name!r} searches all channels; leave channel_id out.", field=name
            )


async def _search(services: Services, asked: Asked) -> ExecutionsReply:
    asked.caller.require_any("read")
    query: ListQuery = asked.query
    if (query.field is None) != (query.value is None):
        missing = "value" if query.value is None else "field"
        raise errors.InvalidRequestError("`field` and `value` go together.", field=missing)
    if query.offset:
        raise errors.InvalidRequestError("Across channels, pages go on with `after`.", field="offset")
    found = await operations.search(
        services.db,
        Wanted(
            readable=asked.caller.permissions.readable_like(),
            status=query.status,
            tool_name=query.tool_name,
            key_prefix=query.key_prefix,
            older_than_seconds=query.older_than_seconds,
        ),
        field=query.field,
        value=query.value,
        after=None if query.after is None else _read_place(query.after),
        most=clamp(query.limit, 1, 100),
    )
    place = found.next_place
    return ExecutionsReply(
        found.executions, place is not None, UNSET if place is None else _write_place(place)
    )


def _write_place(place: Place) -> str:
    return f"{microseconds(place.created_at)}~{place.channel_id}~{place.key_digest}"


def _read_place(text: str) -> Place:
    at, _, rest = text.partition("~")
    try:
        if _MICROSECONDS.fullmatch(at) is not None:
            return Place(from_microseconds(int(at)), *split_execution_id(rest))
    except errors.ExecutionNotFoundError:
        pass
    raise errors.InvalidRequestError("`after` is not the `next` of a page.", field="after")


async def delete(services: Services, asked: Asked) -> DeletedReply:
    """Free a key; its events stay."""
    channel_id, key_digest = split_execution_id(asked.path["id"])
    asked.caller.require("delete", channel_id)
    await operations.delete(services.db, channel_id, key_digest)
    return DeletedReply(asked.path["id"])


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
            errors.KeyExpiredError,
            errors.ExecutionAmbiguousError,
            approval_errors.ApprovalPendingError,
            approval_errors.ApprovalRejectedError,
            approval_errors.ApprovalExpiredError,
            approval_errors.ApprovalMismatchError,
            approval_errors.ApprovalNotFoundError,
            errors.ChannelClosedError,
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
        path="/executions/{id}/resolve",
        operation="executions.resolve",
        summary="Say what became of an operation",
        handler=resolve,
        body=ResolveBody,
        reply=SettledReply,
        errors=(
            errors.InvalidRequestError,
            errors.InvalidJsonError,
            errors.PayloadTooLargeError,
            errors.ExecutionNotFoundError,
            errors.ExecutionInProgressError,
            errors.ExecutionTerminalError,
            errors.IdempotencyConflictError,
            errors.ChannelDeletedError,
            errors.OverloadedError,
            errors.UnavailableError,
        ),
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
    Route(
        method="GET",
        path="/executions",
        operation="executions.list",
        summary="Operations of a channel or of all, newest first",
        handler=list_newest,
        query=ListQuery,
        reply=ExecutionsReply,
        errors=(errors.InvalidRequestError,),
    ),
    Route(
        method="GET",
        path="/executions/{id}",
        operation="executions.get",
        summary="One operation",
        handler=get,
        reply=ExecutionReply,
        errors=(errors.ExecutionNotFoundError,),
    ),
    Route(
        method="DELETE",
        path="/executions/{id}",
        operation="executions.delete",
        summary="Free a key",
        handler=delete,
        reply=DeletedReply,
        errors=(errors.ExecutionNotFoundError,),
    ),
)
