"""What must always hold of requests for approval: of a row beside the log, and of a head beside its rows."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from actae.domain.approvals import DECIDED, EXPIRED, REQUESTED, Status
from actae.domain.channels import Head
from actae.domain.executions import digest_key

_TOLD_BY: Final = {
    "pending": (None,),
    "approved": (DECIDED,),
    "rejected": (DECIDED,),
    # By its deadline, by whoever waited, or because what was approved was deleted.
    "expired": (None, EXPIRED, DECIDED),
    "superseded": (REQUESTED,),
}


class ApprovalPlace(NamedTuple):
    """A request, and what is really at the two cursors that it names."""

    channel_id: str
    request_digest: str
    request_id: str
    is_bound: bool
    status: Status
    may_expire: bool
    requested_cursor: int
    requested_event_id: str
    decided_cursor: int | None
    requested_type: str | None
    requested_id_there: str | None
    decided_type: str | None


def approvals_agree_with_the_log(approval: ApprovalPlace) -> Iterator[str]:
    """A request leads to the event that asks, and to the one that made it what it is."""
    if approval.request_digest != digest_key(approval.request_id):
        yield "it is not stored under the digest of its id"
    there = (approval.requested_type, approval.requested_id_there)
    if there != (REQUESTED, approval.requested_event_id):
        yield f"it was asked at cursor {approval.requested_cursor}, and there is {there[0] or 'nothing'}"
    if approval.decided_type not in _TOLD_BY[approval.status]:
        told = approval.decided_type or "nothing"
        yield f"it is {approval.status}, and what decided it at cursor {approval.decided_cursor} is {told}"
    if approval.status == "expired" and approval.decided_cursor is None and not approval.may_expire:
        yield "it has expired without a deadline"


def head_knows_of_approvals(head: Head, has_bound: bool) -> Iterator[str]:
    """The ledger looks for approvals on channels whose heads say so, and on no others."""
    if head.has_approvals != has_bound:
        yield f"the head says that {'some' if head.has_approvals else 'no'} request is bound; the rows differ"
