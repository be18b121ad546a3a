"""Where a session stopped, read from its channel."""

from __future__ import annotations

from actae_client._types.channels import ChannelMetadata
from actae_client._types.json import Json
from actae_client.errors import ActaeError, SessionCompletedError, SessionError
from actae_client.session._async.covering import forget_copied_state
from actae_client.session._async.owners import scan_log
from actae_client.session._async.transport import SessionTransport
from actae_client.session.progress import Progress
from actae_client.session.scan import step_number_of
from actae_client.session.start import Inherited, Lineage, Start


async def read_resumable(transport: SessionTransport, channel_id: str) -> ChannelMetadata:
    """The metadata of a session that can go on. Raises SessionError, SessionCompletedError."""
    metadata = await read_session(transport, channel_id)
    require_resumable(metadata)
    return metadata


async def read_session(transport: SessionTransport, channel_id: str) -> ChannelMetadata:
    """The metadata of a session. Raises SessionError where there is none."""
    metadata = await transport.get_channel_metadata(channel_id)
    if metadata is None or metadata.deleted_at is not None:
        raise SessionError(f"there is no session {channel_id!r}")
    return metadata


def require_resumable(metadata: ChannelMetadata) -> None:
    """Refuse a session that has come to its end. Raises SessionCompletedError."""
    if (metadata.experiment_metadata or {}).get("status") == "completed":
        raise SessionCompletedError(
            f"session {metadata.channel_id!r} is completed; fork it at a step to go on from there"
        )


async def resumed_start(
    transport: SessionTransport, metadata: ChannelMetadata, intervention: dict[str, Json] | None
) -> Start:
    """Go on after the last step that was recorded, whoever was killed meanwhile."""
    stored = metadata.experiment_metadata or {}
    lineage = Lineage.of(metadata)
    progress = await read_progress(transport, metadata)
    if lineage is not None and lineage.is_to_be_empty:
        await forget_copied_state(transport, lineage.receipt)
    return Start(
        status="started",
        progress=progress,
        inherited=await read_state(transport, metadata.channel_id, progress, lineage),
        lineage=lineage,
        intervention=intervention or stored.get("intervention"),
    )


async def require_unmoved(transport: SessionTransport, channel_id: str, step_count: int) -> None:
    """Make sure that nobody else went on with a session that was read some time ago.

    Raises SessionError when somebody did, and SessionCompletedError when they came to the end.
    """
    progress = await read_progress(transport, await read_resumable(transport, channel_id))
    if progress.count > step_count:
        raise SessionError(
            f"session {channel_id!r} was at step {step_count} when it was resumed here, and another one has "
            f"brought it to step {progress.count} since; resume it again"
        )


async def read_progress(transport: SessionTransport, metadata: ChannelMetadata) -> Progress:
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


async def read_state(
    transport: SessionTransport, channel_id: str, progress: Progress, lineage: Lineage | None
) -> Inherited | None:
    """The latest state, unless it was copied from beyond the step of the fork."""
    latest = await transport.latest_state(channel_id)
    if latest is None:
        return None
    cursor = latest["cursor"]
    if lineage is not None and lineage.is_beyond and (cursor <= 1 or progress.count == lineage.at_step):
        return None
    return Inherited(
        latest["state"], cursor, await _step_of(transport, channel_id, cursor, progress, lineage)
    )


async def _step_of(
    transport: SessionTransport, channel_id: str, cursor: int, progress: Progress, lineage: Lineage | None
) -> int | None:
    """The step after which a state was saved: its event says so, which is the source's if it was copied."""
    step = progress.step_at(cursor)
    if step is not None:
        return step
    if lineage is None or cursor > 1:
        return await _step_recorded_at(transport, channel_id, cursor)
    receipt = lineage.receipt
    if receipt.resolved_cursor == lineage.requested_cursor or receipt.source_channel_id is None:
        return lineage.at_step
    return await _step_recorded_at(transport, receipt.source_channel_id, receipt.resolved_cursor)


async def _step_recorded_at(transport: SessionTransport, channel_id: str, cursor: int) -> int | None:
    try:
        page = await transport.replay(channel_id, cursor=max(cursor - 1, 0), limit=1)
    except ActaeError:  # a source may be none that this key reads, or deleted
        return None
    return next((step_number_of(event) for event in page if event.cursor == cursor), None)
