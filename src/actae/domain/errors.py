"""Every error that a caller can meet.

ActaeError
├── BadInputError
│   ├── InvalidRequestError           invalid_request
│   ├── InvalidJsonError              invalid_json
│   └── PayloadTooLargeError          payload_too_large
├── AccessError
│   ├── UnauthorizedError             unauthorized
│   ├── InvalidCredentialsError       invalid_credentials
│   ├── CrossSiteRequestError         cross_site_request
│   └── ForbiddenError                forbidden
├── MissingError
│   ├── RouteNotFoundError            not_found
│   ├── MethodNotAllowedError         method_not_allowed
│   ├── ChannelNotFoundError          channel_not_found
│   ├── StepNotFoundError             step_not_found
│   ├── EventNotFoundError            event_not_found
│   ├── ReceiptNotFoundError          not_a_fork
│   ├── ExecutionNotFoundError        execution_not_found
│   ├── ExperimentNotFoundError       experiment_not_found
│   ├── WakeupNotFoundError           wakeup_not_found
│   ├── KeyNotFoundError              key_not_found
│   ├── ApprovalNotFoundError         approval_not_found
│   ├── GuardNotFoundError            guard_not_found
│   ├── GroupNotFoundError            group_not_found
│   ├── MemberNotFoundError           member_not_found
│   ├── MessageNotFoundError          message_not_found
│   └── GroupForkNotFoundError        fork_not_found
├── ConflictError
│   ├── VersionConflictError          version_conflict
│   ├── IdempotencyConflictError      idempotency_conflict
│   ├── IdempotencyKeyMismatchError   idempotency_key_mismatch
│   ├── ExecutionNotOwnedError        execution_not_owned
│   ├── ExecutionTerminalError        execution_terminal
│   ├── ExecutionAmbiguousError       execution_ambiguous
│   ├── ExecutionInProgressError      execution_in_progress
│   ├── KeyExpiredError               key_expired
│   ├── SnapshotBoundaryError         snapshot_boundary_required
│   ├── ChannelConflictError          channel_conflict
│   ├── ForkToolBlockedError          fork_tool_blocked
│   ├── ApprovalPendingError          approval_pending
│   ├── ApprovalRejectedError         approval_rejected
│   ├── ApprovalExpiredError          approval_expired
│   ├── ApprovalMismatchError         approval_mismatch
│   ├── ToolFrozenError               tool_frozen
│   ├── BudgetExceededError           budget_exceeded
│   ├── NearDuplicateError            near_duplicate
│   ├── GuardConflictError            guard_conflict
│   ├── ApprovalNotNeededError        approval_not_needed
│   ├── CounterfactualBlockedError    counterfactual_blocked
│   ├── NotAForkError                 not_a_fork
│   ├── ChannelClosedError            channel_closed
│   ├── ChannelDeletedError           channel_deleted
│   ├── ChannelHasForksError          channel_has_forks
│   ├── WakeupNotPendingError         wakeup_not_pending
│   ├── ConsumerNotFoundError         consumer_not_found
│   ├── GroupConflictError            group_conflict
│   ├── MemberConflictError           member_conflict
│   ├── MemberLeaseHeldError          member_lease_held
│   ├── MemberLeaseLostError          member_lease_lost
│   └── EmailTakenError               email_taken
└── TroubleError
    ├── RateLimitedError              rate_limited
    ├── OverloadedError               overloaded
    ├── TooManyReadersError           too_many_readers
    ├── UnavailableError              unavailable
    └── InternalError                 internal

Those about approvals, groups, guards, outcomes, retention, sessions and keys are in files of
their own, such as `guard_errors.py`. `code` is stable and travels as `status`; what a status means for
a retry is decided in `transport/error_replies.py`, which alone knows HTTP.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar


class ActaeError(Exception):
    """Base of everything a caller can meet.

    `details` holds the values that help (JSON-able); `hint` says what to do next where the
    sentence itself does not.
    """

    code: ClassVar[str]
    hint: ClassVar[str | None] = None
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class BadInputError(ActaeError):
    """What was sent cannot be accepted, whenever it is sent."""


class InvalidRequestError(BadInputError):
    """A value is missing, of the wrong type or out of bounds. `field` is its path."""

    code = "invalid_request"

    def __init__(self, message: str, *, field: str | None = None, **details: object) -> None:
        if field is not None:
            details["field"] = field
        super().__init__(message, **details)


class InvalidJsonError(BadInputError):
    """The body is not JSON: bad syntax, bad UTF-8, NaN, or nested too deeply."""

    code = "invalid_json"


class PayloadTooLargeError(BadInputError):
    """The body is larger than the server takes."""

    code = "payload_too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(f"The body is larger than {limit} bytes, the most this server takes.", limit=limit)


class AccessError(ActaeError):
    """Who calls is unknown, or may not do this."""


class UnauthorizedError(AccessError):
    """No credential, or one that is unknown, revoked or expired."""

    code = "unauthorized"
    hint = "Send a valid key in the x-api-key header; `actae keys create` makes one."


class InvalidCredentialsError(AccessError):
    """Unknown email or wrong password; which of the two is not said."""

    code = "invalid_credentials"

    def __init__(self) -> None:
        super().__init__("Email and password do not match an account.")


class ForbiddenError(AccessError):
    """The credential is good, but does not reach this."""

    code = "forbidden"
    hint = "`actae keys list` shows what a key may do."


class MissingError(ActaeError):
    """What was named does not exist."""


class RouteNotFoundError(MissingError):
    """No such route."""

    code = "not_found"
    hint = "The routes are listed at /docs."


class MethodNotAllowedError(MissingError):
    """The route exists, but not for this method."""

    code = "method_not_allowed"


class ChannelNotFoundError(MissingError):
    """The channel has neither events nor state."""

    code = "channel_not_found"

    def __init__(self, channel_id: str) -> None:
        super().__init__(f"Channel {channel_id!r} has neither events nor state.", channel_id=channel_id)


class StepNotFoundError(MissingError):
    """The channel has no such step in its index."""

    code = "step_not_found"

    def __init__(self, channel_id: str, step_number: int) -> None:
        super().__init__(
            f"Channel {channel_id!r} has no step {step_number}.",
            channel_id=channel_id,
            step_number=step_number,
        )


class EventNotFoundError(MissingError):
    """No event has this id."""

    code = "event_not_found"

    def __init__(self, event_id: str) -> None:
        super().__init__(f"No event has the id {event_id!r}.", event_id=event_id)


class ExecutionNotFoundError(MissingError):
    """No operation has this id. The published SDK looks for the code inside the sentence."""

    code = "execution_not_found"

    def __init__(self, execution_id: str) -> None:
        super().__init__(f"execution_not_found: no operation has the id {execution_id!r}.")


class ExperimentNotFoundError(MissingError):
    """No experiment has this id, or none of its members may be read."""

    code = "experiment_not_found"

    def __init__(self, group_id: str) -> None:
        super().__init__(f"No experiment has the id {group_id!r}.", group_id=group_id)


class WakeupNotFoundError(MissingError):
    """No wake-up has this id."""

    code = "wakeup_not_found"

    def __init__(self, wakeup_id: str) -> None:
        super().__init__(f"No wake-up has the id {wakeup_id!r}.", wakeup_id=wakeup_id)


class ReceiptNotFoundError(MissingError):
    """The channel exists, but was not forked from another one, so it has no receipt."""

    code = "not_a_fork"

    def __init__(self, channel_id: str) -> None:
        super().__init__(f"Channel {channel_id!r} is no fork and has no receipt.", channel_id=channel_id)


class ConflictError(ActaeError):
    """The request is fine; what is recorded speaks against it."""


class VersionConflictError(ConflictError):
    """`expected_version` or `expected_cursor` is not the latest snapshot's."""

    code = "version_conflict"
    hint = "Load the latest state, apply the change to it, and send the new expectation."

    def __init__(self, *, current_version: int, current_cursor: int) -> None:
        super().__init__(
            f"The latest snapshot is version {current_version} at cursor {current_cursor}, "
            "which is not what was expected.",
            current_version=current_version,
            current_cursor=current_cursor,
        )


