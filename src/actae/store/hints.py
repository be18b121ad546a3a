"""How servers of one database are told that there is something new: by each other, and by commands."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import asyncpg

from actae.domain.errors import UnavailableError
from actae.store.database import Transaction
from actae.store.queries import query

ACCESS_CHANGED: Final = "access"

_SEND = query("send_hints")

_CHANNEL: Final = "actae"
_CONNECT_SECONDS: Final = 10.0
_TROUBLE: Final = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)

_ACCESS_HINT: Final = f'{{"sender":"","says":"{ACCESS_CHANGED}"}}'

# What is sent may get lost: a backend that ended, a queue that was full. Whoever listens also polls.


async def tell_access_changed(tx: Transaction) -> None:
    """Have every server look its credentials up again, once this transaction is committed."""
    await tx.execute(_SEND, hints=[_ACCESS_HINT])


class HintLine:
    """Listens and speaks, on one connection of its own."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    @classmethod
    async def connect(cls, dsn: str, hear: Callable[[str], None], on_loss: Callable[[], None]) -> "HintLine":
        """Open the line; from now on `hear` gets each hint, this line's own ones too.

        Raises:
            UnavailableError: the database cannot be reached.
        """

        def pass_on(_connection: Any, _pid: int, _channel: str, hint: object) -> None:
            hear(str(hint))

        try:
            connection = await asyncpg.connect(
                dsn,
                timeout=_CONNECT_SECONDS,
                command_timeout=_CONNECT_SECONDS,
                server_settings={"application_name": "actae hints", "synchronous_commit": "off"},
            )
            try:
                connection.add_termination_listener(lambda _connection: on_loss())
                await connection.add_listener(_CHANNEL, pass_on)
            except BaseException:
                connection.terminate()
                raise
        except _TROUBLE as error:
            raise UnavailableError(f"The database cannot be reached: {error}.") from error
        return cls(connection)

    @property
    def is_lost(self) -> bool:
        """Whether the connection has ended."""
        return bool(self._connection.is_closed())

    async def speak(self, hints: Sequence[str]) -> None:
        """Send hints of less than 8,000 bytes each. None at all is how to find out whether the line holds.

        Raises:
            UnavailableError: the line is lost.
        """
        try:
            await self._connection.execute(_SEND.sql, hints)
        except _TROUBLE as error:
            raise UnavailableError(f"The line for hints is lost: {error}.") from error

    def close(self) -> None:
        """Hang up."""
        self._connection.terminate()
