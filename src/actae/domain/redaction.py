"""What is left of a record for observers: that something happened, when, and by whom; not what it said.

Every record keeps its shape. Where content was taken out, it says `redacted`; for who may read, that key is
absent.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar, cast

import msgspec
from msgspec import Raw
from msgspec.structs import asdict, replace

from actae.domain.access import Permissions
from actae.domain.approvals import Approval
from actae.domain.channels import ChannelMetadata
from actae.domain.consumer_groups import Group
from actae.domain.events import Event
from actae.domain.executions import NULL, Execution
from actae.domain.experiments import Experiment, Member
from actae.domain.forks import Receipt
from actae.domain.late_evidence import LateEvidence
from actae.domain.lineage import Ancestor, Trail, TreeNode
from actae.domain.literal_json import members_of
from actae.domain.wakeups import Wakeup

OfChannel = TypeVar(
    "OfChannel",
    Event,
    Execution,
    ChannelMetadata,
    Receipt,
    Approval,
    Trail,
    TreeNode,
    Wakeup,
    Group,
    Member,
)

_EMPTY: Final = Raw(b"{}")

# What the events that Actae writes itself hold beside content: plain values under these names. Whoever
# records an event of such a type is taken at their word.
_OPERATION: Final = ("execution_id", "key_name", "tool_name", "attempt")
_KEPT: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "tool.started": _OPERATION,
        "tool.completed": _OPERATION,
        "tool.failed": _OPERATION,
        "tool.ambiguous": _OPERATION,
        "tool.replayed": (*_OPERATION, "completed_cursor", "inherited_from"),
        "tool.resolved": (*_OPERATION, "outcome", "by"),
        "tool.late_evidence": (*_OPERATION, "says"),
        "tool.near_duplicate": ("execution_id", "key_name", "tool_name", "guard_id"),
        "tool.blocked": ("policy", "key_name", "tool_name"),
        "fork.started": (
            "source_channel_id",
            "requested_cursor",
            "resolved_cursor",
            "resolved_event_id",
            "source_state_version",
            "restorable",
        ),
        "fork.promoted": (
            "fork_channel_id",
            "fork_head_cursor",
            "fork_state_version",
            "source_cursor",
            "step_number",
        ),
    }
)


class RedactedEvent(Event, frozen=True):
    """An event without what it says."""

    redacted: Literal[True] = True


class RedactedExecution(Execution, frozen=True):
    """An operation without its input and its outcome."""

    redacted: Literal[True] = True


class RedactedEvidence(LateEvidence, frozen=True):
    """That something was reported, and when."""

    redacted: Literal[True] = True


class RedactedMetadata(ChannelMetadata, frozen=True):
    """A channel's name, its lineage and how it ended."""

    redacted: Literal[True] = True


class RedactedReceipt(Receipt, frozen=True):
    """A fork without its manifest."""

    redacted: Literal[True] = True


class RedactedApproval(Approval, frozen=True):
    """That somebody was asked about an operation, and what became of it."""

    redacted: Literal[True] = True


class RedactedTrail(Trail, frozen=True):
    """A trail without states, inputs and outcomes."""

    redacted: Literal[True] = True


class RedactedTreeNode(TreeNode):
    """A channel of the tree without the reason for it."""

    redacted: Literal[True] = True


class RedactedWakeup(Wakeup, frozen=True):
    """That somebody means to come back, when, and what became of it."""

    redacted: Literal[True] = True


class RedactedGroup(Group, frozen=True):
    """How far a consumer group is."""

    redacted: Literal[True] = True


class RedactedMember(Member, frozen=True):
    """A channel in an experiment, without its score and what is different about it."""

    redacted: Literal[True] = True


class RedactedExperiment(Experiment, frozen=True):
    """An experiment's name and its members."""

    redacted: Literal[True] = True


REDACTED: Final[Mapping[type, type]] = MappingProxyType(
    {
        Event: RedactedEvent,
        Execution: RedactedExecution,
        LateEvidence: RedactedEvidence,
        ChannelMetadata: RedactedMetadata,
        Receipt: RedactedReceipt,
        Approval: RedactedApproval,
        Trail: RedactedTrail,
        TreeNode: RedactedTreeNode,
        Wakeup: RedactedWakeup,
        Group: RedactedGroup,
        Member: RedactedMember,
        Experiment: RedactedExperiment,
    }
)


