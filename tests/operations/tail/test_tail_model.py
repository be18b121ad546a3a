"""Readers join, stall, publish and leave at any moment, while this process and others write.

Hypothesis chooses the interleaving, down to the moment at which each read of the log is answered. The model
is one sentence: a reader is told every event above its start, in order, each once, without its own.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from actae.domain.errors import UnavailableError
from actae.operations.tail import Follower
from tests.support.tailing import Scene, ScriptedSink, settle

CHANNELS = st.sampled_from(["a", "b"])
COUNTS = st.integers(1, 7)


@dataclass(eq=False)
class Reader:
    """One follower, and what it must have been told."""

    channel_id: str
    sink: ScriptedSink
    follower: Follower
    start: int
    own: set[int] = field(default_factory=set)
    publishing: list[int | None] = field(default_factory=list)
    has_left: bool = False

    def expected(self, head: int) -> list[int]:
        """Everything that it is to be told in the end."""
        return [cursor for cursor in range(self.start + 1, head + 1) if cursor not in self.own]


class TailModel(RuleBasedStateMachine):
    """The tail beside its one sentence."""

    readers = Bundle("readers")

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.loop = self.runner.get_loop()
        self.scene = self.run(_new_scene())
        self.all: list[Reader] = []
        self.joining: list[asyncio.Task[Reader | None]] = []

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Do it, on the machine's own loop."""
        return self.runner.run(work)

    def do(self, act: Any, *values: Any, turns: int = 0) -> Any:
        """The same for what is no coroutine, and so many turns of the loop afterwards."""

        async def done() -> Any:
            result = act(*values)
            await settle(turns)
            return result

        return self.run(done())

    @rule(turns=st.integers(1, 10))
    def wait(self, turns: int) -> None:
        self.run(settle(turns))

    @rule(channel_id=CHANNELS, count=COUNTS, turns=st.integers(0, 3))
    def commit(self, channel_id: str, count: int, turns: int) -> None:
        self.do(self.scene.commit, channel_id, count, turns=turns)

    @rule(channel_id=CHANNELS, count=COUNTS)
    def commit_elsewhere(self, channel_id: str, count: int) -> None:
        self.scene.commit_elsewhere(channel_id, count)

    @rule(channel_id=CHANNELS, too_far=st.integers(0, 2), turns=st.integers(0, 3))
    def hint(self, channel_id: str, too_far: int, turns: int) -> None:
        head = self.scene.log.head(channel_id)
        self.do(self.scene.tail.heard, {channel_id: head + too_far}, turns=turns)

    @rule()
    def read_slowly(self) -> None:
        self.scene.log.is_slow = True

    @rule(turns=st.integers(0, 3))
    def answer_a_read(self, turns: int) -> None:
        self.do(self.scene.log.answer, turns=turns)

    @rule()
    def read_quickly(self) -> None:
        self.do(self.scene.log.answer_all)

    @rule()
    def fail_a_read(self) -> None:
        self.scene.log.fail_once()

    @rule(target=readers, channel_id=CHANNELS, back=st.integers(-2, 12) | st.none(), room=st.integers(0, 3))
    def join(self, channel_id: str, back: int | None, room: int) -> Any:
        after = None if back is None else max(0, self.scene.log.head(channel_id) - back)
        self.joining.append(self.do(self._start_joining, channel_id, after, room, turns=3))
        return self._joined()

    @rule(target=readers)
    def notice_who_has_joined(self) -> Any:
        return self._joined()

    @rule(reader=readers, room=st.integers(0, 3), turns=st.integers(0, 3))
    def breathe(self, reader: Reader, room: int, turns: int) -> None:
        self.do(reader.sink.breathe, room, turns=turns)

    @rule(reader=readers, told=st.booleans(), turns=st.integers(0, 3))
    def begin_to_publish(self, reader: Reader, told: bool, turns: int) -> None:
        """Hold, and commit: the process itself is told, or it has to read its own event."""
        commit = self.scene.commit if told else self.scene.commit_elsewhere
        self.do(reader.follower.hold)
        own = self.do(commit, reader.channel_id, turns=turns)
        reader.own.add(own)
        reader.publishing.append(own)

    @rule(reader=readers, turns=st.integers(0, 3))
    def begin_to_publish_in_vain(self, reader: Reader, turns: int) -> None:
        self.do(reader.follower.hold, turns=turns)
        reader.publishing.append(None)

    @rule(reader=readers, first=st.booleans(), turns=st.integers(0, 3))
    def end_a_publish(self, reader: Reader, first: bool, turns: int) -> None:
        if reader.publishing:
            self.do(reader.follower.release, reader.publishing.pop(0 if first else -1), turns=turns)

    @rule(reader=readers)
    def leave(self, reader: Reader) -> None:
        self.do(self.scene.tail.leave, reader.follower)
        reader.has_left = True

    @invariant()
    def nobody_has_seen_anything_else(self) -> None:
        for reader in self.all:
            head = self.scene.log.head(reader.channel_id)
            expected = reader.expected(head)
            assert reader.sink.seen == expected[: len(reader.sink.seen)]

    @invariant()
    def memory_is_bounded(self) -> None:
        assert 0 <= self.scene.tail._memory.held <= 1_000_000

    def teardown(self) -> None:
        try:
            self.run(self._end())
            assert self.scene.trouble == []
        finally:
            self.runner.close()

    async def _end(self) -> None:
        """Everything that waited goes on, and the poll looks once: then everybody has seen everything."""
        scene = self.scene
        scene.log._failures = 0
        scene.log.answer_all()
        await settle()
        self._joined()
        for reader in self.all:
            reader.sink.breathe(1_000_000)
            while reader.publishing:
                reader.follower.release(reader.publishing.pop())
        for channel_id in ("a", "b"):
            scene.hint(channel_id)
        await settle(200)
        for reader in self.all:
            if not (reader.has_left or reader.sink.has_gone):
                assert reader.sink.seen == reader.expected(scene.log.head(reader.channel_id))
                assert reader.follower.lag == 0
            scene.tail.leave(reader.follower)
        await settle()
        assert scene.tail.channel_ids == []
        assert scene.tail._memory.held == 0
        assert len(asyncio.all_tasks()) == 1, "something goes on though everybody has left"

    def _start_joining(self, channel_id: str, after: int | None, room: int) -> "asyncio.Task[Reader | None]":
        return asyncio.create_task(self._join(channel_id, after, room))

    async def _join(self, channel_id: str, after: int | None, room: int) -> Reader | None:
        sink = ScriptedSink(room)
        try:
            follower = await self.scene.tail.follow(channel_id, sink, after=after)
        except UnavailableError:
            return None
        reader = Reader(channel_id, sink, follower, follower.position)
        assert after in (None, follower.position)
        follower.start()
        self.all.append(reader)
        return reader

    def _joined(self) -> Any:
        done = [task for task in self.joining if task.done()]
        self.joining = [task for task in self.joining if not task.done()]
        return multiple(*(reader for task in done if (reader := task.result()) is not None))


async def _new_scene() -> Scene:
    return Scene()


def test_every_reader_is_told_every_event_once_and_in_order() -> None:
    """Whatever happens when."""
    run_state_machine_as_test(
        TailModel, settings=settings(max_examples=150, stateful_step_count=40, deadline=None)
    )
