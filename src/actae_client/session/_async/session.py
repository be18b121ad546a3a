"""One run of an agent, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self
from uuid import uuid4

from actae_client._calls.arguments import require
from actae_client._calls.frozen import frozen
from actae_client._marking import returning_coroutines
from actae_client._types.forks import ToolPolicy
from actae_client._types.json import Json
from actae_client.approvals import ApprovalOperation, request_payload
from actae_client.errors import SessionError
from actae_client.session._async.approval import ask_approval
from actae_client.session._async.forking import forked_start
from actae_client.session._async.lifecycle import SessionLifecycle
from actae_client.session._async.resuming import read_resumable, resumed_start
from actae_client.session._async.transport import SessionTransport, method
from actae_client.session.draft import StepIdentity
from actae_client.session.fork_order import BoundaryMode, ForkOrder
from actae_client.session.settings import SessionSettings
from actae_client.session.start import Start


@returning_coroutines
class AgentSession(SessionLifecycle):
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
        tool_policies: Mapping[str, ToolPolicy] | None = None,
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
        settings = SessionSettings(
            display_name,
            state_fn,
            snapshot_interval,
            fence_owner,
            fence_lease_seconds,
            step_identity or "shared",
        )
        require("params", params, dict, or_none=True)
        require("intervention", intervention, dict, or_none=True)
        if fork_at_step is None:
            if not (name is None and manifest is None and tool_policies is None):
                raise SessionError("name, manifest and tool_policies are those of a fork: pass fork_at_step")
            metadata = await read_resumable(actae, channel_id)
            stored: Mapping[str, Any] = metadata.experiment_metadata or {}
            start = await resumed_start(actae, metadata, frozen("intervention", intervention))
            params = {**_dict(stored.get("params")), **(params or {})}
            if step_identity is None and stored.get("step_identity") == "full":
                settings = replace(settings, step_identity="full")
        else:
            if name is None:
                raise SessionError("a fork needs a name: the channel id of the new session")
            order = ForkOrder(
                source=channel_id,
                at_step=fork_at_step,
                name=name,
                boundary_mode=boundary_mode,
                params=frozen("params", params or {}),
                display_name=display_name,
                reason=reason,
                manifest=frozen("manifest", manifest),
                intervention=frozen("intervention", intervention),
                tool_policies=tool_policies,
            )
            start = await forked_start(actae, order)
        return cls._started(actae, name or channel_id, settings, params, start)

    @classmethod
    async def resume_from_fork(cls, transport: SessionTransport, receipt: Any, **kwargs: Any) -> Self:
        """Go on with the child that a fork receipt names, an object or its dict; see `resume`."""
        child = (
            receipt.get("child_channel_id") or receipt["channel_id"]
            if isinstance(receipt, Mapping)
            else receipt.child_channel_id
        )
        return await cls.resume(transport, child, **kwargs)

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
        tool_policies: Mapping[str, ToolPolicy] | None = None,
    ) -> Self:
        """Start a session that has the steps up to `at_step` behind it, on the channel `name`.

        Its next step is `at_step + 1`, its `inherited_state` the newest snapshot at or before the
        step; seed the live state from it. Effects that were completed by then are replayed;
        `tool_policies` says what else its tools may do. `params` are laid over those of this
        session, and its settings are taken over, but for `state_fn`: the state is another one.
        Forking again under the same name and at the same step returns the same child: where it has
        come to, if it has steps of its own, and with the params, the manifest and the intervention
        that it was made with. Several processes that do so need a `fence_owner`.

        `BoundaryMode` says what happens without such a snapshot.

        Raises SessionError when this session was never started, for a step that does not exist and
        for an unknown mode; NoRestorableCheckpointError when the mode is exact and there is no
        snapshot; ChannelConflictError when the name is taken; SessionCompletedError when the child
        has come to its end. Arguments are checked before anything is made.
        """
        if self._status == "created":
            raise SessionError(f"session {self._name!r} was not started, so it has no steps to fork at")
        require("params", params, dict, or_none=True)
        settings = replace(self._settings, display_name=display_name, state_fn=state_fn)
        merged = {**self._params, **frozen("params", params or {})}
        order = ForkOrder(
            source=self._name,
            at_step=at_step,
            name=name,
            boundary_mode=boundary_mode,
            params=merged,
            display_name=display_name,
            reason=reason,
            manifest=frozen("manifest", manifest),
            intervention=frozen("intervention", intervention),
            tool_policies=tool_policies,
            forked_from_channel=self._name,
        )
        start = await forked_start(self._transport, order, self._progress)
        return self._started(self._transport, name, settings, merged, start)

    @classmethod
    def _started(
        cls,
        transport: SessionTransport,
        name: str,
        settings: SessionSettings,
        params: dict[str, Json] | None,
        start: Start,
    ) -> Self:
        """The session that begins there."""
        session = cls(transport, name, params=params, **settings.as_arguments())
        session._begin(start)
        return session

    async def require_approval(
        self,
        summary: str,
        *,
        details: Json = None,
        timeout_seconds: float | None = None,
        poll_interval: float = 1.0,
        requester: str = "agent",
        request_id: str | None = None,
        operation: ApprovalOperation | None = None,
        approval_fields: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Record a question, and wait until somebody has decided it, or until `timeout_seconds` are over.

        With an `operation` the answer counts for that call, `approval_fields` saying what of it binds:
        see `ActaeClient.request_approval`. With a `request_id` of its own, a session that was resumed
        waits for the answer to the question that it asked before.

        Returns `{"request_id", "approved", "decision", "event"}`: whether it was approved, and the
        payload and the event of the decision, None when there was none. Raises SessionError when the
        session is not open, and for a time-out where the client has no wake-ups.
        """
        self._require_open()
        payload = request_payload(
            str(uuid4()) if request_id is None else request_id,
            summary,
            details=details,
            timeout_seconds=timeout_seconds,
            operation=operation,
            approval_fields=approval_fields,
        )
        return await ask_approval(
            self._transport, self._name, payload, requester=requester, poll_interval=poll_interval
        )

    async def set_outcome(self, outcome: str | None, *, score: float | None = None) -> dict[str, Any]:
        """Say how the run ended; see `ActaeClient.set_outcome`."""
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


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
