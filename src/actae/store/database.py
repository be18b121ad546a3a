"""The connections: a pool for reads and stories, and single ones for the writer.

`json` travels as bytes in both directions, never parsed: what an agent's tool returned comes back
as it was sent.
"""

import asyncio
import random
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import asynccontextmanager, suppress
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import asyncpg

from actae import crash_points
from actae.domain.errors import UnavailableError
from actae.store.queries import Query
from actae.store.sessions import Sessions, lent_sessions, own_sessions, refusal
from actae.store.silence import ended_by_silence

P = ParamSpec("P")
T = TypeVar("T")


class Row(Protocol):
    """One row, by column name or by place."""

    def __getitem__(self, key: str | int, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def keys(self) -> Iterable[str]:
        """The names of the columns."""
        ...


# Worth the same transaction again: serialization failures, deadlocks, a server that goes down or comes
# up, too many connections, a standby that was just promoted.
_TRANSIENT_STATES = frozenset({"40001", "40P01", "57P01", "57P02", "57P03", "25006", "53300"})
CONNECT_SECONDS = 10  # of one attempt of the writer's
WRITE_TIMEOUT_SECONDS = 20  # of one of its statements

_ATTEMPTS = 6
_BACKOFF_SECONDS = 0.02

_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
# The driver's words: a connection that is lost is also taken from whoever is using it.
_SIGNS_OF_LOSS = ("connection is closed", "connection was closed", "released back to the pool")


def is_connection_lost(error: BaseException) -> bool:
    """Whether the connection is gone, so that nothing is known of the statement under way."""
    if isinstance(error, asyncpg.PostgresError):
        state = error.sqlstate or ""
        return state.startswith("08") or state in {"57P01", "57P02", "57P03"}
    if isinstance(error, asyncpg.InterfaceError):
        return any(sign in str(error) for sign in _SIGNS_OF_LOSS)
    return isinstance(error, OSError | EOFError | TimeoutError | asyncpg.InternalClientError)


def is_out_of_room(error: BaseException) -> bool:
    """Whether the database is well, and lacks disk, memory or connections, or met an error of its disk."""
    return isinstance(error, asyncpg.PostgresError) and (error.sqlstate or "")[:2] in {"53", "58"}


def is_transient(error: BaseException) -> bool:
    """Whether the same transaction may succeed when it is run again."""
    if isinstance(error, asyncpg.PostgresError) and error.sqlstate in _TRANSIENT_STATES:
        return True
    return is_connection_lost(error)


class Session(Protocol):
    """What store functions need: the pool outside of a transaction, or a transaction."""

    async def fetch(self, query: Query, **values: object) -> list[Row]:
        """All rows."""
        ...

    async def fetch_one(self, query: Query, **values: object) -> Row | None:
        """The first row, or None."""
        ...

    async def execute(self, query: Query, **values: object) -> None:
        """No rows."""
        ...


class Transaction:
    """One transaction on one connection."""

    __slots__ = ("appended", "connection", "deleted", "timeout_seconds")

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection
        self.appended: dict[str, int] = {}  # channels that get events here, and up to which cursor
        self.deleted: set[str] = set()  # channels that lose theirs
        self.timeout_seconds: float | None = None  # of a statement; None is as long as a read may take

    async def fetch(self, query: Query, **values: object) -> list[Row]:
        """All rows."""
        rows: list[Row] = await self.connection.fetch(query.sql, *query.arguments(values))
        return rows

    async def fetch_one(self, query: Query, **values: object) -> Row | None:
        """The first row, or None."""
        row: Row | None = await self.connection.fetchrow(query.sql, *query.arguments(values))
        return row

    async def execute(self, query: Query, **values: object) -> None:
        """No rows."""
        await self.connection.execute(query.sql, *query.arguments(values), timeout=self.timeout_seconds)


class Database:
    """A pool of connections to one PostgreSQL.

    The pool resets nothing when a connection comes back (a reset is a round trip), so nothing may
    leave session state on it.
    """

    def __init__(self, dsn: str, pool: asyncpg.Pool, sessions: Sessions) -> None:
        self.dsn = dsn
        self.on_committed: Callable[[Mapping[str, int], Collection[str]], None] = _to_nobody
        self._pool = pool
        self._sessions = sessions

    @classmethod
    async def connect(
        cls, dsn: str, *, connections_max: int, read_timeout_seconds: float, through_pooler: bool = False
    ) -> "Database":
        """Open the pool; `through_pooler` says that another pool, of transactions, stands in between.

        Raises:
            UnavailableError: no connection could be made.
        """
        sessions = (lent_sessions if through_pooler else own_sessions)(
            statement_timeout_seconds=read_timeout_seconds
        )
        try:
            pool = await asyncpg.create_pool(
                dsn,
                min_size=1,
                max_size=connections_max,
                init=_speak_bytes,
                reset=_nothing,
                command_timeout=read_timeout_seconds + 5,
                statement_cache_size=sessions.statements_kept,
                server_settings=sessions.startup,
            )
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise UnavailableError(f"The database cannot be reached: {refusal(error)}.") from error
        return cls(dsn, pool, sessions)

    async def close(self) -> None:
        """Close every connection; those in use are waited for, briefly."""
        try:
            await asyncio.wait_for(self._pool.close(), 5)
        except TimeoutError:
            self._pool.terminate()

    async def fetch(self, query: Query, **values: object) -> list[Row]:
        """All rows, in a statement of its own."""
        return await self.run(lambda tx: tx.fetch(query, **values), transaction=False)

    async def fetch_one(self, query: Query, **values: object) -> Row | None:
        """The first row or None, in a statement of its own."""
        return await self.run(lambda tx: tx.fetch_one(query, **values), transaction=False)

    async def execute(self, query: Query, **values: object) -> None:
        """A statement of its own."""

        async def once(tx: Transaction) -> None:
            await tx.execute(query, **values)

        await self.run(once, transaction=False)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """One transaction, not repeated when it fails.

        Raises:
            UnavailableError: the database was lost during the commit; nobody knows whether it happened.
        """
        async with self._acquired() as connection:
            async with self._begun(connection) as tx:
                yield tx
            crash_points.reach(crash_points.CrashPoint.STORY_WRITTEN_NOT_COMMITTED)
            await _commit(connection)
        if tx.appended or tx.deleted:
            self.on_committed(tx.appended, tx.deleted)

    @asynccontextmanager
    async def _statement(self) -> AsyncIterator[Transaction]:
        async with self._acquired() as connection:
            if not self._sessions.are_lent:
                yield Transaction(connection)
                return
            async with self._begun(connection) as tx:
                yield tx
            await connection.execute("COMMIT")

    def _acquired(self) -> Any:
        return self._pool.acquire(timeout=self._sessions.lent_within_seconds)

    @asynccontextmanager
    async def _begun(self, connection: asyncpg.Connection) -> AsyncIterator[Transaction]:
        """A transaction, rolled back when the block fails. To commit it is left to the caller."""
        try:
            await connection.execute(self._sessions.begin, timeout=self._sessions.lent_within_seconds)
        except (TimeoutError, asyncio.CancelledError):
            connection.terminate()  # a pooler does not answer those who wait, not even to give up
            raise
        try:
            yield Transaction(connection)
        except BaseException:
            with suppress(*_ERRORS):  # a connection that is gone has rolled back
                await connection.execute("ROLLBACK")
            raise

    async def run(self, story: Callable[[Transaction], Awaitable[T]], *, transaction: bool = True) -> T:
        """Run a story in one transaction; the whole of it again, with jitter, when that may help.

        Raises:
            UnavailableError: the database stayed out of reach, or the statement ran out of time.
        """
        opened = self.transaction if transaction else self._statement
        for attempt in range(_ATTEMPTS):
            try:
                async with opened() as tx:
                    return await story(tx)
            except (asyncpg.QueryCanceledError, TimeoutError) as error:
                raise UnavailableError("The database did not answer within the time limit.") from error
            except _ERRORS as error:
                if not is_transient(error):
                    if is_out_of_room(error):
                        raise UnavailableError(f"The database has no room for this: {error}.") from error
                    raise
                if attempt == _ATTEMPTS - 1:
                    raise UnavailableError(f"The database cannot be reached: {error}.") from error
                await asyncio.sleep(random.uniform(0, _BACKOFF_SECONDS * 2**attempt))  # noqa: S311
        raise AssertionError("the last attempt returns or raises")


def story(
    told: Callable[Concatenate[Transaction, P], Awaitable[T]],
) -> Callable[Concatenate[Database, P], Coroutine[Any, Any, T]]:
    """Makes a function of a transaction one of the database: one transaction, repeated whole."""

    async def run(db: Database, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await db.run(lambda tx: told(tx, *args, **kwargs))

    update_wrapper(run, told)
    return run


async def connect_writer(dsn: str) -> asyncpg.Connection:
    """A connection for the writer's two statements.

    They are prepared once, often while the tables are still small, and must not keep a plan that reads
    a whole table: index scans only, and one generic plan.
    """
    connection = await asyncpg.connect(
        dsn,
        timeout=CONNECT_SECONDS,
        statement_cache_size=200,
        server_settings={
            "application_name": "actae writer",
            "enable_seqscan": "off",
            "enable_hashjoin": "off",
            "enable_mergejoin": "off",
            "jit": "off",
            "plan_cache_mode": "force_generic_plan",
            "statement_timeout": str(WRITE_TIMEOUT_SECONDS * 1_000),
            "idle_in_transaction_session_timeout": "10000",  # a frozen server must not keep its locks
        },
    )
    with ended_by_silence(connection, CONNECT_SECONDS):
        await _speak_bytes(connection)
    return connection


async def _speak_bytes(connection: asyncpg.Connection) -> None:
    await connection.set_type_codec(
        "json", schema="pg_catalog", encoder=_same, decoder=bytes, format="binary"
    )


def _same(value: bytes) -> bytes:
    return value


async def _commit(connection: asyncpg.Connection) -> None:
    # Not to be repeated here: a story that was committed unheard would be told twice.
    try:
        await connection.execute("COMMIT")
    except Exception as error:
        if is_connection_lost(error):
            raise UnavailableError(
                "The database was lost during the commit, so its outcome is unknown; "
                "send the same request again."
            ) from error
        raise


async def _nothing(_connection: Any) -> None:
    pass


def _to_nobody(_appended: Mapping[str, int], _deleted: Collection[str]) -> None:
    pass
