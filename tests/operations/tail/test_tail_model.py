"""Readers join, stall, publish and leave at any moment, while this process and others write.

Hypothesis chooses the interleaving, down to the moment at which each read of the log is answered. The model
is one sentence: a reader is told every event above its start, in order, each once, without its own.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from actae.domain.errors import UnavailableError
from actae.operations.tail import Follower
from actae.operations.tail import round as rounds
from actae.operations.tail.round import AT_ONCE
from tests.support.tailing import Scene, ScriptedSink, settle

CHANNELS = st.sampled_from(["a", "b"])
COUNTS = st.integers(1, 7)
PLACES = st.integers(0, 5)


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

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.loop = self.runner.get_loop()
        self.memory_bytes = 0
        self.scene = Scene()
        self.all: list[Reader] = []
        self.joining: list[asyncio.Task[None]] = []

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

    @initialize(memory_bytes=st.sampled_from([0, 200_000, 1_000_000]), sees_early=st.booleans())
    def begin(self, memory_bytes: int, sees_early: bool) -> None:
        self.memory_bytes = memory_bytes
        self.scene = self.do(lambda: Scene(memory_bytes=memory_bytes))
        self.scene.log.sees_early = sees_early

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

    @rule(channel_id=CHANNELS, back=st.integers(-2, 12) | st.none(), room=st.integers(0, 3))
    def join(self, channel_id: str, back: int | None, room: int) -> None:
        after = None if back is None else max(0, self.scene.log.head(channel_id) - back)
        self.joining.append(self.do(self._start_joining, channel_id, after, room, turns=3))

    @precondition(lambda self: self.all)
    @rule(place=PLACES, room=st.integers(0, 3), turns=st.integers(0, 3))
    def breathe(self, place: int, room: int, turns: int) -> None:
        reader = self._reader(place)
        self.do(reader.sink.breathe, room, turns=turns)

    @precondition(lambda self: self.all)
    @rule(place=PLACES, told=st.booleans(), turns=st.integers(0, 3))
    def begin_to_publish(self, place: int, told: bool, turns: int) -> None:
        """Hold, and commit: the process itself is told, or it has to read its own event."""
        reader = self._reader(place)
        commit = self.scene.commit if told else self.scene.commit_elsewhere
        self.do(reader.follower.hold)
        own = self.do(commit, reader.channel_id, turns=turns)
        reader.own.add(own)
        reader.publishing.append(own)

    @precondition(lambda self: self.all)
    @rule(place=PLACES, turns=st.integers(0, 3))
    def begin_to_publish_in_vain(self, place: int, turns: int) -> None:
        reader = self._reader(place)
        self.do(reader.follower.hold, turns=turns)
        reader.publishing.append(None)

    @precondition(lambda self: self.all)
    @rule(place=PLACES, first=st.booleans(), turns=st.integers(0, 3))
    def end_a_publish(self, place: int, first: bool, turns: int) -> None:
        reader = self._reader(place)
        if reader.publishing:
            self.do(reader.follower.release, reader.publishing.pop(0 if first else -1), turns=turns)

    @precondition(lambda self: self.all)
    @rule(place=PLACES)
    def leave(self, place: int) -> None:
        reader = self._reader(place)
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
        assert 0 <= self.scene.tail._memory.held <= self.memory_bytes

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
        await asyncio.gather(*self.joining)
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

    def _start_joining(self, channel_id: str, after: int | None, room: int) -> "asyncio.Task[None]":
        return asyncio.create_task(self._join(channel_id, after, room))

    async def _join(self, channel_id: str, after: int | None, room: int) -> None:
        sink = ScriptedSink(room)
        with suppress(UnavailableError):
            follower = await self.scene.tail.follow(channel_id, sink, after=after)
            assert after in (None, follower.position)
            self.all.append(Reader(channel_id, sink, follower, follower.position))
            follower.start()

    def _reader(self, place: int) -> Reader:
        return self.all[place % len(self.all)]


@pytest.mark.parametrize("at_once", [1, AT_ONCE])
def test_every_reader_is_told_every_event_once_and_in_order(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Whatever happens when, and whether all are told in one turn or each in another."""
    monkeypatch.setattr(rounds, "AT_ONCE", at_once)
    run_state_machine_as_test(
        TailModel, settings=settings(max_examples=150, stateful_step_count=40, deadline=None)
    )
