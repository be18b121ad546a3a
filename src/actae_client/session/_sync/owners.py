# Written by tools/generate_sync.py from _async/owners.py. Do not edit.
"""Which channel a step belongs to, and where it stands there."""

from __future__ import annotations

from typing import NamedTuple

from actae_client._types.channels import ChannelMetadata
from actae_client.errors import SessionError
from actae_client.session._sync.transport import SyncSessionTransport
from actae_client.session.names import MAX_LINEAGE_DEPTH
from actae_client.session.progress import Progress, forked_at_step
from actae_client.session.scan import PAGE, StepScan


class StepPlace(NamedTuple):
    """A channel and the cursor of a step on it."""

    channel_id: str
    cursor: int


def find_step(
    transport: SyncSessionTransport, channel_id: str, step_number: int, known: Progress | None = None
) -> StepPlace:
    """Find the channel that recorded a step: the first steps of a fork belong to its parent.

    The server's index is asked first, then what the session itself remembers (`known`), then the
    metadata of the channels, and at last their logs. Raises SessionError for a step that is
    nowhere; a place is never guessed.
    """
    if step_number < 1:
        raise SessionError(f"steps are counted from 1; there is no step {step_number}")
    resolved = transport.resolve_step(channel_id, step_number)
    if resolved is not None:
        return StepPlace(resolved[0], resolved[1])
    cursor = known.cursor_of(step_number) if known is not None else None
    if cursor is not None:
        return StepPlace(channel_id, cursor)
    owner = _owner_of(transport, channel_id, step_number)
    stored = Progress.from_metadata(owner.experiment_metadata)
    cursor = stored.cursor_of(step_number) or _scan_for(transport, owner, step_number)
    return StepPlace(owner.channel_id, cursor)


def _owner_of(transport: SyncSessionTransport, channel_id: str, step_number: int) -> ChannelMetadata:
    for _ in range(MAX_LINEAGE_DEPTH + 1):
        metadata = transport.get_channel_metadata(channel_id)
        if metadata is None:
            raise SessionError(f"there is no channel {channel_id!r}")
        inherited = forked_at_step(metadata.experiment_metadata) or 0
        if metadata.parent_channel_id is None or step_number > inherited:
            return metadata
        channel_id = metadata.parent_channel_id
    raise SessionError(f"step {step_number} lies more than {MAX_LINEAGE_DEPTH} forks above the session")


def _scan_for(transport: SyncSessionTransport, owner: ChannelMetadata, step_number: int) -> int:
    scan = scan_log(transport, owner.channel_id, inherited=forked_at_step(owner.experiment_metadata) or 0)
    if scan.cursor == 0:
        raise SessionError(f"channel {owner.channel_id!r} has no events, so it has no step {step_number}")
    cursor = scan.steps.get(step_number)
    if cursor is None:
        raise SessionError(
            f"channel {owner.channel_id!r} has no step {step_number}; its last one is "
            f"{max(scan.steps, default=0)}"
        )
    return cursor


def scan_log(transport: SyncSessionTransport, channel_id: str, *, inherited: int = 0) -> StepScan:
    """Read the whole log of a channel, looking for steps."""
    scan = StepScan(channel_id, inherited)
    while page := transport.replay(channel_id, cursor=scan.cursor, limit=PAGE):
        scan.read(page)
    return scan
