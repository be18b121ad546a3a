"""Where a session stopped, read from its channel."""

from __future__ import annotations

from actae_client._types.channels import ChannelMetadata
from actae_client._types.json import Json
from actae_client._types.states import LatestState
from actae_client.errors import SessionCompletedError, SessionError
from actae_client.session._async.forking import forget_copied_state
from actae_client.session._async.owners import scan_log
from actae_client.session._async.transport import SessionTransport
from actae_client.session.progress import Progress, forked_at_step
from actae_client.session.start import Lineage, Start


async def read_resumable(transport: SessionTransport, channel_id: str) -> ChannelMetadata:
    """The metadata of a session that can go on. Raises SessionError, SessionCompletedError."""
    metadata = await transport.get_channel_metadata(channel_id)
    if metadata is None or metadata.deleted_at is not None:
        raise SessionError(f"there is no session {channel_id!r}")
    if (metadata.experiment_metadata or {}).get("status") == "completed":
        raise SessionCompletedError(
            f"session {channel_id!r} is completed; fork it at a step to go on from there"
        )
    return metadata


async def resumed_start(
    transport: SessionTransport, metadata: ChannelMetadata, intervention: dict[str, Json] | None
) -> Start:
    """Go on after the last step that was recorded, whoever was killed meanwhile."""
    stored = metadata.experiment_metadata or {}
    lineage = Lineage.of(metadata)
    progress = await _read_progress(transport, metadata)
    return Start(
        status="started",
        progress=progress,
        inherited=await _read_state(transport, metadata, progress, lineage),
        lineage=lineage,
        intervention=intervention or stored.get("intervention"),
    )


async def _read_progress(transport: SessionTransport, metadata: ChannelMetadata) -> Progress:
    """What the session wrote about itself, which lags behind, and what the log says."""
    progress = Progress.from_metadata(metadata.experiment_metadata)
    latest = await transport.latest_step_number(metadata.channel_id)
    if latest is not None:
        progress.reach(latest)
        return progress
    scan = await scan_log(transport, metadata.channel_id)
    for number, cursor in scan.numbered.items():
        progress.place(number, cursor)
    return progress


async def _read_state(
    transport: SessionTransport, metadata: ChannelMetadata, progress: Progress, lineage: Lineage | None
) -> LatestState | None:
    if lineage is not None and lineage.boundary_mode == "lineage_only":
        await forget_copied_state(transport, lineage.receipt)
    latest = await transport.latest_state(metadata.channel_id)
    if latest is None or lineage is None or not (lineage.has_state and lineage.is_beyond):
        return latest
    # What was copied is none of this session's; what it has saved itself since then is.
    is_copied = latest["cursor"] <= 1 or progress.count == forked_at_step(metadata.experiment_metadata)
    return None if is_copied else latest
