"""Forks of whole execution groups: what would have happened, had one member gone on differently.

Making one needs read on the channels of all members and write on those of their forks, which are called
`{fork_group_id}:{member_id}`.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta, Raw

from actae.domain import errors, group_errors
from actae.domain.fingerprint import content_digest
from actae.domain.forks import POLICIES
from actae.domain.group_forks import MEMBER_POLICIES, UNLISTED, ForkGroup, GroupFork
from actae.operations import group_forks as operations
from actae.transport.fields import (
    NULL,
    Cursor,
    GroupId,
    MemberId,
    OperationId,
    check_channel_id,
    is_channel_id,
)
from actae.transport.policies import read_policies
from actae.transport.route import Asked, Route
from actae.transport.routes.execution_groups import member_id_of
from actae.transport.services import Services


class ForkGroupBody(msgspec.Struct):
    """Which group to fork, and where which member is to go on differently.

    The same fork twice is one, so the operation id needs no memory.
    """

    fork_group_id: GroupId
    source_group_id: GroupId
    intervention_member_id: MemberId
    intervention_cursor: Annotated[
        Cursor,
        Meta(
            description="The last event that this member keeps, which has to be there; with 0 it keeps none."
        ),
    ]
    member_policies: Annotated[
        Raw, Meta(description="Member to `frozen` or `reactive`; who is not listed is frozen.")
    ] = NULL
    tool_policies: Annotated[
        Raw, Meta(description="Tool name or `*` to `replay`, `block`, `live` or `auto`.")
    ] = NULL
    operation_id: OperationId | None = None


class PromoteMemberBody(msgspec.Struct):
    """Promoting twice is the same as once, so the id is accepted and needs no memory."""

    operation_id: OperationId | None = None


class ForkReply(msgspec.Struct):
    """The receipt."""

    fork: GroupFork


async def fork(services: Services, asked: Asked) -> ForkReply:
    """Make a group with the same members, each on a fork of its channel.

    The member of the intervention is cut where the caller says, every other one at the last event that
    nothing behind that cut has led to. A repetition gets the first receipt.
    """
    body: ForkGroupBody = asked.body
    members = read_policies(body.member_policies, "member_policies", MEMBER_POLICIES, any_case=True)
    tools = read_policies(body.tool_policies, "tool_policies", POLICIES, any_case=True)
    ask = ForkGroup(
        fork_group_id=check_channel_id(body.fork_group_id, "fork_group_id"),
        source_group_id=_known(body.source_group_id),
        intervention_member_id=body.intervention_member_id,
        intervention_cursor=body.intervention_cursor,
        member_policies=members,
        tool_policies=tools,
        content_digest=_digest(body, members, tools),
    )
    return ForkReply(await operations.fork(services.db, ask, caller=asked.caller))


def _digest(body: ForkGroupBody, members: Mapping[str, str], tools: Mapping[str, str]) -> bytes:
    listed = {name: policy for name, policy in members.items() if policy != UNLISTED}
    return content_digest(
        body.source_group_id,
        body.intervention_member_id,
        str(body.intervention_cursor),
        msgspec.json.encode(listed),
        msgspec.json.encode(tools),
    )


def _known(group_id: str) -> str:
    if not is_channel_id(group_id):
        raise group_errors.GroupNotFoundError(group_id[:300])
    return group_id


async def get(services: Services, asked: Asked) -> ForkReply:
    """The receipt, with the policies that its members have now."""
    asked.caller.require_any("read")
    return ForkReply(await operations.get(services.db, _fork_id(asked), caller=asked.caller))


async def promote(services: Services, asked: Asked) -> ForkReply:
    """Let a frozen member take part from now on."""
    made = await operations.promote(services.db, _fork_id(asked), member_id_of(asked), caller=asked.caller)
    return ForkReply(made)


def _fork_id(asked: Asked) -> str:
    value = asked.path["fork_group_id"]
    if not is_channel_id(value):
        raise group_errors.GroupForkNotFoundError(value[:300])
    return value


ROUTES = (
    Route(
        method="POST",
        path="/execution-group-forks",
        operation="execution_groups.forks.create",
        summary="Fork an execution group",
        handler=fork,
        body=ForkGroupBody,
        reply=ForkReply,
        errors=(
            group_errors.GroupNotFoundError,
            group_errors.MemberNotFoundError,
            errors.IdempotencyConflictError,
            group_errors.GroupConflictError,
            errors.ChannelConflictError,
            errors.ChannelDeletedError,
        ),
    ),
    Route(
        method="GET",
        path="/execution-group-forks/{fork_group_id}",
        operation="execution_groups.forks.get",
        summary="The receipt of a group fork",
        handler=get,
        reply=ForkReply,
        errors=(group_errors.GroupForkNotFoundError,),
    ),
    Route(
        method="POST",
        path="/execution-group-forks/{fork_group_id}/members/{member_id}/promote",
        operation="execution_groups.forks.promote",
        summary="Let a frozen member take part",
        handler=promote,
        body=PromoteMemberBody,
        body_optional=True,
        reply=ForkReply,
        errors=(
            group_errors.GroupForkNotFoundError,
            group_errors.MemberNotFoundError,
            errors.ChannelDeletedError,
        ),
    ),
)
