"""The one table from error to status. 429 and 5xx invite the same call again; nothing else does,
so choosing a status is choosing a retry policy.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from actae.domain import (
    access_errors,
    approval_errors,
    errors,
    group_errors,
    guard_errors,
    outcome_errors,
    retention_errors,
)

STATUSES: Final[Mapping[type[errors.ActaeError], int]] = MappingProxyType(
    {
        errors.InvalidRequestError: 400,
        errors.InvalidJsonError: 400,
        errors.PayloadTooLargeError: 413,
        errors.UnauthorizedError: 401,
        errors.InvalidCredentialsError: 401,
        access_errors.CrossSiteRequestError: 403,
        errors.ForbiddenError: 403,
        errors.RouteNotFoundError: 404,
        errors.MethodNotAllowedError: 405,
        errors.ChannelNotFoundError: 404,
        errors.StepNotFoundError: 404,
        errors.EventNotFoundError: 404,
        errors.ExecutionNotFoundError: 404,
        errors.ExperimentNotFoundError: 404,
        approval_errors.ApprovalNotFoundError: 404,
        errors.WakeupNotFoundError: 404,
        access_errors.KeyNotFoundError: 404,
        retention_errors.RetentionPolicyNotFoundError: 404,
        guard_errors.GuardNotFoundError: 404,
        group_errors.GroupNotFoundError: 404,
        group_errors.MemberNotFoundError: 404,
        group_errors.MessageNotFoundError: 404,
        group_errors.GroupForkNotFoundError: 404,
        errors.ReceiptNotFoundError: 404,
        errors.VersionConflictError: 409,
        errors.IdempotencyConflictError: 409,
        errors.IdempotencyKeyMismatchError: 409,
        errors.ExecutionNotOwnedError: 409,
        errors.ExecutionTerminalError: 409,
        outcome_errors.ExecutionAmbiguousError: 409,
        outcome_errors.ExecutionInProgressError: 409,
        outcome_errors.ExecutionMovedOnError: 409,
        outcome_errors.KeyExpiredError: 409,
        errors.SnapshotBoundaryError: 409,
        errors.ChannelConflictError: 409,
        errors.ForkToolBlockedError: 409,
        approval_errors.ApprovalPendingError: 409,
        approval_errors.ApprovalRejectedError: 409,
        approval_errors.ApprovalExpiredError: 409,
        approval_errors.ApprovalMismatchError: 409,
        guard_errors.ToolFrozenError: 409,
        guard_errors.BudgetExceededError: 409,
        guard_errors.NearDuplicateError: 409,
        guard_errors.GuardConflictError: 409,
        approval_errors.ApprovalNotNeededError: 409,
        errors.CounterfactualBlockedError: 409,
        errors.NotAForkError: 409,
        errors.ChannelClosedError: 409,
        errors.ChannelDeletedError: 409,
        errors.ChannelHasForksError: 409,
        errors.WakeupNotPendingError: 409,
        group_errors.ConsumerNotFoundError: 409,
        group_errors.GroupConflictError: 409,
        group_errors.MemberConflictError: 409,
        group_errors.MemberLeaseHeldError: 409,
        group_errors.MemberLeaseLostError: 409,
        errors.EmailTakenError: 409,
        errors.RateLimitedError: 429,
        errors.OverloadedError: 429,
        errors.TooManyReadersError: 429,
        errors.UnavailableError: 503,
        errors.InternalError: 500,
    }
)


def error_status(error: errors.ActaeError) -> int:
    """The HTTP status of an error."""
    return STATUSES[type(error)]


def error_body(error: errors.ActaeError, request_id: str) -> bytes:
    """`status` and `error` first, as every client reads them; then whatever helps."""
    body = {"status": error.code, "error": error.message, **helpful_fields(error)}
    body["request_id"] = request_id
    return msgspec.json.encode(body)


def helpful_fields(error: errors.ActaeError) -> dict[str, object]:
    """What stands beside an error's code and sentence, over HTTP and over a WebSocket alike."""
    hint = {} if error.hint is None else {"hint": error.hint}
    return {**hint, "retryable": error.retryable, **error.details}


def error_headers(error: errors.ActaeError) -> list[tuple[bytes, bytes]]:
    """What stands in the header beside the usual."""
    seconds = error.details.get("retry_after_seconds")
    if seconds is not None:
        return [(b"retry-after", str(seconds).encode())]
    if isinstance(error, errors.MethodNotAllowedError):
        return [(b"allow", str(error.details["allow"]).encode())]
    if isinstance(error, errors.UnauthorizedError):
        return [(b"www-authenticate", b"ApiKey")]
    return []
