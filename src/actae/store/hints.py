"""A connection over which servers of one database tell each other that there is something new."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

import asyncpg

from actae.domain.errors import UnavailableError
from actae.store.database import Database
from actae.store.queries import query

_SEND = query("send_hints")
_LIST_HEAD_CURSORS = query("list_head_cursors")

_CHANNEL: Final = "actae"
_CONNECT_SECONDS: Final = 10.0

# What is sent may get lost: a backend that ended, a queue that was full. Whoever listens also polls.


class HintLine:
    """Listens and speaks, on one connection of its own."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self._lost = asyncio.Event()
        connection.add_termination_listener(self._hang_up)

    @classmethod
    async def connect(cls, dsn: str, hear: Callable[[str], None]) -> "HintLine":
        """Open the line; from now on `hear` gets each hint, this line's own ones too.

        Raises:
            UnavailableError: the database cannot be reached.
        """
        try:
            connection = await asyncpg.connect(
                dsn,
                timeout=_CONNECT_SECONDS,
                command_timeout=_CONNECT_SECONDS,
                server_settings={"application_name": "actae hints", "synchronous_commit": "off"},
            )
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise UnavailableError(f"The database cannot be reached: {error}.") from error
        line = cls(connection)

        def pass_on(_connection: Any, _pid: int, _channel: str, hint: object) -> None:
            hear(str(hint))

        try:
            await connection.add_listener(_CHANNEL, pass_on)
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            connection.terminate()
            raise UnavailableError(f"The database cannot be reached: {error}.") from error
        return line

    async def speak(self, hints: Sequence[str]) -> None:
        """Send hints of less than 8,000 bytes each.

        Raises:
            UnavailableError: the line is lost.
        """
        try:
            await self._connection.execute(_SEND.sql, hints)
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            self._lost.set()
            raise UnavailableError(f"The line for hints is lost: {error}.") from error

    async def lost(self) -> None:
        """Return when the connection has ended."""
        await self._lost.wait()

    def close(self) -> None:
        """Hang up."""
        self._connection.terminate()

    def _hang_up(self, _connection: Any) -> None:
        self._lost.set()


async def list_head_cursors(db: Database, channel_ids: Sequence[str]) -> dict[str, int]:
    """How far these channels reach."""
    rows = await db.fetch(_LIST_HEAD_CURSORS, channel_ids=list(channel_ids))
    return {row["channel_id"]: row["cursor"] for row in rows}
