"""The ledger outside of the writer: rows to records."""

from uuid import UUID

from actae.domain.executions import ExecutionRow
from actae.store.database import Row, Session, Transaction
from actae.store.queries import query

_GET = query("get_execution")
_LIST = query("list_executions")
_DELETE = query("delete_execution")


async def get_execution(session: Session, channel_id: str, key_digest: str) -> ExecutionRow | None:
    """One row by its two keys."""
    row = await session.fetch_one(_GET, channel_id=channel_id, key_digest=UUID(key_digest))
    return None if row is None else _execution(channel_id, row)


async def list_executions(session: Session, channel_id: str, *, most: int) -> list[ExecutionRow]:
    """Newest first."""
    return [
        _execution(channel_id, row) for row in await session.fetch(_LIST, channel_id=channel_id, most=most)
    ]


async def delete_execution(tx: Transaction, channel_id: str, key_digest: str) -> bool:
    """Free a key. The channel's head is locked."""
    return await tx.fetch_one(_DELETE, channel_id=channel_id, key_digest=UUID(key_digest)) is not None


def _execution(channel_id: str, row: Row) -> ExecutionRow:
    values = dict(row)
    values["key_digest"] = values["key_digest"].replace("-", "")
    values["actor"] = values["actor"] or "system"
    return ExecutionRow(channel_id=channel_id, **values)
