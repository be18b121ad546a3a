"""Forks: the request, the receipt, and what a child inherits from whom."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple

import msgspec

from actae.domain.canonical_json import canonical
from actae.domain.identity import Identity
from actae.domain.literal_json import members_of

Policy = Literal["replay", "block", "live", "auto"]
POLICIES: Final[tuple[Policy, ...]] = ("replay", "block", "live", "auto")
Reproducibility = Literal["state_exact", "context_exact", "execution_replayable", "best_effort"]

FORKED_AT_STEP: Final = "experiment_metadata.forked_at_step"

_CONTEXT_FIELDS = frozenset({"model", "environment", "dependencies", "seed"})


class ForkChannel(msgspec.Struct, frozen=True, kw_only=True):
    """Start a child from a channel at a cursor of it; 0 is its latest state."""

    source_channel_id: str
    new_channel_id: str
    at_cursor: int
    identity: Identity
    display_name: str | None = None
    reason: str | None = None
    experiment_metadata: bytes | None = None
    forked_at_step: int | None = None
    forked_at_cursor: int | None = None  # with at_cursor 0: where the fork was wanted
    manifest: bytes | None = None
    tool_policies: bytes | None = None
    expected_version: int | None = None
    expected_cursor: int | None = None
    copy_state: bool = True
    fork_group_id: str | None = None  # if it is made for a member: the group that is forked with it


class Ancestor(NamedTuple):
    """One hop of the lineage: what a fork inherits from this channel.

    Effects that completed at or before `boundary`, and steps up to the fork's own number of inherited
    ones; of those, steps up to `steps` are in turn inherited by this channel.
    """

    channel_id: str
    boundary: int
    steps: int


class Fork(msgspec.Struct, frozen=True, kw_only=True):
    """The receipt of a fork, written once."""

    channel_id: str
    source_channel_id: str
    origin_run_id: str
    requested_cursor: int
    resolved_cursor: int
    resolved_event_id: str | None
    source_state_version: int
    source_state_sha256: str | None
    restorable: bool
    reproducibility: Reproducibility
    inherited_steps: int
    lineage: tuple[Ancestor, ...]
    manifest: bytes | None
    tool_policies: bytes | None
    content_digest: bytes
    operation_digest: str
    forked_at: datetime
    fork_group_id: str | None


class Receipt(msgspec.Struct, frozen=True):
    """A fork as callers see it; the names of the metadata record stand beside the receipt's own."""

    fork_id: str
    channel_id: str
    source_channel_id: str
    parent_channel_id: str
    child_channel_id: str
    origin_run_id: str
    requested_cursor: int
    requested_at_cursor: int
    forked_at_cursor: int
    resolved_cursor: int
    resolved_state_cursor: int
    resolved_event_id: str | None
    source_state_version: int
    source_state_sha256: str | None
    restorable: bool
    replayed: bool
    manifest: msgspec.Raw | None
    reproducibility: Reproducibility
    tool_policies: msgspec.Raw | None
    forked_at: datetime


def show_receipt(fork: Fork, *, replayed: bool) -> Receipt:
    """The receipt, and whether it is an earlier one."""
    return Receipt(
        fork_id=fork.channel_id,
        channel_id=fork.channel_id,
        source_channel_id=fork.source_channel_id,
        parent_channel_id=fork.source_channel_id,
        child_channel_id=fork.channel_id,
        origin_run_id=fork.origin_run_id,
        requested_cursor=fork.requested_cursor,
        requested_at_cursor=fork.requested_cursor,
        forked_at_cursor=fork.resolved_cursor,
        resolved_cursor=fork.resolved_cursor,
        resolved_state_cursor=fork.resolved_cursor if fork.restorable else 0,
        resolved_event_id=fork.resolved_event_id,
        source_state_version=fork.source_state_version,
        source_state_sha256=fork.source_state_sha256,
        restorable=fork.restorable,
        replayed=replayed,
        manifest=_raw(fork.manifest),
        reproducibility=fork.reproducibility,
        tool_policies=_raw(fork.tool_policies),
        forked_at=fork.forked_at,
    )


def _raw(value: bytes | None) -> msgspec.Raw | None:
    return None if value is None else msgspec.Raw(value)


def found_no_state(fork: Fork) -> bool:
    """Whether the latest state was asked for and the source had none: only its newest event was resolved.

    A fork that was to leave the state behind is resolved at its boundary, and at 0 there is no event.
    """
    return not fork.restorable and fork.resolved_cursor == 0 and fork.resolved_event_id is not None


def state_digest(state: bytes) -> str:
    """SHA-256 of the state in canonical JSON, in hex."""
    return sha256(canonical(state)).hexdigest()


def grade(
    *, copied: bool, requested: int, resolved: int, manifest: bytes | None, inherits_effects: bool
) -> Reproducibility:
    """How exactly the child repeats its source, as far as the record can say."""
    if copied and requested in (0, resolved):
        return "context_exact" if members_of(manifest).keys() >= _CONTEXT_FIELDS else "state_exact"
    return "execution_replayable" if copied or inherits_effects else "best_effort"


def extend_lineage(source_id: str, boundary: int, source: "Fork | None") -> tuple[Ancestor, ...]:
    """The source as nearest ancestor, and behind it the lineage that it has itself."""
    nearest = Ancestor(source_id, boundary, 0 if source is None else source.inherited_steps)
    return (nearest, *(() if source is None else source.lineage))


def steps_max(source: "Fork | None", *, latest_step: int, cursor: int) -> int:
    """How many steps a fork can have behind it at a cursor of its source.

    A source whose steps are not numbered has at most as many as it has events.
    """
    inherited = 0 if source is None else source.inherited_steps
    return max(latest_step, inherited) if latest_step else inherited + cursor


def owner_of_step(fork: Fork, step_number: int) -> Ancestor | None:
    """Who recorded a step: None is the fork itself, else the ancestor below whose own inheritance it lies."""
    if step_number > fork.inherited_steps:
        return None
    return next(ancestor for ancestor in fork.lineage if step_number > ancestor.steps)


def policy_for(policies: Mapping[str, Policy] | None, tool_name: str) -> Policy:
    """The tool's own entry, else that of `*`, else `auto`."""
    if policies is None:
        return "auto"
    return policies.get(tool_name) or policies.get("*") or "auto"


def decode_policies(raw: bytes | None) -> Mapping[str, Policy] | None:
    """The policies as a mapping; they were checked when the fork was made.

    Of a tool that is named twice the last policy was checked, and counts; another may be no policy at all.
    """
    if raw is None:
        return None
    return msgspec.convert(msgspec.json.decode(raw, type=dict[str, Any]), dict[str, Policy])


def zip_lineage(
    channel_ids: Sequence[str], boundaries: Sequence[int], steps: Sequence[int]
) -> tuple[Ancestor, ...]:
    """The lineage out of the three columns that hold it."""
    return tuple(Ancestor(*each) for each in zip(channel_ids, boundaries, steps, strict=True))
