"""Single interleavings that matter, each with its reason. The model beside this file looks for the others."""

import asyncio
from typing import cast

import pytest

from actae.domain.errors import UnavailableError
from actae.observations import TailFailed
from actae.operations.tail import Follower, Run
from actae.operations.tail import round as rounds
from tests.support.tailing import NOW, PAGE, Scene, ScriptedSink, settle

CHANNEL = "run-1"


async def join(
    scene: Scene, sink: ScriptedSink, after: int | None = None, *, channel: str = CHANNEL
) -> Follower:
    """A follower that has begun."""
    follower = await scene.tail.follow(channel, sink, after=after)
    follower.start()
    return follower


@pytest.mark.parametrize("released_first", [False, True])
async def test_an_own_event_that_a_read_brings_is_left_out(released_first: bool) -> None:
    """The read began before the publish, and ends after it: before or after its acknowledgement."""
    scene = Scene(memory_bytes=0)
    scene.commit(CHANNEL, 2)
    sink = ScriptedSink()
    follower = await scene.tail.follow(CHANNEL, sink, after=0)
    scene.log.is_slow = True
    follower.start()
    await settle()
    follower.hold()
    own = scene.commit(CHANNEL)
    if released_first:
        follower.release(own)
    scene.log.answer_all()
    await settle()
    if not released_first:
        assert sink.seen == [], "told while the publish was under way"
        follower.release(own)
    await settle()
    assert sink.seen == [1, 2]
    assert scene.commit(CHANNEL) == 4
    assert sink.seen == [1, 2, 4]


async def test_a_hint_that_comes_while_the_head_is_read_is_not_lost() -> None:
    """What was committed in between is told."""
    scene, sink = Scene(), ScriptedSink()
    scene.log.is_slow = scene.log.sees_early = True
    joining = asyncio.create_task(join(scene, sink, 0))
    await settle()
    scene.commit_elsewhere(CHANNEL)
    scene.hint(CHANNEL)
    scene.log.answer_all()
    await joining
    await settle()
    assert sink.seen == [1]


async def test_a_commit_of_this_process_that_overtakes_another_ones_waits_for_it() -> None:
    """Order is that of the cursors, not that in which they are heard of."""
    scene, sink = Scene(), ScriptedSink()
    await join(scene, sink)
    scene.log.is_slow = True
    scene.commit_elsewhere(CHANNEL)
    scene.commit(CHANNEL)
    scene.commit(CHANNEL)
    await settle()
    assert sink.seen == []
    scene.log.answer_all()
    await settle()
    assert sink.seen == [1, 2, 3]


async def test_who_is_behind_in_a_channel_that_is_deleted_reads_no_more() -> None:
    """Its events are gone; nobody reads in a circle."""
    scene, sink = Scene(memory_bytes=0), ScriptedSink(room=0)
    scene.commit(CHANNEL, 5)
    follower = await join(scene, sink, 0)
    scene.log.rows[CHANNEL] = []
    scene.tail.forget([CHANNEL])
    before = scene.log.reads
    sink.breathe(10)
    await settle(200)
    assert sink.seen == []
    assert scene.log.reads == before + 1
    assert follower.lag == 0


async def test_what_a_deleted_channel_held_is_remembered_no_more() -> None:
    """Though somebody follows it still."""
    scene, early, late = Scene(), ScriptedSink(), ScriptedSink()
    await join(scene, early)
    scene.commit(CHANNEL, 3)
    scene.log.rows[CHANNEL] = []
    scene.tail.committed({}, [CHANNEL])
    await join(scene, late, 0)
    await settle()
    assert (early.seen, late.seen) == ([1, 2, 3], [])


async def test_a_reader_that_cannot_be_written_to_costs_nobody_else_anything() -> None:
    """Neither the other readers nor the writer, in whose task the first are told."""

    class Broken(ScriptedSink):
        def write(self, run: Run) -> None:
            raise RuntimeError("a defect")

    scene, broken, whole = Scene(), Broken(), ScriptedSink()
    await join(scene, broken)
    await join(scene, whole)
    scene.commit(CHANNEL, 2)
    assert whole.seen == [1, 2]
    assert broken.has_gone
    (failure,) = scene.trouble
    assert isinstance(failure, TailFailed)
    assert failure.part == "follower"


async def test_a_defect_in_reading_is_told_and_ends_the_reader_that_needed_it() -> None:
    """It comes back with its cursor; a reader must not wait for ever."""
    scene, sink = Scene(memory_bytes=0), ScriptedSink(room=0)
    scene.commit(CHANNEL, 5)
    await join(scene, sink, 0)
    scene.log.rows[CHANNEL] = None  # type: ignore[assignment]
    sink.breathe(10)
    await settle()
    assert sink.has_gone
    assert [type(each) for each in scene.trouble] == [TailFailed]