def shown(record: OfChannel, permissions: Permissions) -> OfChannel:
    """The record, or what is left of it for who may only observe its channel."""
    return record if permissions.allows("read", record.channel_id) else redact(record)


def all_shown(records: Iterable[OfChannel], permissions: Permissions) -> list[OfChannel]:
    """Each as it is shown."""
    may_read = cache(partial(permissions.allows, "read"))
    return [record if may_read(record.channel_id) else redact(record) for record in records]


def redact(record: OfChannel) -> OfChannel:
    """What an observer sees."""
    return cast(OfChannel, _without_content(record, **_WITHHELD[type(record)](record)))


def redact_evidence(evidence: LateEvidence) -> LateEvidence:
    """Who reported when, and whether it went well."""
    return cast(LateEvidence, _without_content(evidence, value=NULL))


def experiment_shown(experiment: Experiment, permissions: Permissions) -> Experiment:
    """An experiment of members that may be seen. What is said of them all is for who may read one of them."""
    reads_one = any(permissions.allows("read", each.channel_id) for each in experiment.members)
    seen = replace(experiment, members=all_shown(experiment.members, permissions))
    if reads_one or (not seen.members and permissions.patterns("read")):
        return seen
    return cast(Experiment, _without_content(seen, description=None))


def ancestor_shown(place: Ancestor, permissions: Permissions) -> Ancestor:
    """Who may see a fork may see which channels it comes from; what they are called is another question."""
    if permissions.allows("read", place.channel_id):
        return place
    if permissions.allows("observe", place.channel_id):
        return replace(place, reason=None)
    return replace(place, display_name=None, reason=None)


def _without_content(record: Any, **withheld: Any) -> Any:
    return REDACTED[type(record)](**{**asdict(record), **withheld})


def _of_event(event: Event) -> dict[str, Any]:
    names = _KEPT.get(event.type, ())
    return {"payload": _plain_members(event.payload, names) if names else _EMPTY, "metadata": None}


def _of_execution(_execution: Execution) -> dict[str, Any]:
    return {"params": NULL, "result": NULL, "error": NULL}


def _of_metadata(_metadata: ChannelMetadata) -> dict[str, Any]:
    # The digest of a state of few possible values would tell which one it is.
    return {
        "reason": None,
        "experiment_metadata": None,
        "manifest": None,
        "source_state_sha256": None,
        "result_score": None,
    }


def _of_receipt(_receipt: Receipt) -> dict[str, Any]:
    return {"manifest": None, "source_state_sha256": None}


def _of_approval(approval: Approval) -> dict[str, Any]:
    operation = approval.operation
    if bytes(operation) != bytes(NULL):
        operation = _plain_members(operation, ("key_name", "tool_name"))
    return {
        "summary": NULL,
        "details": NULL,
        "operation": operation,
        "approval_fields": NULL,
        "reason": NULL,
    }


def _of_trail(trail: Trail) -> dict[str, Any]:
    boundary = None if trail.boundary is None else replace(trail.boundary, state=None)
    return {"boundary": boundary, "executions": [redact(each) for each in trail.executions]}


def _of_wakeup(_wakeup: Wakeup) -> dict[str, Any]:
    return {"payload": None}


def _of_group(_group: Group) -> dict[str, Any]:
    return {"metadata": None}


def _of_member(_member: Member) -> dict[str, Any]:
    return {"declared_delta": None, "result_score": None}


def _of_node(_node: TreeNode) -> dict[str, Any]:
    return {"reason": None}


def _plain_members(value: Raw, names: Iterable[str]) -> Raw:
    """Of an object, the texts, numbers and words under these names, as they were sent."""
    members = members_of(value)
    plain = {name: members[name] for name in names if name in members and _is_plain(members[name])}
    return Raw(msgspec.json.encode(plain))


def _is_plain(value: Raw) -> bool:
    return bytes(value).lstrip()[:1] not in (b"{", b"[")


_WITHHELD: Final[Mapping[type, Callable[[Any], dict[str, Any]]]] = MappingProxyType(
    {
        Event: _of_event,
        Execution: _of_execution,
        ChannelMetadata: _of_metadata,
        Receipt: _of_receipt,
        Approval: _of_approval,
        Trail: _of_trail,
        TreeNode: _of_node,
        Wakeup: _of_wakeup,
        Group: _of_group,
        Member: _of_member,
    }
)
