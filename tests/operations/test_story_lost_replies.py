"""A story whose commit was not heard of is not told a second time."""

import pytest

from actae.domain.access import EVERYTHING
from actae.domain.errors import ExecutionNotFoundError, UnavailableError
from actae.domain.executions import digest_key
from actae.operations.executions import delete
from actae.store.database import Database
from tests.support.asks import claim
from tests.support.proxy import Proxy, target_of, through
from tests.support.writers import writing


async def test_a_commit_that_was_not_heard_of_leaves_the_outcome_open(database_url: str) -> None:
    """Freed by this very call, the key is not reported as unknown: the caller learns that nobody knows."""
    key_digest = digest_key("charge:1")
    async with writing(database_url) as (writer, _):
        await writer.submit(claim())
    with Proxy(target_of(database_url)) as proxy:
        db = await Database.connect(through(proxy, database_url), connections_max=2, read_timeout_seconds=15)
        proxy.lose("reply", b"COMMIT", then="cut")
        with pytest.raises(UnavailableError, match="outcome is unknown"):
            await delete(db, "run-1", key_digest, permissions=EVERYTHING)
        with pytest.raises(ExecutionNotFoundError):
            await delete(db, "run-1", key_digest, permissions=EVERYTHING)
        await db.close()


async def test_a_story_that_was_lost_before_it_began_is_told_again(database_url: str) -> None:
    """Nothing of it had been written, so nobody needs to know."""
    async with writing(database_url) as (writer, _):
        await writer.submit(claim())
    with Proxy(target_of(database_url)) as proxy:
        db = await Database.connect(through(proxy, database_url), connections_max=2, read_timeout_seconds=15)
        proxy.lose("request", b"BEGIN", then="cut")
        await delete(db, "run-1", digest_key("charge:1"), permissions=EVERYTHING)
        await db.close()
