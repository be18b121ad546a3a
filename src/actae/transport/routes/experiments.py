"""Experiments: channels that try the same thing in different ways, ranked by their scores.

An experiment names no channel of its own, so any write permission may start one or add to it, with read on
the channel that is added. Members that may not be observed are left out, and an experiment that has no others
is as if it were not there; in replies to writes, and in rankings, that goes for those that may not be read.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Raw

from actae.domain import errors
from actae.domain.experiments import VARIANT, Experiment, Ranking, rank
from actae.domain.fingerprint import content_digest
from actae.domain.identity import Identity, identify
from actae.domain.redaction import experiment_shown
from actae.operations import experiments as operations
from actae.operations.experiments import AddMember, CreateExperiment
from actae.transport.digests import digest_aside
from actae.transport.fields import ChannelId, Name, OperationId, Text, check_channel_id, optional_object
from actae.transport.operation_ids import operation_id_of
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp
from actae.transport.services import Services

_LIST_MOST = 1_000
_GROUP_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ABSENT = Raw(b"")


class CreateBody(msgspec.Struct):
    """An experiment to start."""

    name: Name
    description: Text | None = None
    baseline_channel_id: Annotated[
        ChannelId | None, Meta(description="Becomes a member with the role `baseline`.")
    ] = None
    operation_id: OperationId | None = None


class MemberBody(msgspec.Struct):
    """A channel to add. Adding it again changes its role, and its delta if one is given."""

    channel_id: ChannelId
    role: Name = VARIANT
    declared_delta: Annotated[
        Raw, Meta(description="What this member does differently: an object, or null for nothing.")
    ] = msgspec.field(default_factory=lambda: _ABSENT)
    operation_id: OperationId | None = None


class ListQuery(msgspec.Struct):
    """Which page."""

    limit: Annotated[int, Meta(ge=0, description="At most 1,000; larger values are clamped.")] = _LIST_MOST
    offset: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0


class ExperimentsReply(msgspec.Struct):
    """Newest first."""

    experiments: list[Experiment]
    has_more: bool


async def create(services: Services, asked: Asked) -> Experiment:
    """Start an experiment. The operation id may stand in the header `Idempotency-Key` instead."""
    asked.caller.require_any("write")
    body: CreateBody = asked.body
    baseline = body.baseline_channel_id
    if baseline is not None:
        asked.caller.require("read", check_channel_id(baseline, "baseline_channel_id"))
    content = content_digest(body.name, body.description, baseline)
    ask = CreateExperiment(
        name=body.name,
        description=body.description,
        baseline_channel_id=baseline,
        identity=_identity(asked, "experiments.create", body.operation_id, content),
    )
    return await operations.create(services.db, ask, may_see=_may_read(asked))


async def add_member(services: Services, asked: Asked) -> Experiment:
    """Add a channel to an experiment; the reply is the whole experiment."""
    asked.caller.require_any("write")
    group_id = _group_id(asked)
    body: MemberBody = asked.body
    channel_id = check_channel_id(body.channel_id)
    asked.caller.require("read", channel_id)
    given = body.declared_delta != _ABSENT
    delta = optional_object(body.declared_delta, "declared_delta") if given else None
    content = await digest_aside(len(delta or b""), content_digest, channel_id, body.role, str(given), delta)
    ask = AddMember(
        group_id=group_id,
        channel_id=channel_id,
        role=body.role,
        declared_delta=delta if given else UNSET,
        identity=_identity(asked, f"experiments.members.add {group_id}", body.operation_id, content),
    )
    return await operations.add_member(services.db, ask, may_see=_may_read(asked))


def _identity(asked: Asked, namespace: str, in_body: str | None, content: bytes) -> Identity | None:
    operation_id = operation_id_of(in_body, asked.headers)
    return None if operation_id is None else identify(namespace, operation_id, content)


async def list_newest(services: Services, asked: Asked) -> ExperimentsReply:
    """Experiments, newest first."""
    asked.caller.require_any("observe")
    query: ListQuery = asked.query
    permissions = asked.caller.permissions
    most = clamp(query.limit, 0, _LIST_MOST)
    found = await operations.list_newest(
        services.db,
        may_see=partial(permissions.allows, "observe"),
        readable=permissions.observable_like(),
        skip=query.offset,
        most=most + 1,
    )
    shown = [experiment_shown(each, permissions) for each in found[:most]]
    return ExperimentsReply(shown, len(found) > most)


async def get(services: Services, asked: Asked) -> Experiment:
    """One experiment with its members."""
    asked.caller.require_any("observe")
    permissions = asked.caller.permissions
    may_see = partial(permissions.allows, "observe")
    found = await operations.get(services.db, _group_id(asked), may_see=may_see)
    return experiment_shown(found, permissions)


async def get_ranking(services: Services, asked: Asked) -> Ranking:
    """The members, the best score first. A score is the channel's own, as it is now. The order tells of the
    scores, so it is for who may read.
    """
    asked.caller.require_any("read")
    return rank(await operations.get(services.db, _group_id(asked), may_see=_may_read(asked)))


def _may_read(asked: Asked) -> Callable[[str], bool]:
    return partial(asked.caller.permissions.allows, "read")


def _group_id(asked: Asked) -> str:
    """An id that no experiment can have is one that none has."""
    value = asked.path["group_id"]
    if _GROUP_ID.fullmatch(value) is None:
        raise errors.ExperimentNotFoundError(value[:100])
    return value


_WRITE_ERRORS = (
    errors.InvalidRequestError,
    errors.InvalidJsonError,
    errors.ChannelNotFoundError,
    errors.ChannelDeletedError,
    errors.IdempotencyConflictError,
)

ROUTES = (
    Route(
        method="POST",
        path="/experiments",
        operation="experiments.create",
        summary="Start an experiment",
        handler=create,
        body=CreateBody,
        reply=Experiment,
        errors=_WRITE_ERRORS,
    ),
    Route(
        method="GET",
        path="/experiments",
        operation="experiments.list",
        summary="Experiments, newest first",
        handler=list_newest,
        query=ListQuery,
        reply=ExperimentsReply,
        errors=(errors.InvalidRequestError,),
    ),
    Route(
        method="GET",
        path="/experiments/{group_id}",
        operation="experiments.get",
        summary="One experiment with its members",
        handler=get,
        reply=Experiment,
        errors=(errors.ExperimentNotFoundError,),
    ),
    Route(
        method="POST",
        path="/experiments/{group_id}/members",
        operation="experiments.members.add",
        summary="Add a channel to an experiment",
        handler=add_member,
        body=MemberBody,
        reply=Experiment,
        errors=(*_WRITE_ERRORS, errors.ExperimentNotFoundError),
    ),
    Route(
        method="GET",
        path="/experiments/{group_id}/rank",
        operation="experiments.rank",
        summary="The members by their scores",
        handler=get_ranking,
        reply=Ranking,
        errors=(errors.ExperimentNotFoundError,),
    ),
)
