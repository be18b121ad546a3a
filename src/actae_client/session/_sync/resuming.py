# Written by tools/generate_sync.py from _async/resuming.py. Do not edit.
"""Where a session stopped, read from its channel."""

from __future__ import annotations

from actae_client._types.channels import ChannelMetadata
from actae_client._types.json import Json
from actae_client._types.states import LatestState
from actae_client.errors import SessionCompletedError, SessionError
from actae_client.session._sync.forking import forget_copied_state
from actae_client.session._sync.owners import scan_log
from actae_client.session._sync.transport import SyncSessionTransport
from actae_client.session.progress import Progress, forked_at_step
from actae_client.session.start import Lineage, Start


def read_resumable(transport: SyncSessionTransport, channel_id: str) -> ChannelMetadata:
    """The metadata of a session that can go on. Raises SessionError, SessionCompletedError."""
    metadata = transport.get_channel_metadata(channel_id)
    if metadata is None or metadata.deleted_at is not None:
        raise SessionError(f"there is no session {channel_id!r}")
    if (metadata.experiment_metadata or {}).get("status") == "completed":
        raise SessionCompletedError(
            f"session {channel_id!r} is completed; fork it at a step to go on from there"
        )
    return metadata


def resumed_start(
    transport: SyncSessionTransport, metadata: ChannelMetadata, intervention: dict[str, Json] | None
) -> Start:
    """Go on after the last step that was recorded, whoever was killed meanwhile."""
    stored = metadata.experiment_metadata or {}
    lineage = Lineage.of(metadata)
    progress = _read_progress(transport, metadata)
    return Start(
        status="started",
        progress=progress,
        inherited=_read_state(transport, metadata, progress, lineage),
        lineage=lineage,
        intervention=intervention or stored.get("intervention"),
    )


def _read_progress(transport: SyncSessionTransport, metadata: ChannelMetadata) -> Progress:
    """What the session wrote about itself, which lags behind, and what the log says."""
    progress = Progress.from_metadata(metadata.experiment_metadata)
    latest = transport.latest_step_number(metadata.channel_id)
    if latest is not None:
        progress.reach(latest)
        return progress
    scan = scan_log(transport, metadata.channel_id)
    for number, cursor in scan.numbered.items():
        progress.place(number, cursor)
    return progress


def _read_state(
    transport: SyncSessionTransport, metadata: ChannelMetadata, progress: Progress, lineage: Lineage | None
) -> LatestState | None:
    if lineage is not None and lineage.boundary_mode == "lineage_only":
        forget_copied_state(transport, lineage.receipt)
    latest = transport.latest_state(metadata.channel_id)
    if latest is None or lineage is None or not (lineage.has_state and lineage.is_beyond):
        return latest
    # What was copied is none of this session's; what it has saved itself since then is.
    is_copied = latest["cursor"] <= 1 or progress.count == forked_at_step(metadata.experiment_metadata)
    return None if is_copied else latest
