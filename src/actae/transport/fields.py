"""The kinds of values that bodies and paths carry, and the checks that a type alone cannot say."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from actae.domain.access import bad_patterns
from actae.domain.errors import (
    ActaeError,
    ExecutionNotFoundError,
    InvalidRequestError,
    WakeupNotFoundError,
)
from actae.domain.group_errors import MessageNotFoundError

_BIGINT_MAX: Final = 2**63 - 1
_CHANNEL = re.compile(r"[A-Za-z0-9._:-]{1,256}")
_CURSOR = re.compile(r"[1-9][0-9]{0,17}")

ChannelId = Annotated[
    str,
    Meta(
        description="1 to 256 of `A-Z a-z 0-9 . _ : -`, but not `.` or `..`.",
        examples=["run-7f2a"],
        # Described here, checked by check_channel_id, whose refusal names the characters.
        extra_json_schema={"pattern": "^[A-Za-z0-9._:-]{1,256}$", "not": {"enum": [".", ".."]}},
    ),
]
ChannelPattern = Annotated[
    str,
    Meta(
        description="A channel id, or the beginning of some and `*`.",
        examples=["run-*"],
        extra_json_schema={
            "pattern": "^([A-Za-z0-9._:-]{1,256}\\*?|\\*)$",
            "not": {"enum": [".", ".."]},
        },
    ),
]
GroupId = Annotated[
    str,
    Meta(
        description="1 to 256 of `A-Z a-z 0-9 . _ : -`, but not `.` or `..`.",
        examples=["billing"],
        extra_json_schema={"pattern": "^[A-Za-z0-9._:-]{1,256}$", "not": {"enum": [".", ".."]}},
    ),
]
ConsumerId = Annotated[
    str,
    Meta(
        description="Names one worker; the same after a restart. 1 to 256 of `A-Z a-z 0-9 . _ : -`.",
        examples=["worker-1"],
        extra_json_schema={"pattern": "^[A-Za-z0-9._:-]{1,256}$", "not": {"enum": [".", ".."]}},
    ),
]
MemberId = Annotated[
    str,
    Meta(
        description="1 to 256 of `A-Z a-z 0-9 . _ : -`, but not `.` or `..`.",
        examples=["planner"],
        extra_json_schema={"pattern": "^[A-Za-z0-9._:-]{1,256}$", "not": {"enum": [".", ".."]}},
    ),
]
EventType = Annotated[str, Meta(min_length=1, max_length=256)]
Name = Annotated[str, Meta(min_length=1, max_length=1024)]
KeyName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=1024,
        description="Names the operation; the same on every retry.",
        examples=["charge:order-4471"],
    ),
]
Text = Annotated[str, Meta(max_length=65536)]
OperationId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=256,
        description="Chosen by the caller and reused across retries of this write.",
    ),
]
Cursor = Annotated[int, Meta(ge=0, le=_BIGINT_MAX)]
StepNumber = Annotated[int, Meta(ge=1, le=_BIGINT_MAX)]
LeaseSeconds = Annotated[int, Meta(ge=1, le=86_400)]

# The default of a field that holds any JSON. A factory, because the description of a type shows a plain
# default, and raw bytes cannot be shown.
NULL: Final[Any] = msgspec.field(default_factory=lambda: msgspec.Raw(b"null"))


def check_channel_id(value: str, field: str = "channel_id") -> str:
    """The channel id, if it is one.

    Raises:
        InvalidRequestError
    """
    if not is_channel_id(value):
        raise InvalidRequestError(
            f"{field!r} must be 1 to 256 of the characters A-Z a-z 0-9 . _ : - (not '.' or '..'); "
            f"it is {value[:300]!r}.",
            field=field,
        )
    return value


def check_channel_pattern(value: str, field: str = "pattern") -> str:
    """The pattern, if there can be channels for it.

    Raises:
        InvalidRequestError
    """
    if bad_patterns([value]):
        raise InvalidRequestError(
            f"{field!r} must be a channel id, or the beginning of some with `*` at its end; "
            f"it is {value[:300]!r}.",
            field=field,
        )
    return value


def is_channel_id(value: str) -> bool:
    """Whether the text can name a channel, a group or a member."""
    return _CHANNEL.fullmatch(value) is not None and value not in {".", ".."}


def split_execution_id(value: str) -> tuple[str, str]:
    """Channel id and key digest of an execution id.

    Raises:
        ExecutionNotFoundError: no execution can have this id.
    """
    return _split_id(value, ExecutionNotFoundError)


def split_wakeup_id(value: str) -> tuple[str, str]:
    """Channel id and the rest of a wake-up's id.

    Raises:
        WakeupNotFoundError: no wake-up can have this id.
    """
    return _split_id(value, WakeupNotFoundError)


def _split_id(value: str, missing: Callable[[str], ActaeError]) -> tuple[str, str]:
    channel_id, _, digits = value.rpartition("~")
    if len(digits) != 32 or not _is_hex(digits) or _CHANNEL.fullmatch(channel_id) is None:
        raise missing(value[:400])
    return channel_id, digits


def split_message_id(value: str) -> tuple[str, int]:
    """Channel id and cursor of a message id.

    Raises:
        MessageNotFoundError: no message can have this id.
    """
    channel_id, _, digits = value.rpartition("~")
    if _CURSOR.fullmatch(digits) is None or _CHANNEL.fullmatch(channel_id) is None:
        raise MessageNotFoundError(value[:400])
    return channel_id, int(digits)


def _is_hex(text: str) -> bool:
    return not set(text) - set("0123456789abcdef")


def check_uuid(value: str, field: str) -> str:
    """The UUID in its usual form.

    Raises:
        InvalidRequestError
    """
    try:
        return str(UUID(value))
    except ValueError:
        raise InvalidRequestError(f"{field!r} must be a UUID; it is {value[:100]!r}.", field=field) from None


def optional_object(value: msgspec.Raw, field: str) -> bytes | None:
    """The bytes of a JSON object; None for null.

    Raises:
        InvalidRequestError: it is something else.
    """
    raw = bytes(value)
    if raw == b"null":
        return None
    if not raw.startswith(b"{"):
        raise InvalidRequestError(f"{field!r} must be an object or null.", field=field)
    return raw
