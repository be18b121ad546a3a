"""Which run the calling code belongs to, and what it can do there."""

from __future__ import annotations

import asyncio
import threading

import pytest

from actae_client.client import ActaeClient
from actae_client.runtime import Actae, ActaeCarrier
from tests.client.runtime.conftest import Types


async def test_the_innermost_run_is_current(actae: Actae, channel: str) -> None:
    """Nested runs have the outer one as their parent, unless told otherwise."""
    async with actae.run("outer", channel_id=channel) as outer:
        async with actae.run("inner", channel_id=channel) as inner:
            assert actae.current() is inner
            assert inner.parent_run_id == "outer"
        async with actae.run("other", channel_id=channel, parent_run_id="elsewhere") as other:
            assert other.parent_run_id == "elsewhere"
        assert actae.current() is outer


async def test_outside_of_a_run_there_is_none(actae: Actae) -> None:
    """Required or not is the caller's choice."""
    assert actae.current(required=False) is None
    with pytest.raises(RuntimeError, match=r"actae\.run"):
        actae.current()


async def test_two_facades_do_not_see_each_others_runs(actae: Actae, channel: str) -> None:
    """The ambient scope is that of one object."""
    other = Actae(actae.client)
    async with actae.run("a", channel_id=channel) as mine:
        assert other.current(required=False) is None
        async with other.run("b", channel_id=channel) as theirs:
            assert actae.current() is mine
            assert other.current() is theirs
        with pytest.raises(ValueError, match="another Actae"):
            other.use(mine)


async def test_the_scope_follows_tasks_and_threads(actae: Actae, channel: str) -> None:
    """Tasks and `to_thread` inherit it; a bare thread is given it with `use`."""
    async with actae.run("r", channel_id=channel) as scope:

        async def in_a_task() -> bool:
            return actae.current() is scope

        assert await asyncio.create_task(in_a_task())
        assert await asyncio.to_thread(actae.current) is scope
        seen = []

        def in_a_bare_thread() -> None:
            seen.append(actae.current(required=False))
            with actae.use(scope) as used:
                seen.append(used)
                seen.append(actae.current())

        thread = threading.Thread(target=in_a_bare_thread)
        thread.start()
        await asyncio.to_thread(thread.join)
        assert seen == [None, scope, scope]


async def test_tasks_side_by_side_have_runs_of_their_own(actae: Actae, channel: str) -> None:
    """One task's run is not another's."""

    async def work(name: str) -> str:
        async with actae.run(name, channel_id=channel):
            await asyncio.sleep(0)
            return actae.current().run_id

    assert await asyncio.gather(work("a"), work("b")) == ["a", "b"]


async def test_a_child_run_inherits(actae: Actae, channel: str) -> None:
    """The framework, and the parent."""
    async with actae.run(channel, framework="etl") as parent, parent.child(f"{channel}-c") as child:
        assert (child.framework, child.parent_run_id) == ("etl", channel)
        assert child.channel_id == f"etl:{channel}-c"


def test_a_child_run_inherits_blocking_too(actae: Actae, channel: str) -> None:
    """The blocking counterpart."""
    with actae.run_sync(channel, framework="etl") as parent, parent.child_sync(f"{channel}-c") as child:
        assert (child.framework, child.parent_run_id) == ("etl", channel)


async def test_a_scope_records_events(actae: Actae, client: ActaeClient, channel: str) -> None:
    """With a time, unless an operation id makes it one event for ever."""
    async with actae.run("r", channel_id=channel, actor="billing") as scope:
        noted = await scope.record("note", {"x": 1})
        once = await scope.record("note", {"x": 2}, operation_id="note-2")
        again = await asyncio.to_thread(scope.record_sync, "note", {"x": 2}, operation_id="note-2")
    assert once.id == again.id
    assert noted.actor == "billing"
    stored = {event.id: event.payload for event in await client.replay(channel)}
    assert stored[noted.id]["data"] == {"x": 1}
    assert "occurred_at" in stored[noted.id]
    assert "occurred_at" not in stored[once.id]


async def test_a_scope_runs_effects(actae: Actae, types: Types, channel: str) -> None:
    """Both forms go through the ledger of the run's channel."""
    runs = []

    def charge() -> str:
        runs.append(1)
        return "paid"

    async with actae.run("r", channel_id=channel) as scope:
        assert await scope.effect("k", "charge", {}, charge) == "paid"
        assert await asyncio.to_thread(scope.effect_sync, "k", "charge", {}, charge) == "paid"
    assert runs == [1]
    assert await types(channel) == [
        "framework.run.started",
        "tool.started",
        "tool.completed",
        "tool.replayed",
        "framework.run.completed",
    ]


@pytest.mark.parametrize(("actor", "signed"), [(None, "etl-tool"), ("billing", "billing")])
async def test_tools_are_signed(
    actae: Actae, client: ActaeClient, channel: str, actor: str | None, signed: str
) -> None:
    """By the actor of the run, or by its framework."""
    async with actae.run("r", channel_id=channel, framework="etl", actor=actor) as scope:
        await scope.effect("k", "t", {}, lambda: None)
    started = next(e for e in await client.replay(channel) if e.event_type == "tool.started")
    assert started.actor == signed


async def test_a_scope_gives_a_carrier(actae: Actae, channel: str) -> None:
    """The identity of the run, for a queue."""
    async with actae.workflow(channel, orchestrator="celery") as scope:
        assert scope.carrier() == ActaeCarrier(f"celery:{channel}", channel, "celery", channel)


async def test_a_run_left_in_another_context_does_not_break(actae: Actae, channel: str) -> None:
    """Frameworks enter and leave context managers in different contexts."""
    run = actae.run("r", channel_id=channel)
    await asyncio.create_task(run.__aenter__())
    assert actae.current(required=False) is None
    await asyncio.create_task(run.__aexit__(None, None, None))
