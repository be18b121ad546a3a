"""The group commit: asks in, two statements, answers out.

While one batch commits, the next one gathers; no timer, a batch is whatever waited. Each batch reads
without a lock what its asks name, decides them in memory one after the other, and writes everything in
one statement that is guarded by the heads. docs/explanation/write-path.md tells the whole story.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import blake2b
from time import monotonic
from typing import Any, NamedTuple, Protocol

from actae.domain.claims import decide_claim
from actae.domain.errors import OverloadedError, UnavailableError
from actae.domain.events import Record, Transition, decide_record, decide_transition
from actae.domain.executions import Cancel, Claim, Complete, Dispatch, Fail, Heartbeat
from actae.domain.resolutions import Resolve, decide_resolve
from actae.domain.settlements import (
    decide_cancel,
    decide_complete,
    decide_dispatch,
    decide_fail,
    decide_heartbeat,
)
from actae.domain.states import SaveState, decide_save_state
from actae.domain.view import EventRow, View
from actae.observations import Observer
from actae.operations.committer import SILENCE_SECONDS, Committer

_STOP_SECONDS = 10  # to finish in; whoever was served has had its answer before

Decide = Callable[[View, Any], Any]
Tell = Callable[[Sequence[EventRow], datetime], None]  # of events that were just committed

DECISIONS: dict[type, Decide] = {
    Claim: decide_claim,
    Complete: decide_complete,
    Fail: decide_fail,
    Heartbeat: decide_heartbeat,
    Cancel: decide_cancel,
    Dispatch: decide_dispatch,
    Resolve: decide_resolve,
    Record: decide_record,
    Transition: decide_transition,
    SaveState: decide_save_state,
}


class Ask(Protocol):
    """A frequent write, as a value."""

    @property
    def channel_id(self) -> str: ...
    @property
    def key_digest(self) -> str | None: ...
    @property
    def operation_digest(self) -> str | None: ...
    @property
    def size(self) -> int: ...


class Waiting(NamedTuple):
    """An ask and the caller who waits for its answer."""

    ask: Ask
    answer: asyncio.Future[Any]


class Bounds(NamedTuple):
    """How much may share one transaction, and how much may wait."""

    batch_asks: int
    batch_bytes: int
    queue_asks: int
    queue_bytes: int
    one_channel: bool = False


class Lane:
    """One queue, one connection, one batch at a time."""

    def __init__(
        self, dsn: str, bounds: Bounds, observe: Observer, tell: Tell, *, silence_seconds: float
    ) -> None:
        self._bounds = bounds
        self._queue: deque[Waiting] = deque()
        self._queued_bytes = 0
        self._arrival: asyncio.Future[None] | None = None
        self._stopping = False
        self._busy_since: float | None = None
        self._committer = Committer(dsn, DECISIONS, observe, tell, silence_seconds=silence_seconds)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Connect, and begin to work."""
        await self._committer.connect()
        self._task = asyncio.create_task(self._work(), name="actae writer lane")

    async def stop(self) -> None:
        """Finish everything that was accepted, then disconnect. Where the database is silent, give it up."""
        self._stopping = True
        self._wake()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=_STOP_SECONDS)
            if not self._task.done():
                await self._give_up(self._task)
        await self._committer.close()

    async def _give_up(self, task: asyncio.Task[None]) -> None:
        for waiting in self._queue:
            if not waiting.answer.done():
                waiting.answer.set_exception(UnavailableError("The server is shutting down."))
        self._queue.clear()
        self._committer.cut()
        task.cancel()
        await asyncio.wait({task})

    @property
    def waiting(self) -> int:
        """Asks in the queue."""
        return len(self._queue)

    @property
    def busy_seconds(self) -> float:
        """How long the batch that is under way has taken so far."""
        return 0.0 if self._busy_since is None else monotonic() - self._busy_since

    def submit(self, ask: Ask) -> asyncio.Future[Any]:
        """Queue an ask; the future brings its answer.

        Raises:
            OverloadedError: the queue is full.
            UnavailableError: the server is shutting down.
        """
        if self._stopping:
            raise UnavailableError("The server is shutting down.")
        bounds = self._bounds
        too_many = len(self._queue) >= bounds.queue_asks
        too_large = bool(self._queue) and self._queued_bytes + ask.size > bounds.queue_bytes
        if too_many or too_large:
            raise OverloadedError(retry_after_seconds=1)
        answer = asyncio.get_running_loop().create_future()
        self._queue.append(Waiting(ask, answer))
        self._queued_bytes += ask.size
        self._wake()
        return answer

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    async def _work(self) -> None:
        # The queue is looked at again after every batch: whoever came meanwhile is not left waiting.
        while True:
            if not self._queue:
                if self._stopping:
                    return
                self._arrival = asyncio.get_running_loop().create_future()
                await self._arrival
                continue
            batch = self._take_batch()
            if batch:
                self._busy_since = monotonic()
                await self._committer.commit(batch, len(self._queue))
                self._busy_since = None

    def _take_batch(self) -> Sequence[Waiting]:
        """Whatever waits, up to the bounds. Callers who have gone away are left out."""
        bounds, queue = self._bounds, self._queue
        batch: list[Waiting] = []
        size = 0
        while queue and len(batch) < bounds.batch_asks:
            waiting = queue[0]
            ask = waiting.ask
            if batch and size + ask.size > bounds.batch_bytes:
                break
            if batch and bounds.one_channel and ask.channel_id != batch[0].ask.channel_id:
                break
            queue.popleft()
            self._queued_bytes -= ask.size
            if not waiting.answer.done():
                batch.append(waiting)
                size += ask.size
        return batch


def _to_nobody(_events: Sequence[EventRow], _recorded_at: datetime) -> None:
    pass


class Writer:
    """Spreads asks over lanes by channel, so that all writes of a channel pass through one queue."""

    def __init__(
        self,
        dsn: str,
        *,
        lanes: int,
        bounds: Bounds,
        observe: Observer,
        tell: Tell = _to_nobody,
        silence_seconds: float = SILENCE_SECONDS,
    ) -> None:
        self._lanes = [
            Lane(dsn, bounds, observe, tell, silence_seconds=silence_seconds) for _ in range(lanes)
        ]

    async def start(self) -> None:
        """Connect all lanes."""
        await asyncio.gather(*(lane.start() for lane in self._lanes))

    async def stop(self) -> None:
        """Finish what was accepted; new asks are refused."""
        await asyncio.gather(*(lane.stop() for lane in self._lanes))

    @property
    def waiting(self) -> int:
        """Asks in all queues."""
        return sum(lane.waiting for lane in self._lanes)

    @property
    def busy_seconds(self) -> float:
        """How long the slowest batch that is under way has taken so far."""
        return max(lane.busy_seconds for lane in self._lanes)

    def submit(self, ask: Ask) -> asyncio.Future[Any]:
        """Queue an ask; the future brings its answer, which may be a refusal.

        Raises:
            OverloadedError: the queue is full.
            UnavailableError: shutting down; through the future: the database was lost.
        """
        lanes = self._lanes
        if len(lanes) == 1:
            return lanes[0].submit(ask)
        spread = int.from_bytes(blake2b(ask.channel_id.encode(), digest_size=4).digest())
        return lanes[spread % len(lanes)].submit(ask)
