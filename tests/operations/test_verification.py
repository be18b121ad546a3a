"""What a verification finds, on a real database that was damaged behind the server's back."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from tests.support import asks
from tests.support.writers import writing

from actae.domain.executions import Claimed
from actae.operations import channels as channel_operations
from actae.operations import executions as execution_operations
from actae.operations.verification import Report, verify
from actae.operations.writer import Writer
from actae.store.database import Database


@pytest.fixture
async def writer(database_url: str) -> AsyncIterator[Writer]:
    """A writer on the fresh database."""
    async with writing(database_url) as (running, _):
        yield running


async def fill(writer: Writer, channel_id: str = "run-1") -> None:
    """Something of everything, and every way in which an operation can stand."""
    for number in (1, 2):
        await writer.submit(asks.record(channel_id=channel_id, operation_id=f"o{number}", step_number=number))
    await writer.submit(asks.transition(channel_id=channel_id, operation_id="t1"))
    await writer.submit(asks.save_state(channel_id=channel_id, operation_id="s1", cursor=3))
    done = await claim(writer, "done", channel_id)
    await writer.submit(asks.complete(done, "done", channel_id=channel_id))
    await writer.submit(asks.claim("done", channel_id=channel_id, emit_replay_event=True))
    failed = await claim(writer, "failed", channel_id)
    await writer.submit(asks.fail(failed, "failed", channel_id=channel_id))
    await claim(writer, "failed", channel_id)
    await writer.submit(
        asks.cancel(await claim(writer, "cancelled", channel_id), "cancelled", channel_id=channel_id)
    )
    await claim(writer, "running", channel_id)
    await claim(writer, "__session_lock__", channel_id)


async def claim(writer: Writer, key_name: str, channel_id: str = "run-1") -> str:
    """Claim, and the token."""
    answer: Claimed = await writer.submit(asks.claim(key_name, channel_id=channel_id))
    return answer.claim_token


async def damage(dsn: str, statement: str) -> None:
    """Change the database as nobody should."""
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def invariants(report: Report) -> set[str]:
    """The names of what is broken."""
    return {broken.invariant for broken in report.broken}


async def test_what_the_writer_has_written_is_whole(db: Database, writer: Writer) -> None:
    """Every table was looked at, and nothing is broken."""
    for number in range(3):
        await fill(writer, f"run-{number}")
    report = await verify(db, keys_were_freed=False)
    assert report.broken == []
    assert report.is_whole
    seen = report.looked_at
    assert (seen.channels, seen.snapshots, seen.operations, seen.steps, seen.executions) == (3, 6, 12, 6, 15)
    assert seen.events == 3 * 11


async def test_an_empty_database_is_whole(db: Database) -> None:
    """There is nothing that could be broken."""
    report = await verify(db)
    assert report.is_whole
    assert report.looked_at.channels == 0


async def test_more_channels_than_fit_into_one_range(db: Database, writer: Writer) -> None:
    """Each is looked at once, and progress is told on the way."""
    for number in range(600):
        await writer.submit(asks.record(channel_id=f"run-{number}"))
    told: list[int] = []
    report = await verify(db, on_progress=lambda so_far: told.append(so_far.looked_at.channels))
    assert report.is_whole
    assert report.looked_at.channels == report.looked_at.events == 600
    assert told == [256, 512, 600]


async def test_a_log_of_many_pages(db: Database, writer: Writer) -> None:
    """Pages end after some hundred events or some megabytes, and nothing is lost between them."""
    for _ in range(1200):
        writer.submit(asks.record())
    for _ in range(12):
        await writer.submit(asks.record(b'"' + b"x" * 900_000 + b'"'))
    report = await verify(db)
    assert report.is_whole
    assert report.looked_at.events == 1212


async def test_only_the_named_channel_is_looked_at(db: Database, writer: Writer, database_url: str) -> None:
    """A neighbour whose name begins alike is not."""
    for channel_id in ("run", "run-1", "run1"):
        await writer.submit(asks.record(channel_id=channel_id))
    await damage(database_url, "update events set payload = '2' where channel_id = 'run-1'")
    assert (await verify(db, ["run"])).is_whole
    assert (await verify(db, ["run1", "run"])).looked_at.events == 2
    assert invariants(await verify(db, ["run-1"])) == {"chain_is_whole"}


async def test_deletions_leave_everything_whole(db: Database, writer: Writer) -> None:
    """Freed keys may be claimed anew; deleted snapshots and channels leave nothing that points at them."""
    await fill(writer)
    for key_name in ("done", "failed", "running"):
        await execution_operations.delete(db, "run-1", asks.claim(key_name).key_digest)
        await claim(writer, key_name)
    await fill(writer, "run-2")
    await channel_operations.close(db, "run-2")
    await fill(writer, "run-3")
    await channel_operations.delete(db, "run-3")
    report = await verify(db)
    assert report.broken == []


async def test_a_key_that_was_handed_out_twice_is_found_where_none_was_freed(
    db: Database, writer: Writer
) -> None:
    """A freed key leaves no trace; whoever knows that none was freed can say so."""
    await claim(writer, "charge")
    await execution_operations.delete(db, "run-1", asks.claim("charge").key_digest)
    await claim(writer, "charge")
    assert (await verify(db)).is_whole
    assert invariants(await verify(db, keys_were_freed=False)) == {"operations_live_in_order"}


DONE = f"key_digest = '{asks.claim('done').key_digest}'"
RUNNING = f"key_digest = '{asks.claim('running').key_digest}'"

DAMAGES: dict[str, tuple[str, str]] = {
    "an event is missing": ("delete from events where cursor = 2", "cursors_have_no_gap"),
    "the last event is missing": ("delete from events where cursor = 11", "head_is_where_the_log_ends"),
    "a payload was changed": ("update events set payload = '2' where cursor = 1", "chain_is_whole"),
    "an actor was changed": ("update events set actor = 'eve' where cursor = 1", "chain_is_whole"),
    "the head is ahead": ("update channel_heads set cursor = cursor + 1", "head_is_where_the_log_ends"),
    "the head has another hash": ("update channel_heads set chain_hash = 'x'", "head_is_where_the_log_ends"),
    "a snapshot was added": (
        "insert into states select channel_id, 99, cursor, state, null, saved_at from states where version = 1",
        "snapshots_were_numbered_by_the_head",
    ),
    "the latest snapshot is gone": ("delete from states where version = 2", "head_names_the_latest_snapshot"),
    "a step points elsewhere": (
        "update steps set cursor = 2 where step_number = 1",
        "steps_point_at_their_events",
    ),
    "a step is gone": ("delete from steps where step_number = 2", "head_names_the_highest_step"),
    "an operation id names nothing": (
        "update operations set cursor = 99 where cursor = 1",
        "operations_name_what_they_wrote",
    ),
    "two operation ids name one event": (
        "update operations set cursor = 1 where cursor = 2",
        "operations_write_one_event_each",
    ),
    "a result was taken back": (
        f"update executions set status = 'failed' where {DONE}",
        "ledger_agrees_with_the_log",
    ),
    "a running operation counts as done": (
        f"update executions set status = 'completed', lease_until = null, completed_at = now() where {RUNNING}",
        "ledger_agrees_with_the_log",
    ),
    "an attempt was not counted": (
        "update executions set attempts = 1 where attempts = 2",
        "ledger_agrees_with_the_log",
    ),
    "a replay was forgotten": (
        f"update executions set replay_emitted = false where {DONE}",
        "ledger_agrees_with_the_log",
    ),
    "a start points elsewhere": (
        f"update executions set started_cursor = 1 where {RUNNING}",
        "ledger_agrees_with_the_log",
    ),
    "a key was renamed": (f"update executions set key_name = 'other' where {DONE}", "ledger_row_is_sound"),
    "an end has no moment": (
        f"update executions set completed_at = null where {DONE}",
        "ledger_row_is_sound",
    ),
    "a ledger row moved to a channel that is not there": (
        f"update executions set channel_id = 'nowhere' where {DONE}",
        "rows_belong_to_a_channel",
    ),
    "the head is gone": ("delete from channel_heads", "rows_belong_to_a_channel"),
    "the channel is gone": ("delete from channels", "channels_agree_with_their_heads"),
    "a closed channel is open": ("update channels set closed_at = now()", "channels_agree_with_their_heads"),
    "a deleted channel is still full": (
        "update channels set deleted_at = now(); update channel_heads set lifecycle = 'deleted', cursor = 0",
        "head_is_where_the_log_ends",
    ),
    "an event id is used twice": (
        "update events set event_id = (select event_id from events where cursor = 2) where cursor = 1",
        "event_ids_are_unique",
    ),
}


@pytest.mark.parametrize("what", DAMAGES)
async def test_damage_is_found(db: Database, writer: Writer, database_url: str, what: str) -> None:
    """By the invariant that it breaks."""
    await fill(writer)
    statement, invariant = DAMAGES[what]
    await damage(database_url, statement)
    report = await verify(db)
    assert not report.is_whole
    assert invariant in invariants(report)


async def test_a_verification_sees_one_moment_while_others_write(db: Database, writer: Writer) -> None:
    """A channel that is written to all the time is whole at every look."""
    await writer.submit(asks.record())
    answers: list[Any] = []
    for _ in range(5):
        answers += [writer.submit(asks.record()) for _ in range(200)]
        report = await verify(db)
        assert report.broken == []
    for answer in answers:
        await answer
