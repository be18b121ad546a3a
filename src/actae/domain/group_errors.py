"""Refusals about groups, their members and consumers, leases and mail. The tree is in `errors.py`."""

from datetime import datetime

from actae.domain.errors import ConflictError, MissingError


class MemberNotFoundError(MissingError):
    """The group has no such member, or it may not be seen."""

    code = "member_not_found"

    def __init__(self, group_id: str, member_id: str) -> None:
        super().__init__(
            f"Group {group_id!r} has no member {member_id!r}.", group_id=group_id, member_id=member_id
        )


class MessageNotFoundError(MissingError):
    """No message has this id; with `after`, none of this member's."""

    code = "message_not_found"

    def __init__(self, message_id: str) -> None:
        super().__init__(f"No message has the id {message_id!r}.", message_id=message_id)


class GroupForkNotFoundError(MissingError):
    """No group fork has this id, or none of its members may be seen."""

    code = "fork_not_found"

    def __init__(self, fork_group_id: str) -> None:
        super().__init__(f"No group fork has the id {fork_group_id!r}.", fork_group_id=fork_group_id)


class MemberConflictError(ConflictError):
    """The member exists with another channel, role or metadata."""

    code = "member_conflict"
    hint = "A member stays what it was added as. Choose another member_id."

    def __init__(self, group_id: str, member_id: str) -> None:
        super().__init__(
            f"Group {group_id!r} has a member {member_id!r} with another channel, role or metadata.",
            group_id=group_id,
            member_id=member_id,
        )


class MemberLeaseHeldError(ConflictError):
    """Another owner holds the member."""

    code = "member_lease_held"
    hint = "Claim it again when the lease has ended or was released."

    def __init__(self, group_id: str, member_id: str, *, lease_until: datetime) -> None:
        super().__init__(
            f"Member {member_id!r} of group {group_id!r} is held by another owner "
            f"until {lease_until:%Y-%m-%dT%H:%M:%SZ}.",
            group_id=group_id,
            member_id=member_id,
            lease_until=lease_until,
        )


class MemberLeaseLostError(ConflictError):
    """Owner and generation are not those that hold the member now."""

    code = "member_lease_lost"
    hint = "Stop working for this member: it was taken over or released. Claim it again to go on."

    def __init__(self, group_id: str, member_id: str, *, current_generation: int) -> None:
        super().__init__(
            f"This owner and generation do not hold member {member_id!r} of group {group_id!r}; "
            f"its generation is {current_generation}.",
            group_id=group_id,
            member_id=member_id,
            current_generation=current_generation,
        )


class GroupNotFoundError(MissingError):
    """No group has this id, or what belongs to it may not be seen."""

    code = "group_not_found"

    def __init__(self, group_id: str) -> None:
        super().__init__(f"No group has the id {group_id!r}.", group_id=group_id)


class GroupConflictError(ConflictError):
    """The group exists, and is not the one that was described."""

    code = "group_conflict"
    hint = "Choose another id, or repeat the call exactly as it was made."

    def __init__(self, group_id: str) -> None:
        super().__init__(f"Group {group_id!r} exists and is another one.", group_id=group_id)


class ConsumerNotFoundError(ConflictError):
    """The consumer holds no lease: it never joined, its lease has lapsed, or there is no such group."""

    code = "consumer_not_found"
    hint = (
        "Create the group, join it, then ask for work; a consumer whose lease has lapsed joins again. "
        "What was in its hands and not acknowledged may be with another one by now."
    )

    def __init__(self, group_id: str, consumer_id: str, why: str) -> None:
        super().__init__(
            f"Consumer {consumer_id!r} holds no lease in group {group_id!r}: {why}.",
            group_id=group_id,
            consumer_id=consumer_id,
        )
