"""What differs between two branches beyond their states: manifests, tools, outputs and spending."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw

from actae.domain.branches import Branch, Kinship, StateDiff, diff_branches
from actae.domain.canonical_json import canonical
from actae.domain.diff import Difference, diff
from actae.domain.executions import Execution, execution_id
from actae.domain.spending import Bill, Spendings, compare_spending
from actae.domain.told_effects import Effects, EffectsOfBoth, ToldEffects
from actae.domain.tool_diff import HeldEffect, ToolCall, ToolDiff, compare_calls, show_call

# What the server appends by itself. Everything else is what a run has put out.
SERVER_EVENT_TYPES: Final = (
    "fork.started",
    "fork.promoted",
    "tool.started",
    "tool.completed",
    "tool.failed",
    "tool.replayed",
    "tool.blocked",
    "scheduler.wakeup",
    "message.received",
    "message.sent",
)
# That a session began or ended is no output of it either.
SESSION_EVENT_TYPES: Final = ("session.started", "session.completed")


class OutputDiff(msgspec.Struct, frozen=True):
    """The payload of each side's last event, but for those of the server and of a session's start and end."""

    left: Raw | None
    right: Raw | None
    equal: bool


class Comparison(StateDiff, frozen=True, kw_only=True):
    """What differs between two branches: states, manifests, tools, effects, outputs and spending."""

    manifest_diff: Difference
    tool_diff: ToolDiff
    effects: EffectsOfBoth
    output_diff: OutputDiff
    metrics: Spendings


class Deeds(NamedTuple):
    """One side, and what it did, as its ledger and its log tell."""

    branch: Branch
    held: Sequence[HeldEffect]
    told: ToldEffects
    bill: Bill
    output: bytes | None


def compare_deeds(
    left: Deeds,
    right: Deeds,
    kinship: Kinship,
    *,
    keys: Sequence[str],
    truncated: bool,
    executions: Mapping[str, Execution],
) -> Comparison:
    """Put two sides beside each other. The operations of `keys` are in `executions`, by their ids."""
    return Comparison(
        **msgspec.structs.asdict(diff_branches(left.branch, right.branch, kinship)),
        manifest_diff=diff(_manifest(left.branch), _manifest(right.branch)),
        tool_diff=compare_calls(
            keys, _calls(left, executions), _calls(right, executions), truncated=truncated
        ),
        effects=EffectsOfBoth(_effects(left), _effects(right)),
        output_diff=compare_outputs(left.output, right.output),
        metrics=compare_spending(left.bill, right.bill),
    )


def compare_outputs(left: bytes | None, right: bytes | None) -> OutputDiff:
    """Equal by value; two runs that put out nothing are equal, too."""
    equal = left == right or (left is not None and right is not None and canonical(left) == canonical(right))
    return OutputDiff(_raw(left), _raw(right), equal)


def _calls(side: Deeds, executions: Mapping[str, Execution]) -> dict[str, ToolCall]:
    found = {}
    for each in side.held:
        execution = executions.get(execution_id(each.channel_id, each.key_digest))
        if execution is not None:
            found[each.key_name] = show_call(execution, inherited=each.is_inherited)
    return found


def _effects(side: Deeds) -> Effects:
    inherited = sum(each.is_inherited for each in side.held)
    return side.told.show(ran=len(side.held) - inherited, inherited=inherited)


def _manifest(branch: Branch) -> bytes | None:
    return None if branch.fork is None else branch.fork.manifest


def _raw(payload: bytes | None) -> Raw | None:
    return None if payload is None else Raw(payload)
