"""Who holds a member: every cell of the table."""

from datetime import datetime

import msgspec
import pytest

from actae.domain import member_leases
from actae.domain.errors import ActaeError
from actae.domain.execution_groups import GroupMember, show_member
from actae.domain.group_errors import MemberLeaseHeldError, MemberLeaseLostError
from actae.domain.member_leases import Ownership
from tests.support.asks import NOON, later


def member(owner: str | None, generation: int, lease_until: datetime | None) -> GroupMember:
    """A member in one of its states."""
    return GroupMember("crew", "ada", "run-1", None, msgspec.Raw(b"{}"), owner, generation, lease_until)


FREE = member(None, 0, None)
LIVE = member("me", 3, later(1))
LAPSED = member("me", 3, NOON)  # a lease ends at its end, not after it
RELEASED = member("me", 3, None)

ME, ELSE, ME_BEFORE, ME_AHEAD = (
    Ownership("me", 3), Ownership("else", 3), Ownership("me", 2), Ownership("me", 4),
)  # fmt: skip


@pytest.mark.parametrize(
    ("held", "owner", "generation"),
    [
        (FREE, "me", 1),
        (LIVE, "me", 3),
        (LIVE, "else", None),
        (LAPSED, "me", 4),
        (LAPSED, "else", 4),
        (RELEASED, "me", 4),
        (RELEASED, "else", 4),
    ],
)
def test_a_claim(held: GroupMember, owner: str, generation: int | None) -> None:
    """A new owner is a new generation; None is refused."""
    if generation is None:
        with pytest.raises(MemberLeaseHeldError) as caught:
            member_leases.claim(held, owner, 60, NOON)
        assert caught.value.details["lease_until"] == held.lease_until
        return
    lease = member_leases.claim(held, owner, 60, NOON)
    assert (lease.owner_id, lease.generation, lease.lease_until) == (owner, generation, later(60))
    assert (lease.group_id, lease.member_id) == ("crew", "ada")


@pytest.mark.parametrize(
    ("held", "by", "is_kept", "is_released"),
    [
        (LIVE, ME, True, True),
        (LAPSED, ME, True, True),
        (RELEASED, ME, False, True),
        (FREE, ME, False, False),
        (FREE, Ownership("me", 0), False, False),
        *(
            (state, by, False, False)
            for state in (LIVE, LAPSED, RELEASED)
            for by in (ELSE, ME_BEFORE, ME_AHEAD)
        ),
    ],
)
def test_what_a_holder_may_do(held: GroupMember, by: Ownership, is_kept: bool, is_released: bool) -> None:
    """Renewing and acknowledging need the lease, releasing may be repeated; the clock is no fence."""
    assert outcome(lambda: member_leases.require_holder(held, by)) == (
        None if is_kept else MemberLeaseLostError
    )
    assert outcome(lambda: member_leases.require_last_holder(held, by)) == (
        None if is_released else MemberLeaseLostError
    )
    if is_kept:
        lease = member_leases.renew(held, by, 60, NOON)
        assert (lease.owner_id, lease.generation, lease.lease_until) == (*by, later(60))
    else:
        with pytest.raises(MemberLeaseLostError) as caught:
            member_leases.renew(held, by, 60, NOON)
        assert caught.value.details["current_generation"] == held.generation


def outcome(act: object) -> type[ActaeError] | None:
    """What was raised, if anything."""
    assert callable(act)
    try:
        act()
    except ActaeError as error:
        return type(error)
    return None


@pytest.mark.parametrize(("held", "shown"), [(FREE, None), (LIVE, "me"), (LAPSED, "me"), (RELEASED, None)])
def test_whose_a_member_is_shown_to_be(held: GroupMember, shown: str | None) -> None:
    """Who released it has nothing to do with it any more; the generation stays."""
    assert (show_member(held).owner_id, show_member(held).generation) == (shown, held.generation)
