"""Every error that the client raises about a call.

ActaeError
├── ActaeConnectionError              no answer, or none that can be read
│   └── InvalidReplyError             an answer came, but not Actae's
├── AuthError                         401: the key or token is missing, unknown or expired
├── RateLimitError                    429
│   └── OverloadedError               overloaded
├── APIError                          every other refusal, by its HTTP status
│   ├── InvalidRequestError           400, 413, 422
│   │   └── PayloadTooLargeError      payload_too_large
│   ├── PermissionDeniedError         403
│   ├── NotFoundError                 404, 405
│   │   ├── ChannelNotFoundError      channel_not_found
│   │   ├── StepNotFoundError         step_not_found
│   │   ├── EventNotFoundError        event_not_found
│   │   ├── ExperimentNotFoundError   experiment_not_found
│   │   ├── WakeupNotFoundError       wakeup_not_found
│   │   ├── GroupNotFoundError        group_not_found
│   │   ├── MemberNotFoundError       member_not_found
│   │   ├── MessageNotFoundError      message_not_found
│   │   ├── GroupForkNotFoundError    fork_not_found
│   │   └── GuardNotFoundError        guard_not_found
│   ├── ConflictError                 409
│   │   ├── ExecutionTerminalError    execution_terminal
│   │   ├── ExecutionAmbiguousError   execution_ambiguous
│   │   ├── ExecutionInProgressError  execution_in_progress
│   │   ├── ExecutionMovedOnError     execution_moved_on
│   │   ├── KeyExpiredError           key_expired
│   │   ├── ChannelClosedError        channel_closed
│   │   ├── ChannelDeletedError       channel_deleted
│   │   ├── ChannelHasForksError      channel_has_forks
│   │   ├── ApprovalNotNeededError    approval_not_needed
│   │   ├── NotAForkError             not_a_fork
│   │   ├── WakeupNotPendingError     wakeup_not_pending
│   │   ├── GuardConflictError        guard_conflict
│   │   ├── GroupConflictError        group_conflict
│   │   ├── MemberConflictError       member_conflict
│   │   ├── MemberLeaseHeldError      member_lease_held
│   │   ├── MemberLeaseLostError      member_lease_lost
│   │   └── EmailTakenError           email_taken
│   └── ServerError                   5xx
│       └── UnavailableError          unavailable
├── VersionConflictError              version_conflict
├── IdempotencyConflictError          idempotency_conflict
├── IdempotencyKeyMismatchError       idempotency_key_mismatch
├── ExecutionNotOwnedError            execution_not_owned
├── ExecutionNotFoundError            execution_not_found
├── ChannelConflictError              channel_conflict
├── SnapshotBoundaryError             snapshot_boundary_required
├── NoRestorableCheckpointError       a session's exact fork found no snapshot
├── ConsumerError                     consumer_not_found
├── CounterfactualBlockedError        counterfactual_blocked
├── ForkToolBlockedError              fork_tool_blocked
├── ApprovalError                     a claim lacks the approval that it needs
│   ├── ApprovalPendingError          approval_pending
│   ├── ApprovalRejectedError         approval_rejected
│   ├── ApprovalExpiredError          approval_expired
│   ├── ApprovalMismatchError         approval_mismatch
│   ├── ApprovalNotFoundError         approval_not_found
│   └── ApprovalSupersededError       who waits for an answer that would not count
├── GuardError                        a guard lets the operation not start
│   ├── ToolFrozenError               tool_frozen
│   ├── BudgetExceededError           budget_exceeded
│   └── NearDuplicateError            near_duplicate
└── SessionError                      a session cannot do what was asked of it
    ├── SessionCompletedError         it has ended
    └── SessionLockedError            somebody else holds its channel

The branches below `APIError` are the statuses; the leaves beside it are the answers that a
program usually handles by name. Bad arguments are `ValueError` and `TypeError`, raised before
anything is sent.
"""

from __future__ import annotations

# One list of what is passed on, not a statement for each.
# isort: off
from actae_client._base_error import ActaeError as ActaeError
from actae_client._claim_errors import (
    ApprovalError as ApprovalError,
    ApprovalExpiredError as ApprovalExpiredError,
    ApprovalMismatchError as ApprovalMismatchError,
    ApprovalNotFoundError as ApprovalNotFoundError,
    ApprovalSupersededError as ApprovalSupersededError,
    ApprovalPendingError as ApprovalPendingError,
    ApprovalRejectedError as ApprovalRejectedError,
    BudgetExceededError as BudgetExceededError,
    GuardError as GuardError,
    NearDuplicateError as NearDuplicateError,
    ToolFrozenError as ToolFrozenError,
)
# isort: on