async def test_a_defect_in_refreshing_is_told_and_the_next_hint_reads_again() -> None:
    """Nobody becomes deaf by it."""
    scene, sink = Scene(), ScriptedSink()
    await join(scene, sink)
    scene.commit_elsewhere(CHANNEL, 2)
    kept, scene.log.rows[CHANNEL] = scene.log.rows[CHANNEL], None  # type: ignore[assignment]
    scene.tail.heard({CHANNEL: 2})
    await settle()
    assert [type(each) for each in scene.trouble] == [TailFailed]
    scene.log.rows[CHANNEL] = kept
    scene.hint(CHANNEL)
    await settle()
    assert sink.seen == [1, 2]


async def test_a_defect_in_telling_does_not_reach_the_writer() -> None:
    """Whose lane would end with it. What was not told is read."""
    scene, sink = Scene(), ScriptedSink()
    await join(scene, sink)
    (row,) = scene.log.append(CHANNEL)
    scene.tail.told([row._replace(payload=cast(bytes, None))], NOW)
    assert [type(each) for each in scene.trouble] == [TailFailed]
    await settle()
    assert sink.seen == [1]


async def test_a_database_that_is_away_drops_who_needs_it_and_nobody_else() -> None:
    """Who keeps up needs nothing from it."""
    scene, slow, quick = Scene(memory_bytes=0), ScriptedSink(room=0), ScriptedSink()
    await join(scene, quick)
    await join(scene, slow)
    scene.commit(CHANNEL, 3)
    scene.log.fail_once()
    slow.breathe(10)
    await settle()
    assert slow.has_gone
    scene.commit(CHANNEL)
    assert (quick.seen, scene.trouble) == ([1, 2, 3, 4], [])


async def test_a_failed_beginning_leaves_nothing_behind() -> None:
    """The topic ends with the only one who wanted it."""
    scene = Scene()
    scene.log.fail_once()
    with pytest.raises(UnavailableError):
        await join(scene, ScriptedSink())
    assert (scene.tail.channel_ids, list(scene.tail.followers)) == ([], [])


async def test_who_comes_first_reads_the_head_once_and_who_comes_later_again() -> None:
    """Whoever opens a channel has just learned it; for whoever waited meanwhile that may be too old."""
    scene, first, second = Scene(), ScriptedSink(), ScriptedSink()
    scene.commit_elsewhere(CHANNEL, 3)
    scene.log.is_slow = True
    joining = [asyncio.create_task(join(scene, sink)) for sink in (first, second)]
    await settle()
    assert scene.log.reads == 1
    scene.log.answer()
    await settle()
    scene.commit_elsewhere(CHANNEL)
    scene.log.answer_all()
    followers = await asyncio.gather(*joining)
    await settle()
    assert (scene.log.reads, [follower.position for follower in followers]) == (3, [4, 4])
    assert (first.seen, second.seen) == ([4], [])


async def test_who_gives_up_while_the_head_is_read_leaves_the_others_to_it() -> None:
    """The first one asks for all; when it goes, the next one asks."""
    scene, sink = Scene(), ScriptedSink()
    scene.log.is_slow = True
    first = asyncio.create_task(join(scene, ScriptedSink(), 0))
    await settle()
    second = asyncio.create_task(join(scene, sink, 0))
    await settle()
    first.cancel()
    await settle()
    scene.log.answer_all()
    await second
    scene.commit(CHANNEL)
    assert sink.seen == [1]


async def test_who_joins_does_not_wait_for_those_who_catch_up() -> None:
    """Its confirmation comes early, however long the others' backlog is."""
    scene, slow = Scene(memory_bytes=0), ScriptedSink()
    scene.commit_elsewhere(CHANNEL, 10)
    follower = await scene.tail.follow(CHANNEL, slow, after=0)
    scene.log.is_slow = True
    follower.start()
    await settle()
    newcomer = await asyncio.wait_for(scene.tail.follow(CHANNEL, ScriptedSink(), after=10), 1)
    assert newcomer.position == 10
    assert slow.seen == []


async def test_a_herd_that_comes_back_reads_the_log_once() -> None:
    """Whoever is first reads for all: after a server's death they all want the same."""
    scene = Scene()
    scene.commit_elsewhere(CHANNEL, 4 * PAGE)
    herd = [ScriptedSink() for _ in range(50)]
    followers = [await scene.tail.follow(CHANNEL, sink, after=0) for sink in herd]
    before = scene.log.reads
    scene.log.is_slow = True
    for follower in followers:
        follower.start()
    await settle()
    scene.log.answer_all()
    await settle(200)
    assert all(sink.seen == list(range(1, 4 * PAGE + 1)) for sink in herd)
    assert scene.log.reads - before <= 4


