"""Event ids: UUIDv7 (RFC 9562) of the database's time, ascending within a batch."""

import random
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(count: int) -> datetime:
    """The moment so many microseconds after 1970."""
    return _EPOCH + count * _MICROSECOND


class EventIds:
    """Gives out the ids of one batch.

    48 bits of milliseconds, 12 bits of the fraction, 14 bits that count, 48 bits at random: sorting by
    id is sorting by time, then by order of insertion. Two servers differ in the random part.
    """

    __slots__ = ("_count", "_prefix")

    def __init__(self, now: datetime) -> None:
        millis, rest = divmod(microseconds(now), 1000)
        stamp = f"{millis:012x}"
        self._prefix = f"{stamp[:8]}-{stamp[8:]}-7{rest * 4096 // 1000:03x}-"
        self._count = 0

    def next(self) -> str:
        """The next id, greater than all before it. At most 16,384 per batch."""
        count = self._count
        self._count = count + 1
        return f"{self._prefix}{0x8000 | (count & 0x3FFF):04x}-{random.getrandbits(48):012x}"