class ActaeConnectionError(ActaeError):
    """The server gave no answer: refused, unknown name, TLS, time-out, cut off.

    `is_outcome_known` is True when the request cannot have reached the server. Otherwise it may
    have been carried out.
    """

    def __init__(self, message: str = "", *, is_outcome_known: bool = False) -> None:
        super().__init__(message)
        self.is_outcome_known = is_outcome_known


class InvalidReplyError(ActaeConnectionError):
    """What answered is not an Actae server, or the answer was damaged on its way."""


class AuthError(ActaeError):
    """The key or token is missing, unknown, revoked or expired."""

    status_code: int | None = 401


class RateLimitError(ActaeError):
    """Too much was sent; send it again after `retry_after_seconds`."""

    status_code: int | None = 429

    def __init__(self, retry_after_seconds: float, message: str = "") -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class OverloadedError(RateLimitError):
    """More writes are waiting than the server takes."""

    code: str | None = "overloaded"


class APIError(ActaeError):
    """The server refused, with a status that has no class of its own."""

    status_code: int

    def __init__(self, status_code: int, message: str = "") -> None:
        super().__init__(message)
        self.status_code = status_code


class InvalidRequestError(APIError):
    """A value is missing, of the wrong type or out of bounds; `details["field"]` is its path.

    The path begins with the name of the argument, also where that is sent under another name.
    """


class PayloadTooLargeError(InvalidRequestError):
    """The body has more bytes than the server takes; `details["limit"]` is that number."""

    code: str | None = "payload_too_large"


class PermissionDeniedError(APIError):
    """The key is good, but does not reach this."""


class NotFoundError(APIError):
    """What was named does not exist."""


class ChannelNotFoundError(NotFoundError):
    """The channel has neither events nor state."""

    code: str | None = "channel_not_found"


class StepNotFoundError(NotFoundError):
    """The channel has no such step in its index."""

    code: str | None = "step_not_found"


class EventNotFoundError(NotFoundError):
    """No event has this id."""

    code: str | None = "event_not_found"


class ExperimentNotFoundError(NotFoundError):
    """No experiment has this id."""

    code: str | None = "experiment_not_found"


class WakeupNotFoundError(NotFoundError):
    """No wake-up has this id."""

    code: str | None = "wakeup_not_found"


class GroupNotFoundError(NotFoundError):
    """No group has this id."""

    code: str | None = "group_not_found"


class MemberNotFoundError(NotFoundError):
    """The group has no such member."""

    code: str | None = "member_not_found"


class MessageNotFoundError(NotFoundError):
    """No message of this member has this id."""

    code: str | None = "message_not_found"


class GuardNotFoundError(NotFoundError):
    """No guard has this id, or none that the key may look after."""

    code: str | None = "guard_not_found"


class GroupForkNotFoundError(NotFoundError):
    """No group fork has this id."""

    code: str | None = "fork_not_found"


class ConflictError(APIError):
    """What is recorded speaks against the request."""


class ExecutionTerminalError(ConflictError):
    """The operation has ended in another way: under the same token, or before somebody resolved it."""

    code: str | None = "execution_terminal"


class ExecutionAmbiguousError(ConflictError):
    """Its owner was lost, or gave up, when the tool may have run: nobody gets it before it is resolved."""

    code: str | None = "execution_ambiguous"


class ExecutionInProgressError(ConflictError):
    """Its owner holds a live lease, so there is nothing to resolve yet."""

    code: str | None = "execution_in_progress"


class ExecutionMovedOnError(ConflictError):
    """Another attempt has begun since somebody looked: what they found says nothing about it."""

    code: str | None = "execution_moved_on"


class KeyExpiredError(ConflictError):
    """The key has lived for as long as its first claim said; it names nothing new."""

    code: str | None = "key_expired"


class ChannelClosedError(ConflictError):
    """The channel takes no more writes; it can still be read."""

    code: str | None = "channel_closed"


class ChannelDeletedError(ConflictError):
    """The channel was deleted; its id is not used again."""

    code: str | None = "channel_deleted"


