"""RFC 3339 moments in, and nothing that only looks like one."""

from datetime import UTC, datetime

import msgspec

from actae.domain.errors import InvalidRequestError


def parse_moment(value: str, field: str) -> datetime:
    """A moment with its offset.

    Raises:
        InvalidRequestError: it is not RFC 3339, or has no offset.
    """
    try:
        moment = msgspec.convert(value, datetime)
    except msgspec.ValidationError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidRequestError(
            f"{field!r} must be an RFC 3339 moment with an offset, such as 2026-08-05T12:00:00Z; "
            f"it is {value[:100]!r}.",
            field=field,
        )
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise InvalidRequestError(
            f"{field!r} is {value[:100]!r}, which in UTC is not in one of the years 1 to 9999.", field=field
        ) from None
    return moment
