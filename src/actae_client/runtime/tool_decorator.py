"""Read-only calls: observed, never claimed."""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import uuid4

from actae_client._heard_out import heard_out
from actae_client._types.json import Json
from actae_client.runtime.calls import bound_arguments, is_async
from actae_client.runtime.lifecycle import INTERRUPTIONS, START_SECONDS_MAX, described
from actae_client.runtime.scope import ActaeScope
from actae_client.tools.arguments import checked
from actae_client.tools.background import background

if TYPE_CHECKING:
    from actae_client.runtime.facade import Actae

F = TypeVar("F", bound=Callable[..., Any])

logger: logging.Logger = logging.getLogger(__name__)


def observed_tool(owner: Actae, function: F, name: str, capture: bool) -> F:
    """The function, each call of it noted on the channel of the ambient run."""
    signature = inspect.signature(function)

    def noted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _NotedCall:
        scope = owner.current()
        params = checked("params", bound_arguments(signature, args, kwargs)) if capture else None
        return _NotedCall(scope, name, params, capture)

    if is_async(function):

        @functools.wraps(function)
        async def observed(*args: Any, **kwargs: Any) -> Any:
            call = noted(args, kwargs)
            await call.start()
            try:
                result = await function(*args, **kwargs)
                returned = call.shown(result)
            except BaseException as error:
                await call.raised(error)
                raise
            await call.completed(returned)
            return result

        return cast("F", observed)

    @functools.wraps(function)
    def observed_blocking(*args: Any, **kwargs: Any) -> Any:
        call = noted(args, kwargs)
        call.start_blocking()
        try:
            result = function(*args, **kwargs)
            returned = call.shown(result)
        except BaseException as error:
            background().run(call.raised(error))
            raise
        background().run(call.completed(returned))
        return result

    return cast("F", observed_blocking)


class _NotedCall:
    """The events of one call."""

    def __init__(self, scope: ActaeScope, name: str, params: Json, capture: bool) -> None:
        self._scope = scope
        self._identity = {"tool": name, "tool_call_id": str(uuid4())}
        self._params = {"params": params} if capture else {}
        self._capture = capture

    def shown(self, result: Any) -> dict[str, Json]:
        """The result as the event shows it. Raises TypeError when it is not JSON."""
        return {"result": checked("result", result)} if self._capture else {}

    async def start(self) -> None:
        try:
            await heard_out(self._started, START_SECONDS_MAX)
        except asyncio.CancelledError as cancelled:
            await self.raised(cancelled)
            raise

    def start_blocking(self) -> None:
        try:
            background().run(self._started())
        except INTERRUPTIONS as interruption:
            background().run(self.raised(interruption))
            raise

    async def completed(self, result: dict[str, Json]) -> None:
        await self._note("tool.completed", result)

    async def raised(self, error: BaseException) -> None:
        """Best effort: the error of the tool has to be raised."""
        kind = "tool.cancelled" if isinstance(error, INTERRUPTIONS) else "tool.failed"
        try:
            await self._scope.record(kind, {**self._identity, **described(error)})
        except Exception as failure:
            logger.warning("%s of %s could not be recorded: %r", kind, self._identity["tool"], failure)

    async def _started(self) -> None:
        await self._note("tool.started", self._params)

    async def _note(self, kind: str, extra: dict[str, Json]) -> None:
        try:
            await self._scope.record(kind, {**self._identity, **extra})
        except Exception as failure:
            if self._scope.owner.lifecycle_errors == "raise":
                raise
            logger.warning("%s of %s could not be recorded: %r", kind, self._identity["tool"], failure)
