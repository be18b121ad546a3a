"""Who this installation is."""

import secrets
from datetime import datetime
from typing import NamedTuple
from uuid import uuid4

import asyncpg

from actae.settings import SettingsError
from actae.store.database import Database, Session
from actae.store.queries import query

_CREATE = query("create_instance")
_GET = query("get_instance")
_PING = query("ping")

_LOOK_SECONDS = 15.0


class Instance(NamedTuple):
    """One installation: all servers of a database share it."""

    instance_id: str
    secret: bytes
    created_at: datetime
    now: datetime


async def load_instance(db: Database) -> Instance:
    """The instance; made on the first call. Servers that race get the same one."""
    row = await db.fetch_one(_GET)
    if row is None:
        await db.execute(_CREATE, instance_id=str(uuid4()), secret=secrets.token_bytes(32))
        row = await db.fetch_one(_GET)
    assert row is not None, "the instance row was just made"
    return Instance(*row)


async def check_same_instance(db: Database, dsn: str) -> None:
    """Make sure that a DSN leads to the same database: what is written by one way is read by the other.

    Raises:
        SettingsError: it does not.
    """
    there = await Database.connect(dsn, connections_max=1, read_timeout_seconds=_LOOK_SECONDS)
    try:
        expected = await load_instance(there)
    finally:
        await there.close()
    try:
        row = await db.fetch_one(_GET)
    except asyncpg.UndefinedTableError:
        row = None
    if row is None or Instance(*row).instance_id != expected.instance_id:
        raise SettingsError("listen_url and database_url lead to different databases.")


async def ping(session: Session) -> datetime:
    """The database's time, which shows that it answers."""
    row = await session.fetch_one(_PING)
    assert row is not None, "a select without a from has a row"
    now: datetime = row["now"]
    return now
