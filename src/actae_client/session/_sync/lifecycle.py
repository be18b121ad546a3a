# Written by tools/generate_sync.py from _async/lifecycle.py. Do not edit.
"""Entering a session, stepping, and leaving it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client.errors import SessionCompletedError, SessionError, SessionLockedError
from actae_client.session._sync._io import Lock, at_most
from actae_client.session._sync.fence import Fence
from actae_client.session._sync.journal import Journal
from actae_client.session._sync.resuming import require_unmoved
from actae_client.session._sync.snapshots import Snapshots
from actae_client.session._sync.transport import SyncSessionTransport, method
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
        actae: SyncSessionTransport,
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
    ) -> Event:
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

    def __enter__(self) -> Self:
        with self._lock:
            self._require_entrance()
            try:
                self._fence.claim()
                if self._settings.fence_owner is not None and self._start.is_elsewhere:
                    require_unmoved(self._transport, self._name, self._progress.count)
                self._open()
            except BaseException:
                self._fence.release()
                raise
            self._is_entered = True
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        with self._lock:
            try:
                if error is None:
                    self._complete()
                else:
                    self._crash(error)
            finally:
                self._fence.release()

    def _require_entrance(self) -> None:
        if self._status == "completed":
            raise SessionCompletedError(f"session {self._name!r} is completed")
        if self._is_entered:
            raise SessionError(f"session {self._name!r} was entered before; resume it for another go")

    def _open(self) -> None:
        started_at: dict[str, Json] = {}
        if self._status == "created":
            event = self._journal.record_started(
                {"session_name": self._name, "params": self._params},
                {
                    "session_name": self._name,
                    "snapshot_interval": self._settings.snapshot_interval,
                    "has_state_fn": self._settings.state_fn is not None,
                },
            )
            started_at["started_at"] = event.timestamp
        self._journal.describe(self._described(status="started", **started_at))
        self._status = "started"

    def _step(self, draft: StepDraft) -> Event:
        with self._lock:
            self._require_open()
            self._fence.renew()
            number = self._progress.count + 1
            event = self._journal.record_step(draft, number, self._settings.step_identity)
            self._progress.add(event.cursor)
            self._status = "stepping"
            self._snapshots.take(number, event.cursor)
            self._describe_once()
            return event

    def _describe_once(self) -> None:
        """Say that there are steps now. The step is recorded, so a failure must not look like its own."""
        if self._is_described:
            return
        try:
            self._journal.describe(self._described())
            self._is_described = True
        except Exception as failure:
            logger.warning("the metadata of %s was not updated: %r", self._name, failure)

    def _complete(self) -> None:
        try:
            self._fence.renew()
        except SessionLockedError:
            self._status = "crashed"
            raise
        self._status = "completed"
        try:
            self._journal.record_completed({"session_name": self._name, "total_steps": self._progress.count})
        except Exception as failure:
            logger.warning("the end of %s was not recorded: %r", self._name, failure)
        metadata = self._journal.describe(self._described())
        if metadata.outcome == "crashed":
            self._take_back_crash()

    def _take_back_crash(self) -> None:
        """An earlier go crashed, and this one got through. Best effort: it completed in any case."""
        try:
            method(self._transport, "set_outcome")(self._name, None)
        except Exception as failure:
            logger.warning("the outcome of %s still says that it crashed: %r", self._name, failure)

    def _crash(self, error: BaseException) -> None:
        """Leave word of what happened; best effort, because a crash is also seen without it."""
        self._status = "crashed"
        reason = shortened(f"{type(error).__name__}: {message_of(error)}", _REASON_CHARACTERS_MAX)
        try:
            with at_most(_LAST_WORDS_SECONDS_MAX):
                self._fence.renew()
                self._journal.describe(self._described(crash_reason=reason))
                method(self._transport, "set_outcome")(self._name, "crashed")
        except SessionLockedError:
            # The channel is another owner's by now; what became of us is not its business.
            logger.warning("%s was taken over by another session", self._name)
        except Exception as failure:
            logger.warning("the crash of %s was not recorded: %r", self._name, failure)