class IdempotencyConflictError(ConflictError):
    """The operation id already names a write with other content."""

    code = "idempotency_conflict"
    hint = "Send the first content again, or choose a new operation_id."

    def __init__(self, operation_id: str, *, what: str = "Operation id") -> None:
        super().__init__(f"{what} {operation_id!r} was used for other content.", operation_id=operation_id)


class IdempotencyKeyMismatchError(ConflictError):
    """The key already names an operation with other input."""

    code = "idempotency_key_mismatch"
    hint = "Send the first input again, or choose a new key. `dedup_fields` leaves volatile fields out."

    def __init__(
        self, key_name: str, *, execution_id: str, held_status: str, first_claimed_at: datetime
    ) -> None:
        super().__init__(
            f"Key {key_name!r} was first claimed at {first_claimed_at:%Y-%m-%dT%H:%M:%SZ} with other input; "
            f"that operation is {held_status}.",
            key_name=key_name,
            execution_id=execution_id,
            execution_status=held_status,
        )


class ExecutionNotOwnedError(ConflictError):
    """The claim token is not the one that holds the operation now."""

    code = "execution_not_owned"
    hint = (
        "Another worker took this operation over, somebody has resolved it, or it has ended. "
        "Claim the key again to learn its outcome."
    )

    def __init__(self, execution_id: str, *, held_status: str) -> None:
        super().__init__(
            f"The claim token does not own operation {execution_id!r}, which is {held_status}.",
            execution_id=execution_id,
            execution_status=held_status,
        )


