"""State snapshots: the ask that saves one, its guards, and the decision."""

from datetime import datetime
from typing import NamedTuple

import msgspec

from actae.domain.answers import Refused
from actae.domain.channels import Head
from actae.domain.errors import ActaeError, IdempotencyConflictError, VersionConflictError
from actae.domain.identity import Identity
from actae.domain.view import View


class SaveState(msgspec.Struct, frozen=True):
    """Save a new snapshot at a cursor; no event."""

    channel_id: str
    cursor: int
    state: bytes
    size: int
    identity: Identity | None = None
    expected_version: int | None = None
    expected_cursor: int | None = None
    dependencies: bytes | None = None

    key_digest: None = None

    @property
    def operation_digest(self) -> str | None:
        """What the batch looks up to recognise a repetition."""
        return self.identity.operation_digest if self.identity else None


class Saved(NamedTuple):
    """The snapshot's number and place."""

    channel_id: str
    version: int
    cursor: int
    timestamp: datetime | None
    replayed: bool = False


def guard_refusal(head: Head, expected_version: int | None, expected_cursor: int | None) -> ActaeError | None:
    """Each given expectation must equal the latest snapshot's value; 0 also matches 'no snapshot'."""
    return guard_refusal_of(
        head.latest_version, head.latest_version_cursor, expected_version, expected_cursor
    )


def guard_refusal_of(
    latest_version: int,
    latest_version_cursor: int | None,
    expected_version: int | None,
    expected_cursor: int | None,
) -> ActaeError | None:
    """The same of a snapshot that is known by its numbers."""
    current_cursor = latest_version_cursor or 0
    version_differs = expected_version is not None and expected_version != latest_version
    cursor_differs = expected_cursor is not None and expected_cursor != current_cursor
    if version_differs or cursor_differs:
        return VersionConflictError(current_version=latest_version, current_cursor=current_cursor)
    return None


def decide_save_state(view: View, ask: SaveState) -> Saved | Refused:
    """Repetition first, guards second. A save always makes a new version, even when nothing changed."""
    head = view.head(ask.channel_id)
    if ask.identity is not None:
        known = view.operation(ask.channel_id, ask.identity.operation_digest)
        if known is not None:
            if known.content_digest != ask.identity.content_digest or known.version is None:
                return Refused(IdempotencyConflictError(ask.identity.operation_id))
            return Saved(ask.channel_id, known.version, ask.cursor, None, replayed=True)
    refusal = head.refusal() or guard_refusal(head, ask.expected_version, ask.expected_cursor)
    if refusal is not None:
        return Refused(refusal)
    version = view.put_state(head, cursor=ask.cursor, state=ask.state, dependencies=ask.dependencies)
    if ask.identity is not None:
        view.put_operation(ask.channel_id, ask.identity, cursor=None, version=version)
    return Saved(ask.channel_id, version, ask.cursor, view.now)
