"""Forks: make one, its receipt, the tree, outcome and promotion."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Raw

from actae.domain import errors
from actae.domain.channels import ChannelMetadata
from actae.domain.fingerprint import content_digest
from actae.domain.forks import FORKED_AT_STEP, POLICIES, ForkChannel, Receipt
from actae.domain.identity import identify
from actae.domain.lineage import TreeNode
from actae.domain.literal_json import members_of
from actae.domain.redaction import all_shown, shown
from actae.operations import channels as channels_operations
from actae.operations import fork_tree, promotion
from actae.operations import forks as operations
from actae.transport.digests import digest_aside
from actae.transport.fields import (
    NULL,
    ChannelId,
    Cursor,
    OperationId,
    Text,
    check_channel_id,
    optional_object,
)
from actae.transport.operation_ids import operation_id_of
from actae.transport.policies import read_policies
from actae.transport.route import Asked, Route
from actae.transport.services import Services

_FORK_NAMESPACE = "fork"


class ForkBody(msgspec.Struct):
    """Which channel to fork, where, and under which name."""

    source_channel_id: ChannelId
    new_channel_id: ChannelId
    operation_id: Annotated[
        OperationId | None, Meta(description="Needed, here or in the header `Idempotency-Key`.")
    ] = None
    at_cursor: Annotated[Cursor, Meta(description="In the source's numbering; 0 is its latest state.")] = 0
    display_name: Text | None = None
    reason: Text | None = None
    experiment_metadata: Annotated[
        Raw,
        Meta(description="An object; `forked_at_step` in it, an integer, is how many steps are inherited."),
    ] = NULL
    manifest: Annotated[Raw, Meta(description="An object, kept as sent.")] = NULL
    tool_policies: Annotated[
        Raw, Meta(description="Tool name or `*` to `replay`, `block`, `live` or `auto`.")
    ] = NULL
    expected_version: Cursor | None = None
    expected_cursor: Cursor | None = None
    copy_state: Annotated[
        bool, Meta(description="false: inherit steps and effects up to the cursor, but no state.")
    ] = True


class ForksReply(msgspec.Struct):
    """Direct children, oldest first."""

    forks: list[ChannelMetadata]


class OutcomeBody(msgspec.Struct):
    """How the run ended, and how well. The last word counts, so the id is accepted and not remembered."""

    outcome: Annotated[
        Literal["promoted", "rejected", "inconclusive", "crashed"] | None,
        Meta(description="null takes back `crashed`, and nothing else."),
    ]
    score: float | None = None
    operation_id: OperationId | None = None


class OutcomeReply(msgspec.Struct):
    """What is recorded now."""

    channel_id: str
    outcome: str | None
    result_score: float | None
    status: str = "ok"


class PromotedReply(msgspec.Struct):
    """What came to the parent."""

    channel_id: str
    parent_channel_id: str
    event_id: str
    cursor: int
    state_version: int | None
    replayed: bool
    status: str = "promoted"


class PromoteBody(msgspec.Struct):
    """Promoting twice is the same as once, so the id is accepted and needs no memory."""

    operation_id: OperationId | None = None


async def fork(services: Services, asked: Asked) -> Receipt:
    """Make a child that starts with the source's state and effects up to a cursor.

    The operation id may stand in the header `Idempotency-Key` instead.
    """
    body: ForkBody = asked.body
    operation_id = operation_id_of(body.operation_id, asked.headers)
    if operation_id is None:
        raise errors.InvalidRequestError(
            "Object missing required field `operation_id`, at 'operation_id'.", field="operation_id"
        )
    source = check_channel_id(body.source_channel_id, "source_channel_id")
    child = check_channel_id(body.new_channel_id, "new_channel_id")
    if source == child:
        raise errors.InvalidRequestError("A channel cannot be forked into itself.", field="new_channel_id")
    asked.caller.require("read", source)
    asked.caller.require("write", child)
    experiment_metadata = optional_object(body.experiment_metadata, "experiment_metadata")
    policies = _checked_policies(body.tool_policies)
    manifest = optional_object(body.manifest, "manifest")
    content = await digest_aside(
        len(experiment_metadata or b"") + len(manifest or b""),
        content_digest,
        source,
        child,
        str(body.at_cursor),
        body.display_name,
        body.reason,
        experiment_metadata,
        manifest,
        policies,
        None if body.copy_state else "without state",
    )
    ask = ForkChannel(
        source_channel_id=source,
        new_channel_id=child,
        at_cursor=body.at_cursor,
        identity=identify(_FORK_NAMESPACE, operation_id, content),
        display_name=body.display_name,
        reason=body.reason,
        experiment_metadata=experiment_metadata,
        forked_at_step=_step_in(experiment_metadata),
        forked_at_cursor=_number_in(experiment_metadata, "forked_at_cursor"),
        manifest=manifest,
        tool_policies=policies,
        expected_version=body.expected_version,
        expected_cursor=body.expected_cursor,
        copy_state=body.copy_state,
    )
    return await operations.fork(services.db, ask)


def _checked_policies(value: Raw) -> bytes | None:
    read_policies(value, "tool_policies", POLICIES)
    return optional_object(value, "tool_policies")


def _step_in(experiment_metadata: bytes | None) -> int | None:
    """How many steps the child has behind it, where the request says so. Whether the source has as many is
    for the operation to see.
    """
    value = _value_in(experiment_metadata, "forked_at_step")
    if value in (b"", b"null"):
        return None
    step = _number_in(experiment_metadata, "forked_at_step")
    if step is None:
        raise errors.InvalidRequestError(
            f"{FORKED_AT_STEP!r} must be a whole number, at least 0.", field=FORKED_AT_STEP
        )
    return step


def _number_in(experiment_metadata: bytes | None, name: str) -> int | None:
    """A whole number that a session left in the metadata for the server."""
    text = _value_in(experiment_metadata, name)
    return int(text) if text.isdigit() and len(text) <= 18 else None


def _value_in(experiment_metadata: bytes | None, name: str) -> bytes:
    """The JSON text of a value; empty where there is none."""
    return bytes(members_of(experiment_metadata).get(name, b""))


async def get_receipt(services: Services, asked: Asked) -> Receipt:
    """The receipt of a fork, as it was written."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("observe", channel_id)
    return shown(await operations.get_receipt(services.db, channel_id), asked.caller.permissions)


