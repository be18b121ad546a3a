"""Experiments under contention: one identity is one experiment, one channel is one member."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from msgspec import UNSET

from actae.domain.errors import ActaeError, IdempotencyConflictError
from actae.domain.experiments import Experiment
from actae.domain.fingerprint import content_digest
from actae.domain.identity import Identity, identify
from actae.operations import experiments
from actae.operations.experiments import AddMember, CreateExperiment
from actae.operations.writer import Writer
from actae.store.database import Database
from tests.support import asks
from tests.support.writers import writing


@pytest.fixture
async def writer(database_url: str) -> AsyncIterator[Writer]:
    """Makes the channels."""
    async with writing(database_url) as (started, _):
        yield started


def everything(_channel_id: str) -> bool:
    """May read all."""
    return True


def under(operation_id: str, content: str) -> Identity:
    """The identity of a call with this content."""
    return identify("test", operation_id, content_digest(content))


async def create(db: Database, name: str = "trial", operation_id: str | None = None) -> Experiment:
    """Start an experiment."""
    identity = None if operation_id is None else under(operation_id, name)
    return await experiments.create(db, CreateExperiment(name=name, identity=identity), may_see=everything)


async def add(db: Database, group_id: str, channel_id: str, role: str = "variant") -> Experiment:
    """Add a channel."""
    ask = AddMember(group_id=group_id, channel_id=channel_id, role=role, declared_delta=UNSET)
    return await experiments.add_member(db, ask, may_see=everything)


async def test_racing_repetitions_make_one_experiment(db: Database) -> None:
    """Whoever loses the race gets the winner's."""
    made = await asyncio.gather(*(create(db, operation_id="o") for _ in range(8)))
    assert len({each.id for each in made}) == 1
    listed = await experiments.list_newest(db, may_see=everything, readable=None, skip=0, most=10)
    assert [each.id for each in listed] == [made[0].id]


async def test_of_racing_calls_with_other_content_one_wins(db: Database) -> None:
    """The others are refused."""
    calls = (create(db, name, operation_id="o") for name in "abcd")
    made = await asyncio.gather(*calls, return_exceptions=True)
    assert len([each for each in made if isinstance(each, Experiment)]) == 1
    assert len([each for each in made if isinstance(each, IdempotencyConflictError)]) == 3


async def test_calls_without_an_identity_make_an_experiment_each(db: Database) -> None:
    """There is nothing to tell them apart from new ones."""
    assert (await create(db)).id != (await create(db)).id


async def test_a_channel_that_is_added_by_many_at_once_is_one_member(db: Database, writer: Writer) -> None:
    """And none of several channels is lost."""
    names = [f"run-{number}" for number in range(4)]
    for name in names:
        await writer.submit(asks.record(channel_id=name))
    made = await create(db)
    await asyncio.gather(*(add(db, made.id, name) for name in names * 3))
    found = await experiments.get(db, made.id, may_see=everything)
    assert sorted(member.channel_id for member in found.members) == names
    assert found.updated_at > made.updated_at


async def test_a_refused_create_leaves_nothing_behind(db: Database) -> None:
    """Neither the experiment nor its identity."""
    ask = CreateExperiment(name="trial", baseline_channel_id="unknown", identity=under("o", "trial"))
    with pytest.raises(ActaeError, match="unknown"):
        await experiments.create(db, ask, may_see=everything)
    assert await experiments.list_newest(db, may_see=everything, readable=None, skip=0, most=10) == []
    assert (await create(db, operation_id="o")).name == "trial"
