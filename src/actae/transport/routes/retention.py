"""Retention: how long channels are kept after their end, and what takes room.

A policy is looked after by who has admin permission on its whole pattern; nobody else learns of it here.
"""

from functools import partial
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from actae.domain import errors, retention_errors
from actae.domain.retention import KEEP_SECONDS_MAX, Policy, Run
from actae.domain.storage import Storage
from actae.operations import retention as operations
from actae.operations.storage import measure
from actae.transport.fields import check_channel_pattern
from actae.transport.route import Asked, Route
from actae.transport.services import Services

_RUN_MOST: Final = 1_000
_SIZES_MOST: Final = 1_000


class PolicyBody(msgspec.Struct):
    """What becomes of the channels of a pattern."""

    keep_for_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=KEEP_SECONDS_MAX)] | None,
        Meta(description="From the end of a channel, or its last write if that is later. null: for ever."),
    ]


class PoliciesReply(msgspec.Struct):
    """The policies that the caller may change, by their patterns."""

    policies: list[Policy]


class RemovedReply(msgspec.Struct):
    """The policy that is gone."""

    pattern: str
    status: str = "removed"


class RunBody(msgspec.Struct):
    """How much to remove."""

    dry_run: Annotated[bool, Meta(description="Only say what would be removed.")] = False
    limit: Annotated[int, Meta(ge=1, le=_RUN_MOST, description="At most so many channels.")] = _RUN_MOST


class StorageQuery(msgspec.Struct):
    """How many channels."""

    limit: Annotated[int, Meta(ge=0, le=_SIZES_MOST, description="At most so many channels.")] = 20


async def list_policies(services: Services, asked: Asked) -> PoliciesReply:
    """The policies that the caller may change."""
    asked.caller.require_any("admin")
    found = await operations.list_policies(services.db)
    covers = asked.caller.permissions.covers
    return PoliciesReply([each for each in found if covers("admin", each.pattern)])


async def set_policy(services: Services, asked: Asked) -> Policy:
    """Remove channels of a pattern so long after they ended. Of several patterns the narrowest counts.
    Events, states and ledger go. The id stays, and every claim there is refused (`channel_deleted`), so a
    late retry repeats nothing in that channel; in another one its key is free.
    """
    pattern = _pattern(asked)
    body: PolicyBody = asked.body
    return await operations.set_policy(services.db, pattern, body.keep_for_seconds, set_by=asked.caller.owner)


async def remove_policy(services: Services, asked: Asked) -> RemovedReply:
    """Leave the channels of a pattern to the next wider one; without one they stay."""
    pattern = _pattern(asked)
    await operations.remove_policy(services.db, pattern)
    return RemovedReply(pattern)


def _pattern(asked: Asked) -> str:
    pattern = check_channel_pattern(asked.path["pattern"])
    _require(asked, pattern)
    return pattern


def _require(asked: Asked, pattern: str) -> None:
    if not asked.caller.permissions.covers("admin", pattern):
        raise errors.ForbiddenError(f"This credential may not administer all channels of {pattern!r}.")


async def run(services: Services, asked: Asked) -> Run:
    """Remove what is past its policy, of the channels that the caller administers: up to the limit, and for
    some seconds; `has_more` says that another call would go on. Servers do the same in the background. What
    else goes and stays is that of a deleted channel.
    """
    asked.caller.require_any("admin")
    body: RunBody = asked.body or RunBody()
    return await operations.run(
        services.db,
        is_dry=body.dry_run,
        most=body.limit,
        may=partial(asked.caller.permissions.allows, "admin"),
        observe=services.observe,
    )


async def get_storage(services: Services, asked: Asked) -> Storage:
    """The sizes of tables and of the largest channels; for who administers all channels."""
    _require(asked, "*")
    query: StorageQuery = asked.query
    return await measure(services.db, most=query.limit)


ROUTES = (
    Route(
        method="GET",
        path="/retention/policies",
        operation="retention.policies.list",
        summary="How long channels are kept",
        handler=list_policies,
        reply=PoliciesReply,
    ),
    Route(
        method="PUT",
        path="/retention/policies/{pattern}",
        operation="retention.policies.set",
        summary="Keep channels of a pattern for so long",
        handler=set_policy,
        body=PolicyBody,
        reply=Policy,
        errors=(errors.InvalidRequestError, errors.InvalidJsonError),
    ),
    Route(
        method="DELETE",
        path="/retention/policies/{pattern}",
        operation="retention.policies.remove",
        summary="Remove a policy",
        handler=remove_policy,
        reply=RemovedReply,
        errors=(errors.InvalidRequestError, retention_errors.RetentionPolicyNotFoundError),
    ),
    Route(
        method="POST",
        path="/retention/run",
        operation="retention.run",
        summary="Remove what is past its policy",
        handler=run,
        body=RunBody,
        body_optional=True,
        reply=Run,
        errors=(errors.InvalidRequestError, errors.InvalidJsonError),
    ),
    Route(
        method="GET",
        path="/storage",
        operation="storage.get",
        summary="What takes room",
        handler=get_storage,
        query=StorageQuery,
        reply=Storage,
        errors=(errors.InvalidRequestError,),
    ),
)
