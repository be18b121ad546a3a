"""What a fork undoes: its own effects, and not those that it inherits."""

from __future__ import annotations

from actae_client import Actae, ActaeClient
from tests.client.undo.trip import Trip, reasons
from tests.support.server import new_channel


async def test_what_a_fork_inherits_is_not_its_own(actae: Actae, client: ActaeClient, channel: str) -> None:
    """The parent's effects belong to the parent's run; the fork undoes what it did itself."""
    child = new_channel()
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel):
        await trip.book("Rome")
        await client.save_state(channel, (await client.get_cursor(channel)) or 0, {"step": 1})
    await client.fork(channel, child)
    async with actae.run("r", channel_id=child) as run:
        assert await trip.book("Rome") == "ticket 1"
        await trip.book("Oslo")
        report = await run.undo(to_cursor=0)
    assert [each.key_name for each in report.undone] == ["book:Oslo"]
    assert report.is_complete
    assert trip.released == [("Oslo", "ticket 2")]


async def test_a_parents_undo_is_not_taken_for_the_forks(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """The parent did and undid it before the fork; the fork did it anew, and undoes that."""
    child = new_channel()
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel) as run:
        await trip.book("Rome")
        await run.undo(to_cursor=0)
        await client.save_state(channel, (await client.get_cursor(channel)) or 0, {"step": 1})
    await client.fork(channel, child, tool_policies={"book": "live"})
    async with actae.run("r", channel_id=child) as run:
        assert await trip.book("Rome") == "ticket 2"
        assert [each.was_before for each in (await run.undo(to_cursor=0)).undone] == [False]
    assert trip.released == [("Rome", "ticket 1"), ("Rome", "ticket 2")]


async def test_a_fork_that_blocks_the_compensation_reports_it(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """The compensation is a tool of its own, `book:undo`, for policies too."""
    child = new_channel()
    trip = Trip(actae)
    await client.transition(channel, "begun", {}, {"step": 0}, actor="t")
    await client.fork(channel, child, tool_policies={"book:undo": "block"})
    async with actae.run("r", channel_id=child) as run:
        await trip.book("Rome")
        assert reasons(await run.undo(to_cursor=0)) == [("book:Rome", "refused")]
    assert trip.released == []