async def test_channels_of_one_reader_take_turns() -> None:
    """A short backlog does not wait until a long one has been told."""
    scene = Scene(memory_bytes=0)
    scene.commit_elsewhere("long", 50 * PAGE)
    scene.commit_elsewhere("short", PAGE)
    told: list[str] = []

    class Narrow(ScriptedSink):
        def write(self, run: Run) -> None:
            told.append(run.told[0].event.channel_id)
            super().write(run)

    sink = Narrow(room=0)
    for channel in ("long", "short"):
        await join(scene, sink, 0, channel=channel)
    for _ in range(6):
        sink.breathe(1)
        await settle()
    assert "short" in told


async def test_memory_is_shared_and_the_quietest_channel_forgets_first() -> None:
    """Within one bound for all of them; who leaves gives everything back."""
    scene = Scene(memory_bytes=400_000)
    followers = [await join(scene, ScriptedSink(), channel=channel) for channel in ("quiet", "busy")]
    scene.commit("quiet", 2)
    for _ in range(10):
        scene.commit("busy", 3)
        assert scene.tail._memory.held <= 400_000
    before, quiet, busy = scene.log.reads, ScriptedSink(), ScriptedSink()
    followers.append(await join(scene, busy, 27, channel="busy"))
    assert (busy.seen, scene.log.reads) == ([28, 29, 30], before)
    followers.append(await join(scene, quiet, 0, channel="quiet"))
    await settle()
    assert (quiet.seen, scene.log.reads) == ([1, 2], before + 1)
    for follower in followers:
        scene.tail.leave(follower)
    assert scene.tail._memory.held == 0


@pytest.fixture
def one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reader is told in a turn of its own, as the last of thousands would be."""
    monkeypatch.setattr(rounds, "AT_ONCE", 1)


@pytest.mark.usefixtures("one_at_a_time")
async def test_many_readers_do_not_keep_the_loop_to_themselves() -> None:
    """The first ones are told in the turn of the commit, the last ones some turns later."""
    scene, sinks = Scene(), [ScriptedSink() for _ in range(5)]
    for sink in sinks:
        await join(scene, sink)
    scene.commit(CHANNEL)
    for turn in range(5):
        assert sorted(len(sink.seen) for sink in sinks) == [0] * (4 - turn) + [1] * (turn + 1)
        await asyncio.sleep(0)


@pytest.mark.usefixtures("one_at_a_time")
async def test_what_is_committed_during_a_round_comes_in_one_piece_after_it() -> None:
    """Readers that take long to be told are written to less often, not more."""
    scene, sinks = Scene(), [ScriptedSink(room=2) for _ in range(5)]
    for sink in sinks:
        await join(scene, sink)
    for _ in range(4):
        scene.commit(CHANNEL, size=100)
        await asyncio.sleep(0)
    await settle()
    assert [sink.seen for sink in sinks] == [[1, 2, 3, 4]] * 5, "in two writes, for which there was room"


@pytest.mark.usefixtures("one_at_a_time")
async def test_who_leaves_during_a_round_is_told_no_more() -> None:
    """Nor who publishes at that moment, until it has its answer."""
    scene, sinks = Scene(), [ScriptedSink() for _ in range(4)]
    followers = [await join(scene, sink) for sink in sinks]
    scene.commit(CHANNEL)
    [first] = [sink for sink in sinks if sink.seen]
    others = [(follower, sink) for follower, sink in zip(followers, sinks, strict=True) if sink is not first]
    (leaving, left), (publishing, held), (_, last) = others
    scene.tail.leave(leaving)
    publishing.hold()
    own = scene.commit(CHANNEL)
    await settle()
    assert (first.seen, left.seen, held.seen, last.seen) == ([1, own], [], [], [1, own])
    publishing.release(own)
    assert held.seen == [1]


@pytest.mark.usefixtures("one_at_a_time")
@pytest.mark.parametrize("memory_bytes", [0, 100_000], ids=["nothing is remembered", "one of them is"])
async def test_what_is_forgotten_before_a_round_has_ended_is_read(memory_bytes: int) -> None:
    """By whoever has not been told of it yet."""
    scene, sinks = Scene(memory_bytes=memory_bytes), [ScriptedSink() for _ in range(4)]
    for sink in sinks:
        await join(scene, sink)
    for _ in range(3):
        scene.commit(CHANNEL)
    await settle()
    assert [sink.seen for sink in sinks] == [[1, 2, 3]] * 4


async def test_a_hint_beyond_the_log_reads_once_and_changes_nothing() -> None:
    """Anybody who may use the database may send one."""
    scene, sink = Scene(), ScriptedSink()
    await join(scene, sink)
    before = scene.log.reads
    scene.tail.heard({CHANNEL: 10**30, "nobody-follows": 3})
    await settle(100)
    assert scene.log.reads == before + 1
    scene.commit(CHANNEL)
    assert sink.seen == [1]
