"""Events on their way to readers, encoded once for all who take them together."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Final

import msgspec

from actae.domain.events import Event

# Clients take frames of just under 1 MiB. What is larger than this is told as a stub: the same event without
# payload and metadata, to be read by its cursor.
TOLD_BYTES_MAX: Final = 1_000_000

_ESCAPED_BYTES_MAX: Final = 6  # what one character of a name may take in JSON
_ENVELOPE_BYTES: Final = 600  # what a frame holds besides payload and metadata, as a rule

# A run is what one write to a socket carries.
RUN_BYTES_MAX: Final = 64 * 2**10


class Told(msgspec.Struct, frozen=True):
    """One event as readers get it. Its size is about what it takes on the wire."""

    event: Event
    size: int
    is_stub: bool = False


Encode = Callable[[Told], bytes]


class Run:
    """Consecutive events of one channel."""

    __slots__ = ("_encoded", "first", "last", "size", "told")

    def __init__(self, told: tuple[Told, ...]) -> None:
        self.told = told
        self.first = told[0].event.cursor
        self.last = told[-1].event.cursor
        self.size = sum(each.size for each in told)
        self._encoded: dict[Encode, bytes] = {}

    @property
    def footprint(self) -> int:
        """What it may take in memory: the events, and their encodings as frames and as server-sent events."""
        return 3 * self.size

    def encoded(self, encode: Encode) -> bytes:
        """All events, one after the other; made once for each encoding."""
        found = self._encoded.get(encode)
        if found is None:
            found = self._encoded[encode] = b"".join(map(encode, self.told))
        return found

    def after(self, cursor: int) -> "Run | None":
        """What of it lies above a cursor; None is nothing."""
        if cursor < self.first:
            return self
        if cursor >= self.last:
            return None
        return Run(self.told[cursor + 1 - self.first :])

    def without(self, cursors: frozenset[int]) -> "Run | None":
        """What remains when some events are left out; None is nothing."""
        kept = tuple(each for each in self.told if each.event.cursor not in cursors)
        return Run(kept) if kept else None


def tell(event: Event, size: int | None = None) -> Told:
    """The event as readers get it. `size` is that of its payload and metadata, if they were left out."""
    if size is None:
        size = len(bytes(event.payload)) + (0 if event.metadata is None else len(bytes(event.metadata)))
    names = len(event.type) + len(event.actor) + len(event.agent_id or "") + len(event.user_id or "")
    if size + names * _ESCAPED_BYTES_MAX <= TOLD_BYTES_MAX:
        return Told(event, size + names + _ENVELOPE_BYTES)
    payload = b'{"truncated":true,"size_bytes":%d}' % size
    stub = msgspec.structs.replace(event, payload=msgspec.Raw(payload), metadata=None)
    return Told(stub, len(payload) + names + _ENVELOPE_BYTES, is_stub=True)


def runs_of(told: Iterable[Told]) -> Iterator[Run]:
    """Consecutive events, cut into pieces that one write may carry."""
    piece: list[Told] = []
    size = 0
    for each in told:
        if piece and size + each.size > RUN_BYTES_MAX:
            yield Run(tuple(piece))
            piece, size = [], 0
        piece.append(each)
        size += each.size
    if piece:
        yield Run(tuple(piece))


def joined(runs: Sequence[Run]) -> Run:
    """Runs that follow each other in one: the first, and as many more as the same write may carry."""
    sizes = accumulate(run.size for run in runs)
    some = [run for run, size in zip(runs, sizes, strict=True) if size <= RUN_BYTES_MAX] or runs[:1]
    return some[0] if len(some) == 1 else Run(tuple(chain.from_iterable(run.told for run in some)))


def are_consecutive(told: Sequence[Told]) -> bool:
    """Whether no cursor is missing between them."""
    return all(after.event.cursor == before.event.cursor + 1 for before, after in pairwise(told))
