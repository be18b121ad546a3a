"""Saying when a run starts and how it ends."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from actae_client._heard_out import heard_out
from actae_client._types.json import Json
from actae_client.errors import IdempotencyConflictError
from actae_client.runtime.ambient import Ambient
from actae_client.runtime.run_options import RunPlan
from actae_client.runtime.scope import ActaeScope
from actae_client.tools.background import background
from actae_client.tools.failures import message_of, shortened
from actae_client.tools.keys import distinct_operation_key

if TYPE_CHECKING:
    from actae_client.runtime.facade import Actae

logger: logging.Logger = logging.getLogger(__name__)

LifecycleErrors = Literal["raise", "warn"]

# Of who is cancelled while it says that it starts: so that its end comes after its start.
START_SECONDS_MAX = 5.0

INTERRUPTIONS = (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit)

_MESSAGE_CHARACTERS_MAX = 4_000
_FAREWELL_SECONDS_MAX = 10.0


class OpenRun(AbstractAsyncContextManager["ActaeScope"]):
    """A run, from `run.started` to the event that says how it ended."""

    def __init__(self, owner: Actae, plan: RunPlan) -> None:
        self._owner = owner
        self._plan = plan
        self._ambient: Ambient | None = None

    async def __aenter__(self) -> ActaeScope:
        scope = ActaeScope.of(self._owner, self._plan)
        try:
            await heard_out(partial(_note, scope, "run.started", {}), START_SECONDS_MAX)
        except asyncio.CancelledError as cancelled:
            await _note_end(scope, cancelled)
            raise
        self._ambient = Ambient(scope)
        return self._ambient.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._ambient is not None, "entered before it is left"
        self._ambient.__exit__(kind, error, trace)
        await _end(self._ambient.scope, error)


class BlockingRun(AbstractContextManager["ActaeScope"]):
    """`OpenRun` for code without an event loop."""

    def __init__(self, owner: Actae, plan: RunPlan) -> None:
        self._owner = owner
        self._plan = plan
        self._ambient: Ambient | None = None

    def __enter__(self) -> ActaeScope:
        scope = ActaeScope.of(self._owner, self._plan)
        try:
            background().run(_note(scope, "run.started", {}))
        except INTERRUPTIONS as interruption:
            background().run(_note_end(scope, interruption))
            raise
        self._ambient = Ambient(scope)
        return self._ambient.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._ambient is not None, "entered before it is left"
        self._ambient.__exit__(kind, error, trace)
        background().run(_end(self._ambient.scope, error))


def described(error: BaseException) -> dict[str, Json]:
    """An error or a cancellation as an event shows it."""
    kind = type(error).__name__
    if isinstance(error, INTERRUPTIONS):
        return {"cancellation": {"type": kind}}
    return {"error": {"type": kind, "message": shortened(message_of(error), _MESSAGE_CHARACTERS_MAX)}}


async def _end(scope: ActaeScope, error: BaseException | None) -> None:
    if error is None:
        await _note(scope, "run.completed", {})
    else:
        await _note_end(scope, error)


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
