"""Another database session beside the writer: it holds what the writer wants, and sees who waits for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from tests.support.waiting import until_true


class Rival:
    """Two connections: one that may hold a transaction open, one that looks on."""

    def __init__(self, holder: asyncpg.Connection, onlooker: asyncpg.Connection) -> None:
        self._holder = holder
        self._onlooker = onlooker

    @asynccontextmanager
    async def holding(self, *channel_ids: str) -> AsyncIterator[None]:
        """While the block runs, whoever wants to move one of these heads has to wait."""
        async with self._holder.transaction():
            await self._holder.execute(
                "select 1 from channel_heads where channel_id = any($1::text[])"
                " order by channel_id for update",
                list(channel_ids),
            )
            yield

    @asynccontextmanager
    async def holding_guards(self, *, revision: int) -> AsyncIterator[None]:
        """While the block runs, a write is under way that was decided by the guards of this revision."""
        async with self._holder.transaction():
            await self._holder.execute(
                "select from guard_revisions where revision = $1 for key share", revision
            )
            yield

    @asynccontextmanager
    async def inserting_event(self, channel_id: str, *, cursor: int) -> AsyncIterator[None]:
        """While the block runs, whoever appends under this cursor has to wait; then it was never there."""
        transaction = self._holder.transaction()
        await transaction.start()
        try:
            await self._holder.execute(
                "insert into events"
                " select channel_id, $2, gen_random_uuid(), event_type, actor, agent_id, user_id, payload,"
                "        metadata, depends_on, dependencies, chain_hash, recorded_at"
                "   from events where channel_id = $1 and cursor = 1",
                channel_id,
                cursor,
            )
            yield
        finally:
            await transaction.rollback()

    async def until_somebody_waits(self) -> int:
        """The process id of the session that waits for what is held."""
        holder_pid = self._holder.get_server_pid()
        found: list[int] = []

        async def is_somebody_blocked() -> bool:
            rows = await self._onlooker.fetch(
                "select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))", holder_pid
            )
            found[:] = [row["pid"] for row in rows]
            return bool(found)

        await until_true(is_somebody_blocked)
        return found[0]

    async def writer_pids(self) -> list[int]:
        """The sessions of all writers of this database."""
        rows = await self._onlooker.fetch(
            "select pid from pg_stat_activity"
            " where application_name = 'actae writer' and datname = current_database() order by backend_start"
        )
        return [row["pid"] for row in rows]

    async def terminate(self, pid: int) -> None:
        """End a session, and return when it is gone."""
        await self._onlooker.execute("select pg_terminate_backend($1)", pid)

        async def is_gone() -> bool:
            return not await self._onlooker.fetch("select 1 from pg_stat_activity where pid = $1", pid)

        await until_true(is_gone)

    async def execute(self, statement: str, *values: object) -> None:
        """Run a statement at once, outside of what is held."""
        await self._onlooker.execute(statement, *values)

    async def value(self, statement: str, *values: object) -> object:
        """The first value of a statement's first row."""
        return await self._onlooker.fetchval(statement, *values)

    async def cursors(self, channel_id: str) -> list[int]:
        """The cursors of a channel, in order."""
        rows = await self._onlooker.fetch(
            "select cursor from events where channel_id = $1 order by cursor", channel_id
        )
        return [row["cursor"] for row in rows]


@asynccontextmanager
async def rival_of(dsn: str) -> AsyncIterator[Rival]:
    """A rival on this database."""
    holder, onlooker = await asyncpg.connect(dsn), await asyncpg.connect(dsn)
    try:
        yield Rival(holder, onlooker)
    finally:
        await holder.close()
        await onlooker.close()
