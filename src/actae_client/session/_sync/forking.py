# Written by tools/generate_sync.py from _async/forking.py. Do not edit.
"""Making the fork that a session starts from."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

from actae_client._types.channels import ChannelMetadata
from actae_client._types.forks import ForkReceipt
from actae_client._types.json import Json
from actae_client.errors import ChannelConflictError, NoRestorableCheckpointError, SnapshotBoundaryError
from actae_client.session._sync.covering import forget_copied_state
from actae_client.session._sync.owners import StepPlace, find_step
from actae_client.session._sync.persistence import persistently
from actae_client.session._sync.resuming import (
    read_progress,
    read_session,
    read_state,
    require_resumable,
    resumed_start,
)
from actae_client.session._sync.transport import SyncSessionTransport
from actae_client.session.fork_order import ForkOrder
from actae_client.session.manifest import fork_manifest
from actae_client.session.progress import Progress, forked_at_step
from actae_client.session.start import Lineage, Start

logger: logging.Logger = logging.getLogger("actae_client.session")


def forked_start(transport: SyncSessionTransport, order: ForkOrder, known: Progress | None = None) -> Start:
    """Make the fork, and say where its session begins; `known` is what the source session remembers.

    A child that is there already goes on where it is, with what it was made with.

    Raises SessionError for a step that does not exist, NoRestorableCheckpointError when the mode is
    exact and there is no snapshot at or before the step, ChannelConflictError when the name is taken,
    and SessionCompletedError when the child has come to its end.
    """
    place = find_step(transport, order.source, order.at_step, known)
    receipt = _make_fork(transport, order, place)
    lineage = Lineage(receipt, place.cursor, order.boundary_mode, order.at_step)
    if receipt.replayed:
        return _found_start(transport, order, lineage)
    if lineage.is_to_be_empty:
        forget_copied_state(transport, receipt)
    return _boundary_start(transport, order, lineage, order.params, order.intervention)


def _boundary_start(
    transport: SyncSessionTransport,
    order: ForkOrder,
    lineage: Lineage,
    params: dict[str, Json],
    intervention: dict[str, Json] | None,
) -> Start:
    """Of a child without steps of its own: at the step where it was forked."""
    progress = Progress.at_step(order.at_step)
    inherited = None
    if lineage.has_state:
        inherited = read_state(transport, lineage.receipt.child_channel_id, progress, lineage)
    return Start(
        status="created",
        progress=progress,
        inherited=inherited,
        lineage=lineage,
        params=params,
        intervention=intervention,
    )


def _found_start(transport: SyncSessionTransport, order: ForkOrder, lineage: Lineage) -> Start:
    """Of a child that was made before."""
    child = read_session(transport, order.name)
    stored = child.experiment_metadata or {}
    _require_same(order, lineage.receipt, stored)
    require_resumable(child)
    _tell_of_other_wishes(order, child)
    if lineage.is_to_be_empty:
        forget_copied_state(transport, lineage.receipt)
    params = stored.get("params")
    params = params if isinstance(params, dict) else {}
    if (read_progress(transport, child)).count <= order.at_step:
        return _boundary_start(transport, order, lineage, params, stored.get("intervention"))
    start = resumed_start(transport, child, None)
    return replace(start, lineage=lineage, params=params)


def _make_fork(transport: SyncSessionTransport, order: ForkOrder, place: StepPlace) -> ForkReceipt:
    refusal: Exception | None = None
    for at_cursor, wishes in _attempts(transport, order, place):
        try:
            return _ask(transport, order, place, at_cursor, wishes)
        except (SnapshotBoundaryError, ChannelConflictError) as error:
            refusal = error
    if isinstance(refusal, SnapshotBoundaryError):
        told = NoRestorableCheckpointError(
            f"{order.source!r} has no snapshot at or before step {order.at_step}; give the session a "
            "state_fn, fork at a later step, or choose another boundary_mode"
        )
        told.__dict__.update({**refusal.__dict__, "hint": told.hint})
        raise told from refusal
    assert refusal is not None, "there is always a first attempt"
    raise refusal


def _attempts(
    transport: SyncSessionTransport, order: ForkOrder, place: StepPlace
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Where to fork and with which wishes, one after the other until the server agrees.

    A server that knows no forks without state makes them at 0 only, and copies the latest state. A
    child that was made so is found there.
    """
    nothing: dict[str, Any] = {"copy_state": False} if _takes(transport.fork, "copy_state") else {}
    if order.boundary_mode != "lineage_only":
        yield place.cursor, {}
    if order.boundary_mode == "exact":
        return
    if nothing or order.boundary_mode == "lineage_only":
        yield place.cursor, nothing
    yield 0, nothing if order.boundary_mode == "lineage_only" else {}


def _require_same(order: ForkOrder, receipt: ForkReceipt, stored: Mapping[str, Any]) -> None:
    """Refuse a child that exists and is another one, which the server cannot tell from its cursor."""
    step = forked_at_step(stored)
    is_same_step = step == order.at_step or (step is None and receipt.requested_cursor > 0)
    if not is_same_step or stored.get("boundary_mode", order.boundary_mode) != order.boundary_mode:
        raise ChannelConflictError(
            f"{order.name!r} exists as another fork of {order.source!r}: at step {step}, "
            f"{stored.get('boundary_mode')}. Choose another name"
        )


def _tell_of_other_wishes(order: ForkOrder, child: ChannelMetadata) -> None:
    """A child keeps what it was made with, and whoever asks for something else should know."""
    stored, made_with = child.experiment_metadata or {}, child.manifest or {}
    wishes = {
        "params": order.params and order.params != stored.get("params"),
        "intervention": order.intervention and order.intervention != stored.get("intervention"),
        "manifest": order.manifest and not order.manifest.items() <= made_with.items(),
    }
    other = [name for name, differs in wishes.items() if differs]
    if other:
        logger.warning(
            "%s exists with other %s: those that it was made with count", order.name, " and ".join(other)
        )


def _ask(
    transport: SyncSessionTransport,
    order: ForkOrder,
    place: StepPlace,
    at_cursor: int,
    wishes: dict[str, Any],
) -> ForkReceipt:
    operation_id = str(uuid4())
    return persistently(
        lambda: transport.fork(
            place.channel_id,
            order.name,
            at_cursor,
            display_name=order.display_name or order.name,
            reason=order.reason or f"fork of {order.source} at step {order.at_step}",
            experiment_metadata=order.described(place.cursor),
            operation_id=operation_id,
            manifest=fork_manifest(order.manifest),
            tool_policies=None if order.tool_policies is None else dict(order.tool_policies),
            **wishes,
        )
    )


def _takes(function: Any, name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