class ChannelHasForksError(ConflictError):
    """Forks still read their inherited steps through this channel."""

    code: str | None = "channel_has_forks"


class ApprovalNotNeededError(ConflictError):
    """The operation that somebody would be asked about has happened; claiming it replays its result."""

    code: str | None = "approval_not_needed"


class NotAForkError(ConflictError):
    """The channel was not forked from another one, so it has no receipt and no parent."""

    code: str | None = "not_a_fork"


class WakeupNotPendingError(ConflictError):
    """The wake-up has fired, has failed, or was cancelled before."""

    code: str | None = "wakeup_not_pending"


class GuardConflictError(ConflictError):
    """The id names another guard."""

    code: str | None = "guard_conflict"


class GroupConflictError(ConflictError):
    """The group exists, and is not the one that was described."""

    code: str | None = "group_conflict"


class MemberConflictError(ConflictError):
    """The member exists with another channel, role or metadata."""

    code: str | None = "member_conflict"


class MemberLeaseHeldError(ConflictError):
    """Another owner holds the member; `details["lease_until"]` says until when."""

    code: str | None = "member_lease_held"


class MemberLeaseLostError(ConflictError):
    """The member was taken over or released, or its lease could not be renewed: stop working for it."""

    code: str | None = "member_lease_lost"


class EmailTakenError(ConflictError):
    """An account with this email exists."""

    code: str | None = "email_taken"


class ServerError(APIError):
    """The server, or something in front of it, is in trouble."""


class UnavailableError(ServerError):
    """The server could not reach its database; the outcome of a write is unknown."""

    code: str | None = "unavailable"


class VersionConflictError(ActaeError):
    """`expected_version` or `expected_cursor` is not the latest snapshot's."""

    code: str | None = "version_conflict"

    @property
    def current_version(self) -> int | None:
        """The version that the server has, where it said so; 0 is "no snapshot"."""
        return self.details.get("current_version")

    @property
    def current_cursor(self) -> int | None:
        """The cursor of that version, where the server said so."""
        return self.details.get("current_cursor")


class IdempotencyConflictError(ActaeError):
    """The operation id already names a write with other content."""

    code: str | None = "idempotency_conflict"


class IdempotencyKeyMismatchError(ActaeError):
    """The execution key already names an operation with other input."""

    code: str | None = "idempotency_key_mismatch"


class ExecutionNotOwnedError(ActaeError):
    """The claim token is not the one that holds the operation now."""

    code: str | None = "execution_not_owned"


class ExecutionNotFoundError(ActaeError):
    """No operation has this id."""

    code: str | None = "execution_not_found"


class ChannelConflictError(ActaeError):
    """A fork of this name exists, with another source or boundary."""

    code: str | None = "channel_conflict"


class SnapshotBoundaryError(ActaeError):
    """No snapshot lies at or before the cursor of the fork."""

    code: str | None = "snapshot_boundary_required"


class NoRestorableCheckpointError(ActaeError):
    """A session's exact fork found no snapshot to start from; `code` and `details` are the server's."""

    hint: str | None = "Give the session a state_fn, fork at a later step, or choose another boundary_mode."


class ConsumerError(ActaeError):
    """The consumer or its group is unknown, or its lease has lapsed."""

    code: str | None = "consumer_not_found"


class CounterfactualBlockedError(ActaeError):
    """A frozen member of a group fork, or a policy of that fork, refused work."""

    code: str | None = "counterfactual_blocked"


class ForkToolBlockedError(ActaeError):
    """The fork's tool policy refused the call; `boundary` is the id of the event that says so."""

    code: str | None = "fork_tool_blocked"

    @property
    def boundary(self) -> str | None:
        """The id of the `tool.blocked` event, where the server said so."""
        return self.details.get("boundary")


class SessionError(ActaeError):
    """A session cannot do what was asked: it is not open, has no such step, or is unknown."""

    code: str | None = "session_error"


class SessionCompletedError(SessionError):
    """The session has ended, and is neither resumed nor stepped; fork it to go on from a step."""

    code: str | None = "session_completed"
    hint: str | None = "Fork it at a step to go on from there."


class SessionLockedError(SessionError):
    """Another owner holds the session's channel, or took it over."""

    code: str | None = "session_locked"
    hint: str | None = "Resume it when the other session has ended, or its lease has."
