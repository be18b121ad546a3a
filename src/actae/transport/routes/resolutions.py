"""Saying what became of an operation whose outcome nobody knew."""

from typing import Annotated

import msgspec
from msgspec import Meta, Raw

from actae.domain import errors, outcome_errors
from actae.domain.fingerprint import content_digest
from actae.domain.identity import identify
from actae.domain.resolutions import Outcome, Resolve
from actae.operations import executions as operations
from actae.transport.digests import digest_aside
from actae.transport.fields import NULL, Name, OperationId, Text
from actae.transport.operation_ids import operation_id_of
from actae.transport.route import Asked, Route
from actae.transport.routes.executions import SettledReply, owned
from actae.transport.services import Services

Attempts = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class ResolveBody(msgspec.Struct):
    """What happened, who says so, and on what grounds."""

    outcome: Outcome
    by: Name
    result: Annotated[Raw, Meta(description="With `applied`: what the operation replays from now on.")] = NULL
    reason: Text | None = None
    evidence: Annotated[Raw, Meta(description="What was looked at: any JSON.")] = NULL
    attempts: Annotated[
        Attempts | None,
        Meta(description="The operation's `attempts` when you looked; refused if there are more now."),
    ] = None
    operation_id: OperationId | None = None


async def resolve(services: Services, asked: Asked) -> SettledReply:
    """Say what became of an operation that nobody holds and that is not completed.

    `applied` completes it with the result; `not_applied` lets the next claimer have it; `unknown` only
    records who looked. Whoever held it before is fenced out by the first two.
    """
    channel_id, key_digest = owned(asked)
    body: ResolveBody = asked.body
    result, evidence = bytes(body.result), bytes(body.evidence)
    if body.outcome != "applied" and result != b"null":
        raise errors.InvalidRequestError("Only `applied` has a result.", field="result")
    identity = None
    operation_id = operation_id_of(body.operation_id, asked.headers)
    if operation_id is not None:
        content = await digest_aside(
            len(result) + len(evidence),
            content_digest,
            body.outcome,
            body.by,
            body.reason,
            None if body.attempts is None else str(body.attempts),
            result,
            evidence,
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
        body.attempts,
    )
    return SettledReply(*await operations.settle(services.writer, ask, services.observe))


ROUTES = (
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
            outcome_errors.ExecutionMovedOnError,
            outcome_errors.ExecutionInProgressError,
            errors.ExecutionTerminalError,
            errors.IdempotencyConflictError,
            errors.ChannelDeletedError,
            errors.OverloadedError,
            errors.UnavailableError,
        ),
    ),
)
