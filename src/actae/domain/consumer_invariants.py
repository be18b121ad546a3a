"""What must always hold of a consumer group: of its name, of its watermark, of what is in whose hands."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from actae.domain.consumer_progress import Progress, Span


class GroupPlace(NamedTuple):
    """A group as it is stored, and what must agree with it."""

    channel_id: str
    group_id: str
    named_channel_id: str | None  # where its name leads to
    latest_cursor: int
    progress: Progress
    highest_reserved: Mapping[str, int]  # of those that have something in their hands


def consumer_group_is_sound(place: GroupPlace) -> Iterator[str]:
    """The group is found by its name, and knows of each event once, in the shortest way."""
    watermark, latest_cursor = place.progress.watermark, place.latest_cursor
    if place.named_channel_id != place.channel_id:
        yield f"its name leads to {place.named_channel_id or 'nothing'}"
    if not 0 <= watermark <= latest_cursor:
        yield f"the watermark is {watermark}, and the channel ends at {latest_cursor}"
    before = Span(0, watermark)
    for span in place.progress.spans:
        if span.first <= before.last:
            yield f"cursor {span.first} is counted twice"
        elif span.first == before.last + 1 and span.consumer_id == before.consumer_id:
            yield f"what ends at cursor {before.last} and what begins behind it are one"
        before = span
        yield from _wrong_with(span, place)


def _wrong_with(span: Span, place: GroupPlace) -> Iterator[str]:
    if span.last > place.latest_cursor:
        yield f"cursor {span.last} is handed out, and the channel ends at {place.latest_cursor}"
    if span.consumer_id is None:
        return
    highest = place.highest_reserved.get(span.consumer_id)
    if highest is None:
        yield f"cursor {span.first} is in the hands of {span.consumer_id!r}, who never joined"
    elif span.last > highest:
        yield f"{span.consumer_id!r} has cursor {span.last}, and {highest} is the highest it was handed"
