"""Who may do what on which channel."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

import msgspec
from msgspec.structs import astuple

from actae.domain.errors import ForbiddenError

_PATTERN = re.compile(r"[A-Za-z0-9._:-]{1,256}\*?|\*")  # the characters of channel ids

Action = Literal["read", "write", "delete", "admin", "observe"]


class Permissions(msgspec.Struct, frozen=True):
    """Five lists of channel patterns. `*` matches all, `prefix*` by prefix, anything else exactly.

    A match in `admin` grants every action. Who may read may observe, which is to see what happened and not
    what it said (`redaction.py`).
    """

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    admin: tuple[str, ...] = ()
    observe: tuple[str, ...] = ()

    def patterns(self, action: Action) -> tuple[str, ...]:
        """The patterns that grant an action, those of `admin` included."""
        own: tuple[str, ...] = getattr(self, action)
        if action == "observe":
            own += self.read
        return own if action == "admin" else own + self.admin

    def allows(self, action: Action, channel_id: str) -> bool:
        """Whether the action is granted on this channel."""
        return any(matches(pattern, channel_id) for pattern in self.patterns(action))

    def covers(self, action: Action, pattern: str) -> bool:
        """Whether the action is granted on every channel that a pattern can match."""
        return any(
            (granted.endswith("*") and pattern.startswith(granted[:-1])) or granted == pattern
            for granted in self.patterns(action)
        )

    def reaches(self, channel_id: str) -> bool:
        """Whether anything at all is granted on this channel; otherwise its name is none of theirs."""
        return self.allows("read", channel_id) or self.allows("write", channel_id)

    def observed_of(self, channel_ids: Iterable[str]) -> list[str]:
        """Those that may be observed; the other names are not for whoever asks."""
        return [each for each in channel_ids if self.allows("observe", each)]

    def readable_like(self) -> list[str] | None:
        """LIKE patterns of the readable channels; None stands for all."""
        return _all_like(self.patterns("read"))

    def observable_like(self) -> list[str] | None:
        """LIKE patterns of the channels that may be observed or read; None stands for all."""
        return _all_like(self.patterns("observe"))

    @property
    def reads_all_it_observes(self) -> bool:
        """Whether no channel is seen without its content."""
        return all(self.covers("read", pattern) for pattern in self.observe)

    def grants_all(self, other: "Permissions") -> bool:
        """Whether `admin` covers everything that others are granted: who may do that looks after them."""
        return all(self.covers("admin", pattern) for own in astuple(other) for pattern in own)


EVERYTHING = Permissions(read=("*",), write=("*",), delete=("*",), admin=("*",), observe=("*",))


class Caller(msgspec.Struct, frozen=True):
    """Who sent a request, as far as the credential tells."""

    permissions: Permissions
    auth_method: Literal["api_key", "jwt", "none"]
    key_id: str | None = None
    user_id: str | None = None
    expires_at: datetime | None = None
    writes_all: bool = False

    @property
    def owner(self) -> str:
        """Whose preferences these are."""
        return f"user:{self.user_id}" if self.user_id else f"key:{self.key_id}"

    def require(self, action: Action, channel_id: str) -> None:
        """Raise ForbiddenError unless the action is granted on the channel."""
        if action == "write" and self.writes_all:
            return
        if not self.permissions.allows(action, channel_id):
            raise ForbiddenError(
                f"This credential may not {action} channel {channel_id!r}.", channel_id=channel_id
            )

    def require_any(self, action: Action) -> None:
        """Raise ForbiddenError unless the action is granted on some channel."""
        if not self.permissions.patterns(action):
            raise ForbiddenError(f"This credential may not {action} any channel.")


def may_write_all(permissions: Permissions) -> bool:
    """Whether every channel may be written: worth knowing once, not at each request."""
    return "*" in permissions.patterns("write")


def bad_patterns(patterns: Sequence[str]) -> list[str]:
    """Those that match no channel: no beginning of a channel id, or with `*` elsewhere than at the end."""
    return [each for each in patterns if _PATTERN.fullmatch(each) is None or each in {".", ".."}]


def matches(pattern: str, channel_id: str) -> bool:
    """Whether a pattern is for this channel."""
    if pattern.endswith("*"):
        return channel_id.startswith(pattern[:-1])
    return channel_id == pattern


def _all_like(patterns: Sequence[str]) -> list[str] | None:
    return None if "*" in patterns else [like_of(pattern) for pattern in patterns]


def like_of(pattern: str) -> str:
    """The LIKE pattern that matches the same channels."""
    literal = pattern.removesuffix("*").replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return literal + ("%" if pattern.endswith("*") else "")
