"""Channels by activity: in order, page by page, whatever is written meanwhile, however hot one of them is."""

import pytest

from actae.domain.access import EVERYTHING
from actae.domain.runs import RunSummary
from actae.operations import channels, deletion
from actae.operations import runs as operations
from actae.operations.runs import Place, RunList
from actae.operations.writer import Writer
from actae.store import runs as store
from actae.store.database import Database
from tests.support import asks
from tests.support.everything import claim_token
from tests.support.postgres import Clock
from tests.support.writers import writing


async def turn_pages(
    db: Database, *, most: int = 100, readable: list[str] | None = None
) -> tuple[list[RunSummary], list[int]]:
    """All runs, and how many each page held."""
    found: list[RunSummary] = []
    sizes: list[int] = []
    after: Place | None = None
    while not sizes or after is not None:
        page = await RunList(db).list_active(readable=readable, after=after, most=most)
        found += page.runs
        sizes.append(len(page.runs))
        after = page.next_place
    return found, sizes


def ids(runs: list[RunSummary]) -> list[str]:
    """The channels alone."""
    return [run.channel_id for run in runs]


async def write(writer: Writer, *channel_ids: str) -> None:
    """One event each, in this order."""
    for channel_id in channel_ids:
        await writer.submit(asks.record(channel_id=channel_id))


async def test_the_newest_event_decides_and_silent_channels_come_last(
    db: Database, database_url: str
) -> None:
    """Each channel once, on pages of any size."""
    async with writing(database_url) as (writer, _):
        await writer.submit(asks.save_state(channel_id="silent-2"))
        await writer.submit(asks.save_state(channel_id="silent-1"))
        await write(writer, "a", "b", "c", "a", "d", "b")
        for most in (1, 2, 3, 4, 5, 6, 100):
            found, _ = await turn_pages(db, most=most)
            assert ids(found) == ["b", "d", "a", "c", "silent-1", "silent-2"], most


async def test_pages_while_others_write(db: Database, database_url: str) -> None:
    """What nobody writes to comes once; what is written to goes to the top and does not come again."""
    async with writing(database_url) as (writer, _):
        await write(writer, *(f"run-{number:02}" for number in range(12)))
        seen: list[str] = []
        after: Place | None = None
        while True:
            page = await RunList(db).list_active(readable=None, after=after, most=3)
            seen += ids(page.runs)
            after = page.next_place
            if after is None:
                break
            await write(writer, "run-11", "run-00", f"new-{len(seen)}")
        assert seen == [f"run-{number:02}" for number in range(11, 0, -1)]
        top = await RunList(db).list_active(readable=None, after=None, most=3)
        assert ids(top.runs)[1:] == ["run-00", "run-11"]


