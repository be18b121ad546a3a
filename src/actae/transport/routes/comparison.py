"""Two channels side by side, and one with its ancestry.

Who may read a fork may see what it inherits: operations of its ancestors, and which channels they are. An
ancestor's state, name and reason show only to those who may read that ancestor, its name also to observers.
"""

from collections.abc import Callable
from functools import partial

import msgspec

from actae.domain import errors
from actae.domain.branches import StateDiff
from actae.domain.comparison import Comparison
from actae.domain.lineage import Trail
from actae.operations import comparison as operations
from actae.operations import trail
from actae.transport.fields import ChannelId, check_channel_id
from actae.transport.route import Asked, Route
from actae.transport.services import Services


class SidesQuery(msgspec.Struct):
    """Which two channels; what only the right one has was added."""

    left: ChannelId
    right: ChannelId


async def diff(services: Services, asked: Asked) -> StateDiff:
    """Where the latest states of two channels differ, and the state that both come from."""
    left, right = _sides(asked)
    return await operations.diff_states(services.db, left, right, may_read=_may_read(asked))


async def compare(services: Services, asked: Asked) -> Comparison:
    """What differs between two branches: states, manifests, operations, outputs, time, tokens and cost.
    Numbers are compared by value, `1` and `1.0` alike, and shown as each side wrote them.
    """
    left, right = _sides(asked)
    return await operations.compare(services.db, left, right, may_read=_may_read(asked))


def _sides(asked: Asked) -> tuple[str, str]:
    query: SidesQuery = asked.query
    sides = check_channel_id(query.left, "left"), check_channel_id(query.right, "right")
    for channel_id in sides:
        asked.caller.require("read", channel_id)
    return sides


async def get_trail(services: Services, asked: Asked) -> Trail:
    """How a channel came to where it is: its ancestry, the state it started with, and its operations."""
    channel_id = check_channel_id(asked.path["channel_id"])
    asked.caller.require("observe", channel_id)
    return await trail.get_trail(services.db, channel_id, asked.caller.permissions)


def _may_read(asked: Asked) -> Callable[[str], bool]:
    return partial(asked.caller.permissions.allows, "read")


_ERRORS = (errors.InvalidRequestError, errors.ChannelNotFoundError)

ROUTES = (
    Route(
        method="GET",
        path="/channels/diff",
        operation="channels.diff",
        summary="Where the states of two channels differ",
        handler=diff,
        query=SidesQuery,
        reply=StateDiff,
        errors=_ERRORS,
    ),
    Route(
        method="GET",
        path="/channels/compare",
        operation="channels.compare",
        summary="What differs between two branches",
        handler=compare,
        query=SidesQuery,
        reply=Comparison,
        errors=_ERRORS,
    ),
    Route(
        method="GET",
        path="/channels/{channel_id}/trail",
        operation="channels.trail.get",
        summary="How a channel came to where it is",
        handler=get_trail,
        reply=Trail,
        errors=_ERRORS,
    ),
)
