"""One run of an agent, step by step."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import Any, Self

from actae_client._marking import returning_coroutines
from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client.errors import SessionCompletedError, SessionError, SessionLockedError
from actae_client.session._async._io import Lock, at_most
from actae_client.session._async.approval import ask_approval
from actae_client.session._async.fence import Fence
from actae_client.session._async.forking import forked_start
from actae_client.session._async.journal import Journal
from actae_client.session._async.resuming import read_resumable, resumed_start
from actae_client.session._async.snapshots import Snapshots
from actae_client.session._async.transport import SessionTransport, method
from actae_client.session.draft import StepDraft, StepIdentity
from actae_client.session.facts import SessionFacts
from actae_client.session.fork_order import BoundaryMode, ForkOrder
from actae_client.session.settings import SessionSettings

logger = logging.getLogger("actae_client.session")

_REASON_CHARACTERS_MAX = 2000
_LAST_WORDS_SECONDS_MAX = 10.0


@returning_coroutines
class AgentSession(SessionFacts):
    """One run of an agent on one channel, in steps that are numbered from 1.

    Entering it records `session.started`, leaving it `session.completed`; an exception marks it as
    crashed. A process that is killed leaves behind what it recorded, and `resume` goes on after the
    last step. `fork` starts another run at one of the steps.

    `name` is the id of the channel. `state_fn`, a function or a coroutine function, is asked for
    the state every `snapshot_interval` steps; None saves nothing. With `fence_owner` only one
    session at a time can be on the channel: it holds a lease of `fence_lease_seconds`, which is
    renewed while it is open. `step_identity="full"` makes the operation ids of steps of their whole
    content; "shared", the default, are the ids that clients in other languages derive, which see
    only the beginning of it.

    Steps are recorded one after the other; otherwise a session serves one task or thread.

    Raises ValueError for a name that is no channel id and for settings that cannot be, TypeError
    and ValueError for params that are not JSON.
    """

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

    @classmethod
    async def resume(
        cls,
        actae: SessionTransport,
        channel_id: str,
        *,
        fork_at_step: int | None = None,
        name: str | None = None,
        params: dict[str, Json] | None = None,
        state_fn: Callable[[], Any] | None = None,
        snapshot_interval: int = 1,
        boundary_mode: BoundaryMode = "exact",
        manifest: dict[str, Json] | None = None,
        intervention: dict[str, Json] | None = None,
        tool_policies: dict[str, str] | None = None,
        display_name: str | None = None,
        reason: str | None = None,
        fence_owner: str | None = None,
        fence_lease_seconds: int = 60,
        step_identity: StepIdentity | None = None,
    ) -> Self:
        """Go on with a session, or fork one of which only the channel is known.

        Without `fork_at_step` the session goes on in place after the last step that was recorded,
        however its process ended; `params` are laid over those that are stored, and
        `inherited_state` is the last snapshot. With it, the steps up to there are inherited by a
        new session `name`, which has only the `params` that are given; see `fork`.

        Raises SessionError for a channel or step that does not exist, SessionCompletedError when a
        completed session is to go on in place, and what `fork` raises.
        """
        if fork_at_step is None:
            if not (name is None and manifest is None and tool_policies is None):
                raise SessionError("name, manifest and tool_policies are those of a fork: pass fork_at_step")
            metadata = await read_resumable(actae, channel_id)
            stored: Mapping[str, Any] = metadata.experiment_metadata or {}
            start = await resumed_start(actae, metadata, intervention)
            params = {**_dict(stored.get("params")), **(params or {})}
            step_identity = step_identity or ("full" if stored.get("step_identity") == "full" else None)
        else:
            if name is None:
                raise SessionError("a fork needs a name: the channel id of the new session")
            order = ForkOrder(
                source=channel_id,
                at_step=fork_at_step,
                name=name,
                boundary_mode=boundary_mode,
                params=params or {},
                display_name=display_name,
                reason=reason,
                manifest=manifest,
                intervention=intervention,
                tool_policies=tool_policies,
            )
            start = await forked_start(actae, order)
        session = cls(
            actae,
            name or channel_id,
            display_name=display_name,
            state_fn=state_fn,
            snapshot_interval=snapshot_interval,
            params=params,
            fence_owner=fence_owner,
            fence_lease_seconds=fence_lease_seconds,
            step_identity=step_identity or "shared",
        )
        session._begin(start)
        return session

    @classmethod
    async def resume_from_fork(cls, transport: SessionTransport, receipt: Any, **kwargs: Any) -> Self:
        """Go on with the child that a fork receipt names, an object or its dict; see `resume`."""
        child = (
            receipt.get("child_channel_id") or receipt["channel_id"]
            if isinstance(receipt, Mapping)
            else receipt.child_channel_id
        )
        return await cls.resume(transport, child, **kwargs)

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

    async def fork(
        self,
        at_step: int,
        name: str,
        *,
        display_name: str | None = None,
        params: dict[str, Json] | None = None,
        state_fn: Callable[[], Any] | None = None,
        reason: str | None = None,
        boundary_mode: BoundaryMode = "exact",
        manifest: dict[str, Json] | None = None,
        intervention: dict[str, Json] | None = None,
        tool_policies: dict[str, str] | None = None,
    ) -> Self:
        """Start a session that has the steps up to `at_step` behind it, on the channel `name`.

        Its next step is `at_step + 1`, its `inherited_state` the newest snapshot at or before the
        step; seed the live state from it. Effects that were completed by then are replayed;
        `tool_policies` says what else its tools may do. `params` are laid over those of this
        session, and its settings are taken over, but for `state_fn`: the state is another one.
        Forking again under the same name and at the same step returns the same child.

        `BoundaryMode` says what happens without such a snapshot.

        Raises SessionError when this session was never started, for a step that does not exist and
        for an unknown mode; NoRestorableCheckpointError when the mode is exact and there is no
        snapshot; ChannelConflictError when the name is taken.
        """
        if self._status == "created":
            raise SessionError(f"session {self._name!r} was not started, so it has no steps to fork at")
        merged = {**self._params, **(params or {})}
        order = ForkOrder(
            source=self._name,
            at_step=at_step,
            name=name,
            boundary_mode=boundary_mode,
            params=merged,
            display_name=display_name,
            reason=reason,
            manifest=manifest,
            intervention=intervention,
            tool_policies=tool_policies,
            forked_from_channel=self._name,
        )
        start = await forked_start(self._transport, order, self._progress)
        child = type(self)(
            self._transport,
            name,
            display_name=display_name,
            state_fn=state_fn,
            snapshot_interval=self._settings.snapshot_interval,
            params=merged,
            fence_owner=self._settings.fence_owner,
            fence_lease_seconds=self._settings.fence_lease_seconds,
            step_identity=self._settings.step_identity,
        )
        child._begin(start)
        return child

    async def require_approval(
        self,
        summary: str,
        *,
        details: Json = None,
        timeout_seconds: float | None = None,
        poll_interval: float = 1.0,
        requester: str = "agent",
    ) -> dict[str, Any]:
        """Record a question, and wait until somebody has decided it.

        Returns `{"request_id", "approved", "decision", "event"}`: whether it was approved, and the
        payload and the event of the decision. Raises SessionError for a time-out, which needs the
        server's wake-ups, and when the session is not open.
        """
        self._require_open()
        if timeout_seconds is not None:
            raise SessionError("a time-out of an approval needs wake-ups, which this client does not have")
        return await ask_approval(
            self._transport, self._name, summary, details, requester=requester, poll_interval=poll_interval
        )

    async def set_outcome(self, outcome: str, *, score: float | None = None) -> dict[str, Any]:
        """Say how the run ended: `promoted`, `rejected`, `inconclusive` or `crashed`."""
        said: dict[str, Any] = await method(self._transport, "set_outcome")(self._name, outcome, score=score)
        return said

    async def promote(self) -> dict[str, Any]:
        """Bring this fork's state into its parent, by appending only. Raises NotAForkError."""
        said: dict[str, Any] = await method(self._transport, "promote_channel")(self._name)
        return said

    async def create_experiment(
        self, name: str, *, description: str | None = None, baseline_channel_id: str | None = None
    ) -> dict[str, Any]:
        """Open an experiment; its `group_id` names it."""
        made: dict[str, Any] = await method(self._transport, "create_experiment")(
            name, description=description, baseline_channel_id=baseline_channel_id
        )
        return made

    async def add_to_experiment(
        self, group_id: str, *, role: str = "variant", declared_delta: dict[str, Json] | None = None
    ) -> dict[str, Any]:
        """Add this session to an experiment; `declared_delta` says what is different about it."""
        said: dict[str, Any] = await method(self._transport, "add_experiment_member")(
            group_id, self._name, role=role, declared_delta=declared_delta
        )
        return said

    async def __aenter__(self) -> Self:
        async with self._lock:
            self._require_entrance()
            await self._fence.claim()
            try:
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
        await self._fence.renew()
        self._status = "completed"
        try:
            await self._journal.record_completed(
                {"session_name": self._name, "total_steps": self._progress.count}
            )
        except Exception as failure:
            logger.warning("the end of %s was not recorded: %r", self._name, failure)
        await self._journal.describe(self._described())

    async def _crash(self, error: BaseException) -> None:
        """Leave word of what happened; best effort, because a crash is also seen without it."""
        self._status = "crashed"
        reason = f"{type(error).__name__}: {error}"[:_REASON_CHARACTERS_MAX]
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


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
