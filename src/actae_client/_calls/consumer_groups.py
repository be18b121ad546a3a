"""Calls about consumer groups. But for deleting, each has the same effect when it is made twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from actae_client._calls.arguments import require_number
from actae_client._calls.call import Call, in_path, read, write
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._types.consumer_groups import ClaimedWork, GroupInfo, GroupOffset
from actae_client._types.json import Json
from actae_client.retry import Repeat

T = TypeVar("T")

WAIT_SECONDS_MAX = 20.0  # a server waits no longer

_ROOT = "/api/v1/groups"


def create_group(group_id: str, channel_id: str, *, metadata: dict[str, Json] | None) -> Call[GroupInfo]:
    """Create a group, or find the one that is there."""
    validate_channel_id(channel_id)
    body: dict[str, Json] = {"group_id": group_id, "channel_id": channel_id}
    if metadata:
        body["metadata"] = metadata
    return write(_ROOT, GroupInfo.from_dict, body, repeat=Repeat.SAFE)


def list_groups(*, channel_id: str | None) -> Call[list[GroupInfo]]:
    """List groups, of one channel or of all."""
    if channel_id is not None:
        validate_channel_id(channel_id)
    return read(_ROOT, _groups_of, {"channel_id": channel_id})


def delete_group(group_id: str) -> Call[None]:
    """Forget a group.

    Never repeated: a group of this name may have been created anew in between.
    """
    return Call("DELETE", _path(group_id), _nothing)


def join_group(group_id: str, consumer_id: str, *, lease_seconds: int) -> Call[GroupOffset]:
    """Begin to consume."""
    return _tell(group_id, "join", GroupOffset.from_dict, consumer_id, lease_seconds=lease_seconds)


def claim_work(group_id: str, consumer_id: str, *, limit: int, wait_seconds: float) -> Call[ClaimedWork]:
    """Ask for events. When the reply is lost, the same ones come again."""
    require_number("wait_seconds", wait_seconds)
    if not 0 <= wait_seconds <= WAIT_SECONDS_MAX:
        raise ValueError(f"wait_seconds is {wait_seconds}; it must be 0 to {WAIT_SECONDS_MAX:g}")
    waiting: dict[str, Json] = {"wait_seconds": wait_seconds} if wait_seconds else {}
    body: dict[str, Json] = {"consumer_id": consumer_id, "limit": limit, **waiting}
    path = f"{_path(group_id)}/work"
    return write(path, ClaimedWork.from_dict, body, repeat=Repeat.SAFE, waits_seconds=wait_seconds)


def ack_work(group_id: str, consumer_id: str, cursor: int) -> Call[None]:
    """Acknowledge events, up to and including a cursor."""
    return _tell(group_id, "ack", _nothing, consumer_id, cursor=cursor)


def heartbeat(group_id: str, consumer_id: str, *, lease_seconds: int) -> Call[None]:
    """Keep a live lease."""
    return _tell(group_id, "heartbeat", _nothing, consumer_id, lease_seconds=lease_seconds)


def group_offsets(group_id: str) -> Call[list[GroupOffset]]:
    """Read where each consumer stands."""
    return read(f"{_path(group_id)}/offsets", _offsets_of)


def _tell(group_id: str, verb: str, decode: Callable[[Any], T], consumer_id: str, **values: Json) -> Call[T]:
    body: dict[str, Json] = {"consumer_id": consumer_id, **values}
    return write(f"{_path(group_id)}/{verb}", decode, body, repeat=Repeat.SAFE)


def _path(group_id: str) -> str:
    return f"{_ROOT}/{in_path('group_id', group_id)}"


def _groups_of(reply: Any) -> list[GroupInfo]:
    return [GroupInfo.from_dict(item) for item in reply["groups"]]


def _offsets_of(reply: Any) -> list[GroupOffset]:
    return [GroupOffset.from_dict(item) for item in reply["offsets"]]


def _nothing(_reply: Any) -> None:
    return None
