"""The grammar of channel ids."""

from __future__ import annotations

import re

_GRAMMAR = re.compile(r"[A-Za-z0-9._:-]{1,256}").fullmatch


def validate_channel_id(channel_id: str) -> None:
    """Refuse what cannot name a channel.

    A channel id is 1 to 256 characters from `A-Z a-z 0-9 . _ : -`, and neither `.` nor `..`.
    Raises ValueError, and TypeError for anything but a str.
    """
    validate_id("channel_id", channel_id)


def validate_id(name: str, value: str) -> None:
    """Refuse what cannot name a channel, a group or a member, as `validate_channel_id` does."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if not is_channel_id(value):
        raise ValueError(
            f"{name} is {value[:300]!r}; it must be 1 to 256 characters from "
            "A-Z a-z 0-9 . _ : - and neither '.' nor '..'"
        )


def is_channel_id(channel_id: str) -> bool:
    """Whether the text can name a channel."""
    return _GRAMMAR(channel_id) is not None and channel_id not in (".", "..")
