"""Users, and what a key may do."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class UserInfo:
    """A user's account."""

    id: str
    email: str
    email_verified: bool
    name: str | None = None
    image: str | None = None
    created_at: str | None = None


@dataclass(frozen=True, slots=True)
class AuthResult:
    """Who signed in, and the token that proves it."""

    user: UserInfo
    token: str

    def __repr__(self) -> str:
        return f"AuthResult(user={self.user!r}, token=…)"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the key may do: lists of channel patterns.

    A pattern is `*`, a prefix that ends in `*`, or the exact channel id. A match in `admin`
    grants every action, and one in `read` to observe: to see keys and statuses, and no content.
    """

    read: list[str] = field(default_factory=list)
    write: list[str] = field(default_factory=list)
    delete: list[str] = field(default_factory=list)
    admin: list[str] = field(default_factory=list)
    auth_method: str | None = None
    key_id: str | None = None
    key_source: str | None = None
    expires_at: str | None = None
    observe: list[str] = field(default_factory=list)

    def can(self, action: str, channel: str) -> bool:
        """Whether `action` (`read`, `write`, `delete`, `observe` or `admin`) is granted on the channel.

        Raises ValueError for another action.
        """
        patterns = {
            "read": self.read,
            "write": self.write,
            "delete": self.delete,
            "observe": [*self.observe, *self.read],
            "admin": self.admin,
        }
        if action not in patterns:
            raise ValueError(f"action is {action!r}; it must be one of {', '.join(patterns)}")
        return any(_matches(pattern, channel) for pattern in (*patterns[action], *self.admin))

    def can_read(self, channel: str) -> bool:
        """Whether events and state of the channel may be read."""
        return self.can("read", channel)

    def can_write(self, channel: str) -> bool:
        """Whether the channel may be written."""
        return self.can("write", channel)

    def can_publish(self, channel: str) -> bool:
        """Whether messages may be published on the channel; the same as `can_write`."""
        return self.can("write", channel)

    def can_fork(self, channel: str) -> bool:
        """Whether the channel may be forked; the same as `can_write`."""
        return self.can("write", channel)


def _matches(pattern: str, channel: str) -> bool:
    if pattern.endswith("*"):
        return channel.startswith(pattern[:-1])
    return pattern == channel
