"""What changes from attempt to attempt: random identifiers, times, counters.

A guess from how names and values look. A digest or a UUID made of names (version 3 and 5) does not change,
and a date far from the call's own moment is business, not a clock.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

_RANDOM_OR_TIMED_UUID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[1467][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
_TIME_OF_DAY: Final = r"\d{4}-\d\d-\d\d[T_ ]\d\d[:.-]?\d\d(?:[:.-]?\d\d)?"
_EPOCH: Final = r"(?<![0-9A-Za-z.])1\d{9}(?:\d{3}|\d{6}|\d{9}|\.\d+)?(?![0-9A-Za-z])"
_VOLATILE: Final = re.compile(f"{_RANDOM_OR_TIMED_UUID}|{_TIME_OF_DAY}|{_EPOCH}", re.IGNORECASE)

# Without case, hyphens and underscores.
_NAMES: Final = re.compile(
    r"ts|now|timestamp|x?requestid|attempts?|attempt(?:no|number|count)|retry|retries|retry(?:no|number|count)"
    r"|.*(?:traceid|spanid|traceparent|correlationid|nonce)"
)
_NEAR: Final = timedelta(minutes=10)
_DEPTH_MAX: Final = 6
_SECONDS_MIN, _SECONDS_MAX = 10**9, 10**10


def volatile_part(key_name: str, params: Any) -> str | None:
    """What of a key looks random or timed and does not come from the call's parameters."""
    text: str | None = None
    for found in _VOLATILE.finditer(key_name):
        if text is None:
            text = json.dumps(params, ensure_ascii=False).casefold()
        if found[0].casefold() not in text:
            return found[0]
    return None


def volatile_fields(params: Any, called_at: datetime, *, compared: list[str] | None) -> Iterator[str]:
    """Paths of the fields that look like a clock, a counter of attempts or a trace, among those compared."""
    if isinstance(params, dict):
        for name, value in params.items():
            if compared is None or name in compared:
                yield from _volatile(name, name, value, called_at, 1)


def _volatile(path: str, name: str, value: Any, called_at: datetime, depth: int) -> Iterator[str]:
    if _NAMES.fullmatch(re.sub(r"[-_]", "", name.casefold())) or _is_near(value, called_at):
        yield path
    elif depth >= _DEPTH_MAX:
        return
    elif isinstance(value, dict):
        for inner, each in value.items():
            yield from _volatile(f"{path}.{inner}", inner, each, called_at, depth + 1)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _volatile(f"{path}[{index}]", "", each, called_at, depth + 1)


def _is_near(value: Any, called_at: datetime) -> bool:
    """Whether it is a moment about that of the call."""
    moment = _moment(value)
    return moment is not None and abs(moment - called_at) <= _NEAR


def _moment(value: Any) -> datetime | None:
    try:
        if isinstance(value, str) and re.match(_TIME_OF_DAY, value):
            moment = datetime.fromisoformat(value)
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _of_epoch(value)
    except (ValueError, OverflowError):
        return None
    return None


def _of_epoch(number: float) -> datetime | None:
    for unit in (1, 10**3, 10**6, 10**9):
        if _SECONDS_MIN <= number / unit < _SECONDS_MAX:
            return datetime.fromtimestamp(number / unit, UTC)
    return None