class ExecutionTerminalError(ConflictError):
    """The operation has ended in another way: under the same token, or before somebody resolved it."""

    code = "execution_terminal"
    hint = (
        "The recorded end stands. If it says that there was no effect although the tool has run, "
        "reconcile before the key is claimed again."
    )

    def __init__(self, execution_id: str, *, held_status: str) -> None:
        super().__init__(
            f"Operation {execution_id!r} has already ended as {held_status}.",
            execution_id=execution_id,
            execution_status=held_status,
        )
        if held_status == "completed":
            self.details["hint"] = f"It stands. Its result: `actae executions show {execution_id}`."


class SnapshotBoundaryError(ConflictError):
    """There is no snapshot at or before the cursor to fork from."""

    code = "snapshot_boundary_required"
    hint = "Save states earlier, fork later, or inherit none: copy_state=false."

    def __init__(self, channel_id: str, at_cursor: int) -> None:
        super().__init__(
            f"Channel {channel_id!r} has no snapshot at or before cursor {at_cursor}.",
            channel_id=channel_id,
            at_cursor=at_cursor,
        )


class ChannelConflictError(ConflictError):
    """The channel to be made exists, and is not the same fork."""

    code = "channel_conflict"
    hint = "Choose another new_channel_id, or repeat the fork exactly as it was made."

    def __init__(self, channel_id: str) -> None:
        super().__init__(
            f"Channel {channel_id!r} exists with another source, boundary or tool policies.",
            channel_id=channel_id,
        )


class ForkToolBlockedError(ConflictError):
    """A fork's tool policy refused the call; `boundary` is the id of the `tool.blocked` event."""

    code = "fork_tool_blocked"
    hint = "Do not run the tool. The policies of a fork are chosen when it is made."

    def __init__(
        self, tool_name: str, key_name: str, *, policy: str, reason: str, boundary: str | None
    ) -> None:
        super().__init__(
            f"The fork's policy {policy!r} for tool {tool_name!r} refuses key {key_name!r}: {reason}.",
            tool_name=tool_name,
            key_name=key_name,
            policy=policy,
            boundary=boundary,
        )


