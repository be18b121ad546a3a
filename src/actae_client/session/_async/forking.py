"""Making the fork that a session starts from."""

from __future__ import annotations

import inspect
import logging
from typing import Any
from uuid import uuid4

from actae_client._types.forks import ForkReceipt
from actae_client._types.states import LatestState
from actae_client.errors import ChannelConflictError, NoRestorableCheckpointError, SnapshotBoundaryError
from actae_client.session._async.owners import StepPlace, find_step
from actae_client.session._async.persistence import persistently
from actae_client.session._async.transport import SessionTransport
from actae_client.session.fork_order import ForkOrder
from actae_client.session.manifest import fork_manifest
from actae_client.session.progress import Progress, forked_at_step
from actae_client.session.start import Lineage, Start

logger = logging.getLogger("actae_client.session")


async def forked_start(transport: SessionTransport, order: ForkOrder, known: Progress | None = None) -> Start:
    """Make the fork, and say where its session begins; `known` is what the source session remembers.

    Raises SessionError for a step that does not exist, NoRestorableCheckpointError when the mode is
    exact and there is no snapshot at or before the step, and ChannelConflictError when the name is
    taken.
    """
    order.check()
    place = await find_step(transport, order.source, order.at_step, known)
    receipt = await _make_fork(transport, order, place)
    lineage = Lineage(receipt, place.cursor, order.boundary_mode)
    return Start(
        status="created",
        progress=Progress.at_step(order.at_step),
        inherited=await _inherited_state(transport, lineage),
        lineage=lineage,
        intervention=order.intervention,
    )


async def _make_fork(transport: SessionTransport, order: ForkOrder, place: StepPlace) -> ForkReceipt:
    try:
        receipt = await _ask(transport, order, place, place.cursor)
    except SnapshotBoundaryError as error:
        if order.boundary_mode == "exact":
            raise NoRestorableCheckpointError(
                f"{order.source!r} has no snapshot at or before step {order.at_step}; give the session a "
                "state_fn, fork at a later step, or choose another boundary_mode"
            ) from error
        receipt = await _ask(transport, order, place, 0)
    except ChannelConflictError:
        if order.boundary_mode == "exact":
            raise
        # The same call may have made the child before, and then had to fork at 0.
        receipt = await _ask(transport, order, place, 0)
    if receipt.replayed:
        await _require_same(transport, order, receipt)
    if order.boundary_mode == "lineage_only":
        await forget_copied_state(transport, receipt)
    return receipt


async def _require_same(transport: SessionTransport, order: ForkOrder, receipt: ForkReceipt) -> None:
    """Refuse a child that exists and is another one, which the server cannot tell from its cursor."""
    child = await transport.get_channel_metadata(order.name)
    stored = (child.experiment_metadata if child is not None else None) or {}
    step = forked_at_step(stored)
    is_same_step = step == order.at_step or (step is None and receipt.requested_cursor > 0)
    if not is_same_step or stored.get("boundary_mode", order.boundary_mode) != order.boundary_mode:
        raise ChannelConflictError(
            f"{order.name!r} exists as another fork of {order.source!r}: at step {step}, "
            f"{stored.get('boundary_mode')}. Choose another name"
        )


async def _ask(
    transport: SessionTransport, order: ForkOrder, place: StepPlace, at_cursor: int
) -> ForkReceipt:
    wishes: dict[str, Any] = {}
    if order.boundary_mode == "lineage_only" and _takes(transport.fork, "copy_state"):
        wishes["copy_state"] = False
    operation_id = str(uuid4())
    return await persistently(
        lambda: transport.fork(
            place.channel_id,
            order.name,
            at_cursor,
            display_name=order.display_name or order.name,
            reason=order.reason or f"fork of {order.source} at step {order.at_step}",
            experiment_metadata=order.described(place.cursor),
            operation_id=operation_id,
            manifest=fork_manifest(order.manifest),
            tool_policies=order.tool_policies,
            **wishes,
        )
    )


def _takes(function: Any, name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


async def forget_copied_state(transport: SessionTransport, receipt: ForkReceipt) -> None:
    """See to it that a fork which was to have no state shows none.

    A server that does not know the wish has copied a snapshot. A snapshot of null on top of it makes
    the latest state of the child empty, and so that of forks of the child. A child that has begun to
    record has states of its own, and is left alone.
    """
    child = receipt.child_channel_id
    if not receipt.restorable or await has_begun(transport, child):
        return
    copied = await transport.latest_state(child)
    if copied is not None and copied["state"] is not None:
        cursor = copied["cursor"]
        await persistently(lambda: transport.save_state(child, cursor, None))


async def has_begun(transport: SessionTransport, channel_id: str) -> bool:
    """Whether a fork has recorded anything besides that it is one."""
    return len(await transport.replay(channel_id, limit=2)) > 1


async def _inherited_state(transport: SessionTransport, lineage: Lineage) -> LatestState | None:
    """The state that the child starts with: the one that was copied, None if that is none of this step.

    A state from beyond the step is none of it, and neither is one that the child saved itself, when
    the same fork is made a second time.
    """
    if lineage.is_beyond or not lineage.has_state:
        return None
    child = lineage.receipt.child_channel_id
    if lineage.receipt.replayed and await has_begun(transport, child):
        return await _copied_state(transport, child)
    return await transport.latest_state(child)


async def _copied_state(transport: SessionTransport, child: str) -> LatestState | None:
    trail = getattr(transport, "decision_trail", None)
    if not callable(trail):
        logger.warning("%s has gone on since it was forked; the state it started from is not known", child)
        return None
    boundary = (await trail(child)).get("boundary")
    return None if boundary is None else {"cursor": boundary["cursor"], "state": boundary["state"]}
