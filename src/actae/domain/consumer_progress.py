"""How far a consumer group is: which events are done, which are in somebody's hands, and which are free."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from operator import attrgetter
from typing import NamedTuple, Self


class Span(NamedTuple):
    """Cursors from `first` to `last`: reserved for a consumer, or, without one, done out of order."""

    first: int
    last: int
    consumer_id: str | None = None

    @property
    def size(self) -> int:
        """How many cursors these are."""
        return self.last - self.first + 1


class Progress(NamedTuple):
    """Everything up to the watermark is done. Above it, spans lie in order and apart; all else is free.

    Neighbouring spans of one kind are one, and no done one touches the watermark: there is one way to write
    a progress down, and it is short.
    """

    watermark: int = 0
    spans: tuple[Span, ...] = ()

    def free(self, up_to: int, most: int) -> list[int]:
        """The lowest cursors that are neither done nor in anybody's hands."""
        return list(islice(chain.from_iterable(self._gaps(up_to)), most))

    def held_by(self, consumer_id: str, most: int) -> list[int]:
        """The lowest cursors in a consumer's hands."""
        cursors = chain.from_iterable(range(span.first, span.last + 1) for span in self._of(consumer_id))
        return list(islice(cursors, most))

    def highest_held_by(self, consumer_id: str) -> int | None:
        """The highest cursor in a consumer's hands."""
        return max((span.last for span in self._of(consumer_id)), default=None)

    def count_held_by(self, consumer_id: str) -> int:
        """How many cursors are in a consumer's hands."""
        return sum(span.size for span in self._of(consumer_id))

    def reserved(self, consumer_id: str, cursors: Iterable[int]) -> Self:
        """These free cursors, ascending, are put into a consumer's hands."""
        return self._of_spans((*self.spans, *(Span(each, each, consumer_id) for each in cursors)))

    def released(self, is_released: Callable[[str], bool]) -> Self:
        """What is in the hands of these consumers is free again."""
        return self._of_spans(
            span for span in self.spans if span.consumer_id is None or not is_released(span.consumer_id)
        )

    def done_by(self, consumer_id: str, up_to: int) -> Self:
        """What is in a consumer's hands, up to a cursor, is done."""
        return self._of_spans(
            chain.from_iterable(
                _split(span, up_to) if span.consumer_id == consumer_id else (span,) for span in self.spans
            )
        )

    def _of(self, consumer_id: str) -> Iterator[Span]:
        return (span for span in self.spans if span.consumer_id == consumer_id)

    def _gaps(self, up_to: int) -> Iterator[range]:
        free_from = self.watermark + 1
        for span in self.spans:
            yield range(free_from, min(span.first, up_to + 1))
            free_from = span.last + 1
        yield range(free_from, up_to + 1)

    def _of_spans(self, spans: Iterable[Span]) -> Self:
        watermark = self.watermark
        kept: list[Span] = []
        for span in sorted(spans, key=attrgetter("first")):
            if span.consumer_id is None and span.first == watermark + 1:
                watermark = span.last
            elif kept and kept[-1].consumer_id == span.consumer_id and kept[-1].last + 1 == span.first:
                kept[-1] = kept[-1]._replace(last=span.last)
            else:
                kept.append(span)
        return self._replace(watermark=watermark, spans=tuple(kept))


def _split(span: Span, up_to: int) -> Iterator[Span]:
    """The part of a span that is done now, and the rest."""
    if span.first <= up_to:
        yield Span(span.first, min(span.last, up_to))
    if span.last > up_to:
        yield span._replace(first=max(span.first, up_to + 1))
