"""One run of a tool: on the caller's event loop or in a thread, beginning once and ending once."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextvars import Context
from typing import Any

from actae_client.tools.generators import refused_generator
from actae_client.tools.operation import Operation, running_operation
from actae_client.tools.outcomes import Outcome, Raised, Returned
from actae_client.tools.results import as_json

Invoke = Callable[[], Any]
"""The call of the tool, without arguments. It may return an awaitable."""


class ToolRun:
    """One run of a tool.

    A coroutine function runs on `home`, the caller's event loop. Anything else is called in a
    thread of its own; an awaitable that it returns is awaited on `home`, or in the thread when the
    caller has no event loop. The result is encoded where the tool returned it, at once; `encode` is
    what a probe, whose answer is not stored, has instead.
    """

    def __init__(
        self,
        invoke: Invoke,
        *,
        context: Context,
        home: asyncio.AbstractEventLoop | None = None,
        cancellation_event: asyncio.Event | None = None,
        encode: Callable[[object], Any] = as_json,
    ) -> None:
        self.ended: Future[Outcome] = Future()
        self._invoke = invoke
        self._context = context
        self._home = home
        self._cancellation_event = cancellation_event
        self._encode = encode
        self._is_interrupted = False
        self._task: asyncio.Task[Any] | None = None
        self._task_loop: asyncio.AbstractEventLoop | None = None
        self._released = threading.Event()

    def start(self, operation: Operation) -> None:
        """Begin. Whatever happens, `ended` gets an outcome."""
        self._context.run(running_operation.set, operation)
        if self._home is not None and _is_coroutine_function(self._invoke):
            self._await_at_home(self._invoke)
            return
        # Not a daemon: a process that wants to exit waits until the effect has ended and is recorded.
        thread = threading.Thread(target=self._run_in_thread, name=f"actae-tool {operation.tool_name}")
        try:
            thread.start()
        except RuntimeError as error:
            self.ended.set_result(Raised(error))

    def interrupt(self) -> None:
        """Ask the run to stop: set the cancellation event and cancel what is awaited.

        Code in a thread cannot be stopped; it may look at the event.
        """
        self._is_interrupted = True
        task = self._task
        loop = self._home if task is None else task.get_loop()
        if task is not None:
            _call_on(loop, task.cancel)
        if self._cancellation_event is not None:
            _call_on(loop, self._cancellation_event.set)

    def is_alive(self) -> bool:
        """Whether the run can still make progress: its thread runs, or the loop it awaits on does."""
        return self._task_loop is None or self._task_loop.is_running()

    def release(self) -> None:
        """Let the thread end: what the tool did is recorded, or nothing more can be done about it."""
        self._released.set()

    def _run_in_thread(self) -> None:
        try:
            value = self._context.run(self._invoke)
            if inspect.isawaitable(value):
                awaitable = value
                if self._home is not None:
                    self._await_at_home(lambda: awaitable)
                    self._released.wait()
                    return
                value = self._context.run(asyncio.run, self._awaited(lambda: awaitable))
        except BaseException as error:  # whatever the tool raised goes to the caller
            self.ended.set_result(Raised(error))
        else:
            self._end_with(value)
        self._released.wait()

    def _await_at_home(self, begin: Callable[[], Awaitable[Any]]) -> None:
        home = self._home
        assert home is not None, "only a caller with an event loop has a home to await on"
        self._task_loop = home

        def start() -> None:
            task = home.create_task(self._awaited(begin), context=self._context)
            task.add_done_callback(self._end_of_task)

        try:
            home.call_soon_threadsafe(start)
        except RuntimeError:
            self.ended.set_result(Raised(asyncio.CancelledError("the caller's event loop is closed")))

    async def _awaited(self, begin: Callable[[], Awaitable[Any]]) -> Any:
        self._task = task = asyncio.current_task()
        assert task is not None, "coroutines run in tasks"
        if self._is_interrupted:
            task.cancel()
        return await begin()

    def _end_of_task(self, task: asyncio.Task[Any]) -> None:
        if task.cancelled():
            self.ended.set_result(Raised(asyncio.CancelledError("the call was cancelled")))
        elif (error := task.exception()) is not None:
            self.ended.set_result(Raised(error))
        else:
            self._end_with(task.result())

    def _end_with(self, value: object) -> None:
        if (refusal := refused_generator(value)) is not None:
            self.ended.set_result(Raised(refusal, has_run=True))
            return
        stored: object = {"$omitted": "interrupted while it was being encoded"}
        try:
            stored = self._encode(value)
        finally:
            # Even an interrupt at this very moment does not undo that the tool has returned.
            self.ended.set_result(Returned(stored))


def _call_on(loop: asyncio.AbstractEventLoop | None, callback: Callable[[], object]) -> None:
    """Call it on the loop if that runs; futures of a loop may only be touched from there."""
    # A loop that was closed in between has nobody left to tell.
    with contextlib.suppress(RuntimeError):
        if loop is not None and loop.is_running():
            loop.call_soon_threadsafe(callback)
        else:
            callback()


def _is_coroutine_function(invoke: Invoke) -> bool:
    return inspect.iscoroutinefunction(invoke) or inspect.iscoroutinefunction(
        getattr(type(invoke), "__call__", None)  # noqa: B004 - the type's, to see an async one
    )