async def test_a_hot_channel_comes_once_and_the_walk_is_bounded(
    db: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Empty pages lead past it."""
    monkeypatch.setattr(store, "WALKED_MAX", 10)
    async with writing(database_url) as (writer, _):
        await write(writer, "cold", "warm", *["hot"] * 35)
    found, sizes = await turn_pages(db, most=2)
    assert ids(found) == ["hot", "warm", "cold"]
    assert sizes == [1, 0, 0, 2]


async def test_only_what_may_be_read_is_listed(db: Database, database_url: str) -> None:
    """With the children that may be read, too."""
    async with writing(database_url) as (writer, _):
        await write(writer, "a-1", "b-1", "a-2", "b-2")
        await writer.submit(asks.save_state(channel_id="b-3"))
    assert ids((await turn_pages(db, most=1, readable=["a-%"]))[0]) == ["a-2", "a-1"]
    assert ids((await turn_pages(db, readable=["b-2", "b-3"]))[0]) == ["b-2", "b-3"]
    assert (await turn_pages(db, readable=[]))[0] == []


async def test_by_prefix_ids_come_in_order(
    db: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The channel that is called like the prefix is the first; deleted ones are left out."""
    async with writing(database_url) as (writer, _):
        await write(writer, "run:10", "run:1", "run:1.a", "run:2", "run:0", "run:19", "run:1z", "Run:1")
        await writer.submit(asks.save_state(channel_id="run:1-silent"))
    await deletion.delete(db, "run:19", recursive=False, permissions=EVERYTHING)
    readable = await RunList(db).list_by_prefix("run:1", readable=["run:10"], after=None, most=50)
    assert ids(readable.runs) == ["run:10"]
    expected = ["run:1", "run:1-silent", "run:1.a", "run:10", "run:1z"]
    for walked in (20_000, 2):
        monkeypatch.setattr(store, "WALKED_MAX", walked)
        for most in (1, 2, 5, 50):
            found: list[str] = []
            after: str | None = None
            while True:
                page = await RunList(db).list_by_prefix("run:1", readable=None, after=after, most=most)
                found += ids(page.runs)
                after = page.next_id
                if after is None:
                    break
            assert found == expected, (walked, most)


async def test_what_a_run_did_is_told_in_numbers(db: Database, database_url: str, clock: Clock) -> None:
    """Each operation under one status; a session's lock is none of them."""
    async with writing(database_url) as (writer, _):
        await claim_token(writer, "lapsing", channel_id="run")
        await claim_token(writer, "unknown", channel_id="run", on_lapse="ambiguous")
        clock.advance(90)
        for key in ("done", "failed", "given up", "held", "__session_lock__"):
            token = await claim_token(writer, key, channel_id="run")
            if key == "done":
                await writer.submit(asks.complete(token, key, channel_id="run"))
            elif key == "failed":
                await writer.submit(asks.fail(token, key, channel_id="run"))
            elif key == "given up":
                await writer.submit(asks.cancel(token, key, channel_id="run"))
        await writer.submit(asks.save_state(channel_id="run"))
    await channels.set_outcome(db, "run", "rejected", None)
    [run] = (await turn_pages(db))[0]
    assert run.effects.running == run.effects.lapsed == run.effects.ambiguous == 1
    assert run.effects.completed == run.effects.failed == run.effects.cancelled == 1
    assert run.effects.more is False
    assert (run.outcome, run.lifecycle, run.version, run.forks) == ("rejected", "open", 1, 0)
    assert run.last_event is not None
    assert run.last_event.cursor == run.cursor
    assert run.tokens is None


async def test_what_there_is_very_much_of_is_counted_up_to_a_limit(
    db: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says that there is more."""
    monkeypatch.setattr(store, "_EFFECTS_MAX", 3)
    monkeypatch.setattr(store, "_BILLED_EVENTS_MAX", 4)
    async with writing(database_url) as (writer, _):
        for number in range(4):
            await claim_token(writer, f"key-{number}", channel_id="many")
            if number < 3:
                await claim_token(writer, f"key-{number}", channel_id="few")
        for channel_id, events in (("spent", 4), ("spent-more", 5)):
            ask = asks.record(b'{"input_tokens":10,"cost":0.5}', channel_id=channel_id)
            for _ in range(events):
                await writer.submit(ask)
    runs = {run.channel_id: run for run in (await turn_pages(db))[0]}
    assert (runs["many"].effects.running, runs["many"].effects.more) == (3, True)
    assert (runs["few"].effects.running, runs["few"].effects.more) == (3, False)
    spent = {name: runs[name].tokens for name in ("spent", "spent-more", "few")}
    shown = {
        name: each and (each.input, each.output, each.cost, each.partial) for name, each in spent.items()
    }
    assert shown == {"spent": (40, None, 2, False), "spent-more": (40, None, 2, True), "few": None}


async def test_of_very_large_events_only_so_many_bytes_are_looked_at(
    db: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies before them is not counted, and that is said."""
    monkeypatch.setattr(store, "_BILLED_BYTES_MAX", 1_000)
    async with writing(database_url) as (writer, _):
        await writer.submit(asks.record(channel_id="run", payload=b'{"input_tokens":10}'))
        await writer.submit(asks.record(channel_id="run", payload=b'{"text":"%b"}' % (b"x" * 1_500)))
        await writer.submit(asks.record(channel_id="run", payload=b'{"input_tokens":5}'))
    [run] = (await turn_pages(db))[0]
    assert run.tokens is not None
    assert (run.tokens.input, run.tokens.partial) == (5, True)


async def test_what_is_remembered_of_tokens_ends_with_the_next_event(
    db: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few channels are remembered; and a deleted channel is gone."""
    monkeypatch.setattr(operations, "_REMEMBERED_MAX", 2)
    listed = RunList(db)

    async def spent() -> dict[str, object]:
        page = await listed.list_active(readable=None, after=None, most=10)
        return {run.channel_id: run.tokens and run.tokens.input for run in page.runs}

    async with writing(database_url) as (writer, _):
        for channel_id in ("a", "b", "c"):
            await writer.submit(asks.record(b'{"input_tokens":10}', channel_id=channel_id))
        await write(writer, "d")
        for _ in range(2):
            assert await spent() == {"a": 10, "b": 10, "c": 10, "d": None}
        for channel_id in ("a", "d"):
            await writer.submit(asks.record(b'{"input_tokens":5}', channel_id=channel_id))
        assert await spent() == {"a": 15, "b": 10, "c": 10, "d": 5}
    await deletion.delete(db, "a", recursive=False, permissions=EVERYTHING)
    assert await spent() == {"b": 10, "c": 10, "d": 5}
