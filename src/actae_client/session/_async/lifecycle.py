"""Entering a session, stepping, and leaving it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self

from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client.errors import SessionCompletedError, SessionError, SessionLockedError
from actae_client.session._async._io import Lock, at_most
from actae_client.session._async.fence import Fence
from actae_client.session._async.journal import Journal
from actae_client.session._async.resuming import require_unmoved
from actae_client.session._async.snapshots import Snapshots
from actae_client.session._async.transport import SessionTransport, method
from actae_client.session.draft import StepDraft, StepIdentity
from actae_client.session.facts import SessionFacts
from actae_client.session.settings import SessionSettings
from actae_client.tools.failures import message_of, shortened

logger: logging.Logger = logging.getLogger("actae_client.session")

_REASON_CHARACTERS_MAX = 2000
_LAST_WORDS_SECONDS_MAX = 10.0


class SessionLifecycle(SessionFacts):
    """The part of a session that records: from `created` to `completed`, or to `crashed`."""

    def __init__(
        self,
        actae: SessionTransport,
        name: str,
        *,
        display_name: str | None = None,
        state_fn: Callable[[], Any] | None = None,
        snapshot_interval: int = 1,
        params: dict[str, Json] | None = None,
        fence_owner: str | None = None,
        fence_lease_seconds: int = 60,
        step_identity: StepIdentity = "shared",
    ) -> None:
        settings = SessionSettings(
            display_name, state_fn, snapshot_interval, fence_owner, fence_lease_seconds, step_identity
        )
        super().__init__(name, params, settings)
        self._transport = actae
        self._journal = Journal(actae, name, display_name)
        self._snapshots = Snapshots(actae, name, state_fn, snapshot_interval)
        self._fence = Fence(actae, name, fence_owner, fence_lease_seconds)
        self._lock = Lock()
        self._is_entered = False
        self._is_described = False

    @property
    def snapshot_error(self) -> Exception | None:
        """Why the newest snapshot was not saved: what `state_fn` raised, for instance. None if it was.

        It is logged as well, and never raised: the step is recorded by then.
        """
        return self._snapshots.error

    def step(
        self,
        step_type: str,
        *,
        input: Json = None,  # noqa: A002 - the name that the payload has
        output: Json = None,
        context: Json = None,
        metadata: dict[str, Json] | None = None,
        operation_id: str | None = None,
    ) -> Coroutine[Any, Any, Event]:
        """Record the next step, and save the state if it is its turn.

        The arguments are copied when this is called. `context` is what this step changed in the
        run's context. A step that is recorded again with the same number and content is the same
        event, so after an error the same call may be made again. `operation_id` takes the place of
        the identity that the content has.

        Raises SessionError when the session is not open, SessionCompletedError when it has ended,
        SessionLockedError when somebody else took the channel, IdempotencyConflictError when
        another step was recorded under this identity; then nothing is recorded and the number is
        still free. TypeError and ValueError for what is not JSON.
        """
        return self._step(
            StepDraft.of(
                step_type,
                input=input,
                output=output,
                context=context,
                metadata=metadata,
                operation_id=operation_id,
            )
        )

    async def __aenter__(self) -> Self:
        async with self._lock:
            self._require_entrance()
            try:
                await self._fence.claim()
                if self._settings.fence_owner is not None and self._start.is_elsewhere:
                    await require_unmoved(self._transport, self._name, self._progress.count)
                await self._open()
            except BaseException:
                await self._fence.release()
                raise
            self._is_entered = True
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        async with self._lock:
            try:
                if error is None:
                    await self._complete()
                else:
                    await self._crash(error)
            finally:
                await self._fence.release()

    def _require_entrance(self) -> None:
        if self._status == "completed":
            raise SessionCompletedError(f"session {self._name!r} is completed")
        if self._is_entered:
            raise SessionError(f"session {self._name!r} was entered before; resume it for another go")

    async def _open(self) -> None:
        started_at: dict[str, Json] = {}
        if self._status == "created":
            event = await self._journal.record_started(
                {"session_name": self._name, "params": self._params},
                {
                    "session_name": self._name,
                    "snapshot_interval": self._settings.snapshot_interval,
                    "has_state_fn": self._settings.state_fn is not None,
                },
            )
            started_at["started_at"] = event.timestamp
        await self._journal.describe(self._described(status="started", **started_at))
        self._status = "started"

    async def _step(self, draft: StepDraft) -> Event:
        async with self._lock:
            self._require_open()
            await self._fence.renew()
            number = self._progress.count + 1
            event = await self._journal.record_step(draft, number, self._settings.step_identity)
            self._progress.add(event.cursor)
            self._status = "stepping"
            await self._snapshots.take(number, event.cursor)
            await self._describe_once()
            return event

    async def _describe_once(self) -> None:
        """Say that there are steps now. The step is recorded, so a failure must not look like its own."""
        if self._is_described:
            return
        try:
            await self._journal.describe(self._described())
            self._is_described = True
        except Exception as failure:
            logger.warning("the metadata of %s was not updated: %r", self._name, failure)

    async def _complete(self) -> None:
        try:
            await self._fence.renew()
        except SessionLockedError:
            self._status = "crashed"
            raise
        self._status = "completed"
        try:
            await self._journal.record_completed(
                {"session_name": self._name, "total_steps": self._progress.count}
            )
        except Exception as failure:
            logger.warning("the end of %s was not recorded: %r", self._name, failure)
        metadata = await self._journal.describe(self._described())
        if metadata.outcome == "crashed":
            await self._take_back_crash()

    async def _take_back_crash(self) -> None:
        """An earlier go crashed, and this one got through. Best effort: it completed in any case."""
        try:
            await method(self._transport, "set_outcome")(self._name, None)
        except Exception as failure:
            logger.warning("the outcome of %s still says that it crashed: %r", self._name, failure)

    async def _crash(self, error: BaseException) -> None:
        """Leave word of what happened; best effort, because a crash is also seen without it."""
        self._status = "crashed"
        reason = shortened(f"{type(error).__name__}: {message_of(error)}", _REASON_CHARACTERS_MAX)
        try:
            async with at_most(_LAST_WORDS_SECONDS_MAX):
                await self._fence.renew()
                await self._journal.describe(self._described(crash_reason=reason))
                await method(self._transport, "set_outcome")(self._name, "crashed")
        except SessionLockedError:
            # The channel is another owner's by now; what became of us is not its business.
            logger.warning("%s was taken over by another session", self._name)
        except Exception as failure:
            logger.warning("the crash of %s was not recorded: %r", self._name, failure)
