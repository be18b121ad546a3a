"""A verification lets pass what was written in the ordinary way, also while others go on writing."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from actae.domain.access import EVERYTHING
from actae.operations import channels as channel_operations
from actae.operations import deletion
from actae.operations import executions as execution_operations
from actae.operations.verification import verify
from actae.operations.writer import Writer
from actae.store.database import Database
from tests.support import asks
from tests.support.damage import damage, invariants
from tests.support.everything import claim_token, fill, fill_approvals, fill_outcomes
from tests.support.writers import writing


@pytest.fixture
async def writer(database_url: str) -> AsyncIterator[Writer]:
    """A writer on the fresh database."""
    async with writing(database_url) as (running, _):
        yield running


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


async def test_questions_and_answers_are_whole(db: Database, writer: Writer) -> None:
    """Also once a key was freed, and a channel deleted."""
    for channel_id in ("run-1", "run-2"):
        await fill_approvals(writer, channel_id)
    await execution_operations.delete(
        db, "run-1", asks.claim("asked approved").key_digest, permissions=EVERYTHING
    )
    await deletion.delete(db, "run-2", recursive=False, permissions=EVERYTHING)
    report = await verify(db)
    assert report.broken == []
    assert report.looked_at.approvals == 9


async def test_outcomes_that_nobody_knew_are_whole(db: Database, writer: Writer) -> None:
    """Also once a key was freed, and a channel deleted."""
    for channel_id in ("run-1", "run-2"):
        await fill_outcomes(writer, channel_id)
    report = await verify(db, keys_were_freed=False)
    assert report.broken == []
    assert report.looked_at.late_evidence == 2 * 2
    await execution_operations.delete(
        db, "run-1", asks.claim("said applied").key_digest, permissions=EVERYTHING
    )
    await deletion.delete(db, "run-2", recursive=False, permissions=EVERYTHING)
    report = await verify(db)
    assert report.broken == []
    assert report.looked_at.late_evidence == 1


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
        await execution_operations.delete(
            db, "run-1", asks.claim(key_name).key_digest, permissions=EVERYTHING
        )
        await claim_token(writer, key_name)
    await fill(writer, "run-2")
    await channel_operations.close(db, "run-2")
    await fill(writer, "run-3")
    await deletion.delete(db, "run-3", recursive=False, permissions=EVERYTHING)
    report = await verify(db)
    assert report.broken == []


async def test_a_key_that_was_handed_out_twice_is_found_where_none_was_freed(
    db: Database, writer: Writer
) -> None:
    """A freed key leaves no trace; whoever knows that none was freed can say so."""
    await claim_token(writer, "charge")
    await execution_operations.delete(db, "run-1", asks.claim("charge").key_digest, permissions=EVERYTHING)
    await claim_token(writer, "charge")
    assert (await verify(db)).is_whole
    assert invariants(await verify(db, keys_were_freed=False)) == {"operations_live_in_order"}


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