async def list_forks(services: Services, asked: Asked) -> ForksReply:
    """The direct children of a channel; those that may be observed."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("observe", channel_id)
    found = await fork_tree.list_children(services.db, channel_id)
    permissions = asked.caller.permissions
    seen = [each for each in found if permissions.allows("observe", each.channel_id)]
    return ForksReply(all_shown(seen, permissions))


async def get_tree(services: Services, asked: Asked) -> TreeNode:
    """The channel and all that was forked from it; what may not be observed is left out with its forks."""
    channel_id = check_channel_id(asked.path["channel_id"])
    permissions = asked.caller.permissions
    asked.caller.require("observe", channel_id)
    root = shown(await fork_tree.get_tree(services.db, channel_id), permissions)
    nodes = [root]
    for node in nodes:
        seen = [child for child in node.children if permissions.allows("observe", child.channel_id)]
        node.children = all_shown(seen, permissions)
        nodes += node.children
    return root


async def set_outcome(services: Services, asked: Asked) -> OutcomeReply:
    """Record how a run ended; on roots too. No event is appended."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("write", channel_id)
    body: OutcomeBody = asked.body
    outcome, score = await channels_operations.set_outcome(services.db, channel_id, body.outcome, body.score)
    return OutcomeReply(channel_id, outcome, score)


async def promote(services: Services, asked: Asked) -> PromotedReply:
    """Bring a fork's outcome back into its parent, by appending only."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("write", channel_id)
    asked.caller.require("write", await operations.get_parent(services.db, channel_id))
    made, replayed = await promotion.promote(services.db, channel_id)
    return PromotedReply(*made, replayed=replayed)


_FORK_ERRORS = (errors.InvalidRequestError, errors.ChannelNotFoundError)

ROUTES = (
    Route(
        method="POST",
        path="/channels/fork",
        operation="forks.create",
        summary="Fork a channel at a cursor",
        handler=fork,
        body=ForkBody,
        reply=Receipt,
        errors=(
            *_FORK_ERRORS,
            errors.InvalidJsonError,
            errors.PayloadTooLargeError,
            errors.IdempotencyConflictError,
            errors.ChannelConflictError,
            errors.ChannelDeletedError,
            errors.VersionConflictError,
            errors.SnapshotBoundaryError,
        ),
    ),
    Route(
        method="GET",
        path="/channels/{channel_id}/receipt",
        operation="channels.receipt.get",
        summary="The receipt of a fork",
        handler=get_receipt,
        reply=Receipt,
        errors=(*_FORK_ERRORS, errors.ReceiptNotFoundError),
    ),
    Route(
        method="GET",
        path="/channels/{channel_id}/forks",
        operation="channels.forks.list",
        summary="What was forked from a channel",
        handler=list_forks,
        reply=ForksReply,
        errors=(errors.InvalidRequestError,),
    ),
    Route(
        method="GET",
        path="/channels/{channel_id}/fork-tree",
        operation="channels.fork_tree.get",
        summary="The tree of forks below a channel",
        handler=get_tree,
        reply=TreeNode,
        errors=_FORK_ERRORS,
    ),
    Route(
        method="PATCH",
        path="/channels/{channel_id}/outcome",
        operation="channels.outcome.set",
        summary="Record how a run ended",
        handler=set_outcome,
        body=OutcomeBody,
        reply=OutcomeReply,
        errors=(*_FORK_ERRORS, errors.InvalidJsonError, errors.ChannelDeletedError),
    ),
    Route(
        method="POST",
        path="/channels/{channel_id}/promote",
        operation="forks.promote",
        summary="Bring a fork's outcome back into its parent",
        handler=promote,
        body=PromoteBody,
        body_optional=True,
        reply=PromotedReply,
        errors=(
            *_FORK_ERRORS,
            errors.NotAForkError,
            errors.ChannelClosedError,
            errors.CounterfactualBlockedError,
            errors.ChannelDeletedError,
        ),
    ),
)
