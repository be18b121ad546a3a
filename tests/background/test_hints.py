"""Hints between servers: their form, their line, and what becomes of both when the database is away."""

import asyncio
import secrets
from collections.abc import AsyncIterator

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actae.background import hints
from actae.background.hints import Hint, _pieces, _text, keep_hinting
from actae.observations import HintsLost, Observation
from actae.operations.tail import Tail
from actae.store.database import Database
from tests.support.tailing import Scene, ScriptedSink
from tests.support.waiting import until_async, until_true

CHANNEL_IDS = st.text("abc.:_-", min_size=1, max_size=256)


@given(st.dictionaries(CHANNEL_IDS, st.integers(1, 2**63 - 1), max_size=200))
def test_however_many_channels_moved_each_hint_fits(heads: dict[str, int]) -> None:
    """PostgreSQL takes less than 8,000 bytes; together the hints say everything."""
    pieces = list(_pieces(heads))
    assert all(len(_text(Hint("f" * 16, "moved", piece))) < 8_000 for piece in pieces)
    assert {channel_id: cursor for piece in pieces for channel_id, cursor in piece.items()} == heads


class Server:
    """As much of a server as takes part in the conversation."""

    def __init__(self, db: Database, dsn: str) -> None:
        self.scene = Scene()
        self.looked_up_anew = 0
        self.hinting = keep_hinting(
            self.scene.tail,
            db,
            dsn,
            self.scene.trouble.append,
            poll_seconds=3600,
            on_access=self._look_up_anew,
        )

    def _look_up_anew(self) -> None:
        self.looked_up_anew += 1

    @property
    def tail(self) -> Tail:
        """Its tail, on a log that all of it is scripted."""
        return self.scene.tail


@pytest.fixture
async def listener(database_url: str) -> AsyncIterator[list[str]]:
    """Everything that is said on the line."""
    connection = await asyncpg.connect(database_url)
    said: list[str] = []
    await connection.add_listener("actae", lambda *hint: said.append(hint[3]))
    yield said
    await connection.close()


def count(said: list[str], what: str) -> int:
    """How often somebody said this."""
    return sum(1 for text in said if f'"says":"{what}"' in text)


async def test_a_server_whose_commits_nobody_reads_elsewhere_says_nothing_of_them(
    db: Database, database_url: str, listener: list[str]
) -> None:
    """It asks who reads, and is silent from then on; as soon as somebody reads, it tells."""
    writer, reader = Server(db, database_url), Server(db, database_url)
    async with writer.hinting:
        await until_async(lambda: count(listener, "who") == 1)
        writer.tail.committed({"run-1": 1})
        async with reader.hinting:
            await until_async(lambda: count(listener, "who") == 2)
            sink = ScriptedSink()
            follower = await reader.tail.follow("run-1", sink, after=0)
            follower.start()
            await until_async(lambda: count(listener, "reading") == 1)
            reader.scene.commit_elsewhere("run-1", 7)

            async def has_heard() -> bool:
                writer.tail.committed({"run-1": 7})
                return sink.seen == [1, 2, 3, 4, 5, 6, 7]

            await until_true(has_heard)
    assert '"heads":{"run-1":1}' not in "".join(listener)
    assert [*writer.scene.trouble, *reader.scene.trouble] == []


async def test_a_server_that_comes_later_asks_and_is_answered(
    db: Database, database_url: str, listener: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The readers do not wait until they would say so by themselves."""
    monkeypatch.setattr(hints, "_PRESENCE_SECONDS", 3_600)
    reader, writer = Server(db, database_url), Server(db, database_url)
    async with reader.hinting:
        follower = await reader.tail.follow("run-1", ScriptedSink(), after=0)
        await until_async(lambda: count(listener, "reading") >= 1)
        before = count(listener, "reading")
        async with writer.hinting:
            await until_async(lambda: count(listener, "reading") > before)
        reader.tail.leave(follower)


@pytest.mark.parametrize(
    "noise", ["", "{}", "[1]", '{"sender":"x","says":"moved","heads":{"run-1":"no number"}}', "x" * 7_900]
)
async def test_what_others_say_under_the_same_name_is_not_listened_to(
    db: Database, database_url: str, listener: list[str], noise: str
) -> None:
    """The line stays open, and what is said next is heard."""
    server = Server(db, database_url)
    async with server.hinting:
        await until_async(lambda: count(listener, "who") == 1)
        await _say(database_url, noise)
        await _say(database_url, _text(Hint("somebody", "reading")))

        async def tells() -> bool:
            server.tail.committed({"run-1": 3})
            return count(listener, "moved") > 0

        await until_true(tells)
    assert server.scene.trouble == []


async def test_an_outage_is_told_once_however_often_the_line_is_tried(db: Database) -> None:
    """A log full of the same sentence tells nothing."""
    tried = 0

    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal tried
        tried += 1
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as nobody:
        port = nobody.sockets[0].getsockname()[1]
        server = Server(db, f"postgresql://x:{secrets.token_hex(4)}@127.0.0.1:{port}/x?sslmode=disable")
        async with server.hinting:
            await until_async(lambda: tried >= 3)
    lost: list[Observation] = server.scene.trouble
    assert [type(each) for each in lost] == [HintsLost]


async def _say(dsn: str, text: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute("select pg_notify('actae', $1)", text)
    await connection.close()
