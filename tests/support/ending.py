"""Channels that end, and policies for them."""

import asyncio
from collections.abc import Iterable

from actae.domain.fingerprint import content_digest
from actae.domain.forks import ForkChannel
from actae.domain.identity import identify
from actae.domain.retention import Run
from actae.operations import channels, forks, retention
from actae.operations.writer import Writer
from actae.store.database import Database
from tests.support import asks
from tests.support.writers import Facts

DAY = 86_400.0


def everything(_channel_id: str) -> bool:
    """May decide about all."""
    return True


async def end(db: Database, writer: Writer, *channel_ids: str) -> None:
    """Channels with an event each that are closed then, in this order."""
    for each in channel_ids:
        await writer.submit(asks.record(channel_id=each))
        await channels.close(db, each)


async def end_many(db: Database, writer: Writer, channel_ids: Iterable[str]) -> None:
    """The same in no order."""
    await asyncio.gather(*(end(db, writer, each) for each in channel_ids))


async def fork(db: Database, source: str, child: str) -> None:
    """A fork of the newest state, without a state if there is none."""
    identity = identify("channels.fork", child, content_digest(source, child))
    ask = ForkChannel(source_channel_id=source, new_channel_id=child, at_cursor=0, identity=identity)
    await forks.fork(db, ask)


async def keep(db: Database, pattern: str, seconds: float | None) -> None:
    """Set a policy."""
    await retention.set_policy(db, pattern, None if seconds is None else int(seconds), set_by="test")


async def run(db: Database, *, is_dry: bool = False, most: int = 1000) -> Run:
    """Remove what is past its policy."""
    return await retention.run(db, is_dry=is_dry, most=most, may=everything, observe=Facts().append)


async def removes(db: Database, *, most: int = 1000) -> list[str]:
    """What a dry run says that a run would remove, and then does remove."""
    dry = await run(db, is_dry=True, most=most)
    real = await run(db, most=most)
    assert (dry.removed, dry.kept, dry.has_more) == (real.removed, real.kept, real.has_more)
    return [each.channel_id for each in real.removed]


async def left(db: Database) -> set[str]:
    """The channels that are still there."""
    return set(await channels.list_newest(db, readable=None, skip=0, most=10_000))
