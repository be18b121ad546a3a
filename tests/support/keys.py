"""API keys with few permissions, for a server that is running."""

import asyncio

from actae.domain.access import Permissions
from actae.operations.api_keys import create_key
from actae.store.database import Database
from tests.support.server import RunningServer


def make_key(server: RunningServer, **permissions: tuple[str, ...]) -> str:
    """The secret of a new key; not to be called inside an event loop."""
    return asyncio.run(_make_key(server, Permissions(**permissions)))


async def _make_key(server: RunningServer, permissions: Permissions) -> str:
    db = await Database.connect(server.database_url, connections_max=1, read_timeout_seconds=15)
    try:
        _, secret = await create_key(db, "test", permissions)
    finally:
        await db.close()
    return secret
