"""What a claim is told that lacks the approval it needs, and who asks for one in vain.

Their place in the tree is in `errors.py`.
"""

from actae.domain.errors import ConflictError, MissingError


class ApprovalPendingError(ConflictError):
    """Somebody was asked to approve the operation, and has not answered."""

    code = "approval_pending"
    hint = "Wait for the decision (`approval.decided`), then claim again."

    def __init__(self, key_name: str, approval_request_id: str) -> None:
        super().__init__(
            f"Key {key_name!r} waits for an answer to request {approval_request_id!r}.",
            key_name=key_name,
            approval_request_id=approval_request_id,
        )


class ApprovalRejectedError(ConflictError):
    """The latest answer about the operation is no, or its approval was withdrawn."""

    code = "approval_rejected"
    hint = "Do not run the tool. The event at `decided_cursor` says who decided, and perhaps why."

    def __init__(self, key_name: str, approval_request_id: str, *, decided_cursor: int | None) -> None:
        super().__init__(
            f"Request {approval_request_id!r} to run key {key_name!r} was rejected.",
            key_name=key_name,
            approval_request_id=approval_request_id,
            decided_cursor=decided_cursor,
        )


class ApprovalExpiredError(ConflictError):
    """Nobody answered in time, or the operation that was approved has been deleted since."""

    code = "approval_expired"
    hint = "Ask again, under a new request id."

    def __init__(self, key_name: str, approval_request_id: str) -> None:
        super().__init__(
            f"Request {approval_request_id!r} to approve key {key_name!r} has expired.",
            key_name=key_name,
            approval_request_id=approval_request_id,
        )


class ApprovalMismatchError(ConflictError):
    """The claim is not the call that somebody was asked to approve, in something that the approval binds."""

    code = "approval_mismatch"
    hint = "Claim with the input that was asked about, or ask about this one, under a new request id."

    def __init__(self, key_name: str, approval_request_id: str, *, approval_status: str) -> None:
        super().__init__(
            f"Request {approval_request_id!r} to approve key {key_name!r} is about other input; "
            f"it is {approval_status}.",
            key_name=key_name,
            approval_request_id=approval_request_id,
            approval_status=approval_status,
        )


class ApprovalNotNeededError(ConflictError):
    """Somebody would be asked about an operation that has happened already."""

    code = "approval_not_needed"
    hint = "Claim the key: its result is replayed, and nothing is run."

    def __init__(self, key_name: str, *, execution_id: str) -> None:
        super().__init__(
            f"Key {key_name!r} is completed; nothing about it is left to approve.",
            key_name=key_name,
            execution_id=execution_id,
        )


class ApprovalNotFoundError(MissingError):
    """The claim insists on an approval, and its operation was not asked about, or not under that id."""

    code = "approval_not_found"
    hint = "Record an `approval.requested` that names the operation: key, tool and params."

    def __init__(
        self, key_name: str, approval_request_id: str | None, *, governing_request_id: str | None
    ) -> None:
        if approval_request_id is None:
            message = f"Nobody was asked to approve key {key_name!r}."
        elif governing_request_id is None:
            message = f"Request {approval_request_id!r} is not bound to key {key_name!r}, nor is any other."
        else:
            message = (
                f"Request {approval_request_id!r} is not the latest that is bound to key {key_name!r}; "
                f"that is {governing_request_id!r}."
            )
        super().__init__(
            message,
            key_name=key_name,
            approval_request_id=approval_request_id,
            governing_request_id=governing_request_id,
        )
