"""Calls about wake-ups."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from actae_client._calls.call import Call, identity, in_path, read, write
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._types.json import Json
from actae_client._types.wakeups import Wakeup
from actae_client.retry import Repeat

_ROOT = "/api/v1/scheduler/wakeups"
_NONE_IF_MISSING: Mapping[int, None] = {404: None}
_FALSE_IF_OVER: Mapping[int, bool] = {409: False}


def schedule_wakeup(
    channel_id: str, run_at: datetime | str, *, payload: dict[str, Json] | None, operation_id: str | None
) -> Call[Wakeup]:
    """Have an event appended at a moment, once per operation id."""
    validate_channel_id(channel_id)
    body: dict[str, Json] = {"channel_id": channel_id, "run_at": _moment(run_at)}
    if payload:
        body["payload"] = payload
    body["operation_id"] = identity(operation_id)
    return write(_ROOT, Wakeup.from_dict, body, repeat=Repeat.SAFE)


def list_wakeups(
    *, channel_id: str | None, status: str | None, after: str | None, limit: int | None
) -> Call[list[Wakeup]]:
    """Read wake-ups by their times."""
    if channel_id is not None:
        validate_channel_id(channel_id)
    query = {"channel_id": channel_id, "status": status, "after": after, "limit": limit}
    return read(_ROOT, _wakeups_of, query)


def get_wakeup(wakeup_id: str) -> Call[Wakeup | None]:
    """Read one wake-up."""
    return Call("GET", _path(wakeup_id), Wakeup.from_dict, repeat=Repeat.SAFE, values=_NONE_IF_MISSING)


def cancel_wakeup(wakeup_id: str) -> Call[bool]:
    """Keep it from firing. Sent again, this would be told that it is cancelled, and not by whom."""
    return Call("DELETE", _path(wakeup_id), _is_cancelled, values=_FALSE_IF_OVER)


def _path(wakeup_id: str) -> str:
    return f"{_ROOT}/{in_path('wakeup_id', wakeup_id)}"


def _moment(run_at: datetime | str) -> str:
    if isinstance(run_at, str):
        return run_at
    if not isinstance(run_at, datetime):
        raise TypeError(f"run_at must be a str or a datetime, not {type(run_at).__name__}")
    if run_at.utcoffset() is None:
        raise ValueError("run_at has no time zone")
    try:
        return run_at.astimezone(UTC).isoformat()
    except OverflowError:
        raise ValueError(f"run_at is {run_at}, which in UTC is not in one of the years 1 to 9999") from None


def _wakeups_of(reply: Any) -> list[Wakeup]:
    return [Wakeup.from_dict(each) for each in reply["wakeups"]]


def _is_cancelled(_reply: Any) -> bool:
    return True
