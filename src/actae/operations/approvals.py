"""What waits for a person, and what they have answered."""

from actae.domain.approvals import Approval
from actae.store import approvals as store
from actae.store.approvals import ApprovalFilter
from actae.store.database import Database


async def list_newest(db: Database, wanted: ApprovalFilter, *, most: int) -> tuple[list[Approval], bool]:
    """Requests, newest first, and whether there are more. A page ends early where they are large."""
    page = await store.list_approvals(db, wanted, most=most + 1)
    return page.rows[:most], page.was_cut or len(page.rows) > most