class CounterfactualBlockedError(ConflictError):
    """A group fork refused work: the member is frozen, or a tool policy of the fork forbids the call.

    `boundary` is then the id of the `tool.blocked` event.
    """

    code = "counterfactual_blocked"
    hint = "Do not repeat it. A frozen member takes part once it is promoted; tool policies never change."

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message, **details)

    @classmethod
    def of_frozen(cls, channel_id: str) -> "CounterfactualBlockedError":
        """The channel belongs to a frozen member."""
        return cls(
            f"Channel {channel_id!r} belongs to a frozen member of a group fork and takes no writes.",
            channel_id=channel_id,
        )


class NotAForkError(ConflictError):
    """The channel was not forked from another one."""

    code = "not_a_fork"

    def __init__(self, channel_id: str) -> None:
        super().__init__(f"Channel {channel_id!r} is no fork.", channel_id=channel_id)


class ChannelClosedError(ConflictError):
    """The channel takes no more writes; it can still be read."""

    code = "channel_closed"

    def __init__(self, channel_id: str) -> None:
        super().__init__(f"Channel {channel_id!r} is closed.", channel_id=channel_id)


class ChannelDeletedError(ConflictError):
    """The channel was deleted; its id is not used again."""

    code = "channel_deleted"

    def __init__(self, channel_id: str) -> None:
        super().__init__(f"Channel {channel_id!r} was deleted.", channel_id=channel_id)


class ChannelHasForksError(ConflictError):
    """Forks still read their inherited steps and effects through this channel."""

    code = "channel_has_forks"
    hint = "Delete the forks first; recursive=true deletes a channel together with them."

    def __init__(self, channel_id: str, forks: Sequence[str]) -> None:
        super().__init__(
            f"Channel {channel_id!r} has forks that read from it.", channel_id=channel_id, forks=list(forks)
        )


class WakeupNotPendingError(ConflictError):
    """The wake-up has fired, has failed, or was cancelled before."""

    code = "wakeup_not_pending"

    def __init__(self, wakeup_id: str, *, wakeup_status: str) -> None:
        super().__init__(
            f"Wake-up {wakeup_id!r} is {wakeup_status}, not pending.",
            wakeup_id=wakeup_id,
            wakeup_status=wakeup_status,
        )


class EmailTakenError(ConflictError):
    """An account with this email exists."""

    code = "email_taken"

    def __init__(self) -> None:
        super().__init__("An account with this email exists.")


class TroubleError(ActaeError):
    """Nothing is wrong with the request; the same one may be sent again."""

    retryable = True


class RateLimitedError(TroubleError):
    """This key, or this caller, has sent too much."""

    code = "rate_limited"

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(
            f"Too many requests. Try again in {retry_after_seconds} s.",
            retry_after_seconds=retry_after_seconds,
        )


class OverloadedError(TroubleError):
    """The write queue is full."""

    code = "overloaded"

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(
            f"More writes are waiting than this server takes. Try again in {retry_after_seconds} s.",
            retry_after_seconds=retry_after_seconds,
        )


class TooManyReadersError(TroubleError):
    """A process, or a connection, has as many readers as it takes."""

    code = "too_many_readers"

    def __init__(self, sentence: str, limit: int) -> None:
        super().__init__(sentence, limit=limit, retry_after_seconds=5)


class UnavailableError(TroubleError):
    """The database cannot be reached, has no room, or was lost while the write was under way.

    The outcome of that write is then unknown. Every write carries an identity, so it may be repeated.
    """

    code = "unavailable"


class InternalError(TroubleError):
    """A defect of the server. Details are in its log under the request id."""

    code = "internal"
    retryable = False
