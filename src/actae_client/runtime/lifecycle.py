"""Saying when a run starts and how it ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Literal

from actae_client._types.json import Json
from actae_client.errors import IdempotencyConflictError
from actae_client.runtime.ambient import ambient
from actae_client.runtime.run_options import RunPlan
from actae_client.runtime.scope import ActaeScope
from actae_client.tools.background import background
from actae_client.tools.failures import message_of, shortened
from actae_client.tools.keys import distinct_operation_key

if TYPE_CHECKING:
    from actae_client.runtime.facade import Actae

logger: logging.Logger = logging.getLogger(__name__)

LifecycleErrors = Literal["raise", "warn"]

INTERRUPTIONS = (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit)

_MESSAGE_CHARACTERS_MAX = 4_000
_FAREWELL_SECONDS_MAX = 10.0


@asynccontextmanager
async def opened(owner: Actae, plan: RunPlan) -> AsyncIterator[ActaeScope]:
    """A run, from `run.started` to the event that says how it ended."""
    scope = ActaeScope.of(owner, plan)
    await _note(scope, "run.started", {})
    try:
        with ambient(scope):
            yield scope
    except BaseException as error:
        await _note_end(scope, error)
        raise
    await _note(scope, "run.completed", {})


@contextmanager
def opened_blocking(owner: Actae, plan: RunPlan) -> Iterator[ActaeScope]:
    """`opened` for code without an event loop."""
    scope = ActaeScope.of(owner, plan)
    background().run(_note(scope, "run.started", {}))
    try:
        with ambient(scope):
            yield scope
    except BaseException as error:
        background().run(_note_end(scope, error))
        raise
    background().run(_note(scope, "run.completed", {}))


def described(error: BaseException) -> dict[str, Json]:
    """An error or a cancellation as an event shows it."""
    kind = type(error).__name__
    if isinstance(error, INTERRUPTIONS):
        return {"cancellation": {"type": kind}}
    return {"error": {"type": kind, "message": shortened(message_of(error), _MESSAGE_CHARACTERS_MAX)}}


async def _note_end(scope: ActaeScope, error: BaseException) -> None:
    """Record how the run ended; best effort, because the application's own error has to be raised."""
    kind = "run.cancelled" if isinstance(error, INTERRUPTIONS) else "run.failed"
    try:
        async with asyncio.timeout(_FAREWELL_SECONDS_MAX):
            await _record(scope, kind, described(error))
    except Exception as failure:
        logger.warning("%s of run %r could not be recorded: %r", kind, scope.run_id, failure)


async def _note(scope: ActaeScope, kind: str, extra: dict[str, Json]) -> None:
    try:
        await _record(scope, kind, extra)
    except Exception as failure:
        if scope.owner.lifecycle_errors == "raise":
            raise
        logger.warning("%s of run %r could not be recorded: %r", kind, scope.run_id, failure)


async def _record(scope: ActaeScope, kind: str, extra: dict[str, Json]) -> None:
    data = {
        "workflow_id": scope.workflow_id,
        "native_run_id": scope.native_run_id,
        "attempt": scope.attempt,
        "invocation_id": scope.invocation_id,
        "metadata": scope.metadata,
        **extra,
    }
    operation_id = distinct_operation_key(
        "actae.runtime", kind, scope.channel_id, scope.run_id, scope.invocation_id
    )
    try:
        await scope.record(kind, data, operation_id=operation_id)
    except IdempotencyConflictError:
        # The same attempt has said this before, with other metadata or another error.
        logger.info("%s of run %r is on record already, in other words", kind, scope.run_id)
