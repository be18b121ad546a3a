"""Refusals about operations whose outcome nobody knows, and about keys whose time is over."""

from datetime import datetime

from actae.domain.errors import ConflictError


class ExecutionAmbiguousError(ConflictError):
    """The tool may have run: nobody gets it before it is resolved.

    Its owner was lost, or gave up. Or it was resolved as not applied, and a worker has reported a result
    since: then `late_evidence_cursor` is where, and only claims that allow no second run are refused.
    """

    code = "execution_ambiguous"
    hint = (
        "Ask the provider whether the effect happened, then resolve the operation as applied (with the "
        "result) or not_applied."
    )

    def __init__(
        self,
        execution_id: str,
        key_name: str,
        *,
        attempts: int,
        is_given_up: bool = False,
        late_evidence_cursor: int | None = None,
    ) -> None:
        why = "its owner could not tell" if is_given_up else "its owner was lost on the way"
        details: dict[str, object] = {}
        if late_evidence_cursor is not None:
            why = "it was resolved as not applied, and a worker has reported a result since"
            details["late_evidence_cursor"] = late_evidence_cursor
            details["hint"] = (
                f"Look at the late evidence at cursor {late_evidence_cursor}, then resolve the operation "
                "anew: as applied (with that result) or not_applied."
            )
        super().__init__(
            f"Nobody knows whether attempt {attempts} of {key_name!r} took effect: {why}.",
            execution_id=execution_id,
            key_name=key_name,
            attempts=attempts,
            **details,
        )


class ExecutionInProgressError(ConflictError):
    """Its owner holds a live lease, so there is nothing to resolve yet."""

    code = "execution_in_progress"
    hint = "Wait for its owner, or until the lease has ended."

    def __init__(self, execution_id: str, *, lease_until: datetime) -> None:
        super().__init__(
            f"Operation {execution_id!r} is held until {lease_until:%Y-%m-%dT%H:%M:%SZ}.",
            execution_id=execution_id,
            lease_until=lease_until,
        )


class ExecutionMovedOnError(ConflictError):
    """Another attempt has begun since somebody looked: what they found says nothing about it."""

    code = "execution_moved_on"
    hint = "Look at the operation again, and resolve the attempt that you see."

    def __init__(self, execution_id: str, *, attempts: int, looked_at: int) -> None:
        super().__init__(
            f"Operation {execution_id!r} is at attempt {attempts}; attempt {looked_at} was looked at.",
            execution_id=execution_id,
            attempts=attempts,
        )


class KeyExpiredError(ConflictError):
    """The key has lived for as long as its first claim said. It answers no more, and names nothing new."""

    code = "key_expired"
    hint = "Choose a new key for a new operation; the old one's record can still be read by its id."

    def __init__(self, key_name: str, execution_id: str, expires_at: datetime, *, held_status: str) -> None:
        stands = "never ended: its lease has lapsed" if held_status == "running" else f"is {held_status}"
        super().__init__(
            f"Key {key_name!r} expired at {expires_at:%Y-%m-%dT%H:%M:%SZ}; its operation {stands}.",
            key_name=key_name,
            execution_id=execution_id,
            execution_status=held_status,
            expires_at=expires_at,
        )
