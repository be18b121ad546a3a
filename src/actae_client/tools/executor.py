"""Runs a tool at most once per key, as far as its record can say."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Unpack

from actae_client._types.json import Json
from actae_client.tools.arguments import checked
from actae_client.tools.background import background
from actae_client.tools.call import EffectOptions, Terms, ToolCall
from actae_client.tools.effect import Effect
from actae_client.tools.generators import refuse_generator_function
from actae_client.tools.inquiry import Inquiry
from actae_client.tools.ledger import Ledger
from actae_client.tools.outcomes import Outcome
from actae_client.tools.running import Invoke, ToolRun
from actae_client.tools.waiting import outcome_of, outcome_of_blocking


class ActaeToolExecutor:
    """Runs tools on one channel through the execution ledger.

    A completed call is not run again: its stored result is returned. What this guarantees is
    coordination, and the replay of recorded results. When a process dies after the effect and before
    its record, a later claim runs the tool again; pass `current_operation().idempotency_key` to the
    provider to make even that harmless.

    `actae` is an `ActaeClient` or a `SyncActaeClient`; it is used from a background thread, so a
    client of your own must be usable from more than one event loop. `actor` signs the ledger's events.
    """

    def __init__(self, actae: Any, channel_id: str, actor: str = "framework-tool") -> None:
        self._ledger = Ledger(actae)
        self.channel_id = channel_id
        self.actor = actor

    async def execute(
        self,
        key_name: str,
        tool_name: str,
        params: Json,
        invoke: Invoke,
        **options: Unpack[EffectOptions],
    ) -> Json:
        """Run `invoke` under the key, or return what an earlier run under it returned.

        `invoke` takes no arguments. A coroutine function runs on this event loop, anything else in
        a thread; it may return an awaitable. Its result is stored as JSON (what JSON cannot hold is
        written as `actae_client.tools.results` says), and the first run returns what a replay will.

        A tool that raises has not had its effect, as far as the ledger can know: the key is handed out
        again. Where an error leaves that open (a time-out of the provider), name it in `ambiguous_on`.
        A generator is no result, because it has done nothing yet: a tool that returns one fails with a
        TypeError, and with `on_lapse="ambiguous"` the outcome of what ran before is open.

        Options:

        * `dedup_fields`: the top-level fields of `params` that make two calls the same; None is all.
        * `lease_seconds` (60): how long the key stays ours without a heartbeat.
        * `heartbeat_interval`: seconds between heartbeats; None is a third of the lease, 0.25 to 30.
        * `emit_replay_event` (True): have the first replay leave a `tool.replayed` event.
        * `cancellation_event`: set when the call is cancelled or its lease is lost.
        * `wait_seconds` (0): how long to wait for another owner to finish, or for a person to answer.
        * `approval`: a question to a person, who has to say yes to this very call first. It is asked
          once; until it is answered, the call raises ApprovalPendingError. A later call, also of another
          process, finds the answer. It binds all of `params`, also those that `dedup_fields` leaves out.
        * `approval_fields`: the top-level fields of `params` that the answer binds, where the others may
          change without another question; None is all.
        * `completion_timeout` (120): seconds for which recording a result is tried again.
        * `on_cancel`: what becomes of the key when the call is cancelled before the tool returned.
          `"cancel"` gives it back at once, so the next claim runs the tool again. That is right for
          tools that do nothing when they are cut off, or whose provider knows the idempotency key.
          A request that was under way may have had its effect, though: `"hold"` leaves the key
          until the lease lapses, which gives time to look. `"ambiguous"`, the default together with
          `on_lapse="ambiguous"`, hands it to nobody before somebody has looked.
        * `on_lapse` (`"reclaim"`): what it means when this process dies in the middle. With `"ambiguous"`
          the tool is not called again before it is known what became of the call.
        * `mark_dispatched` (True): together with that, tell the ledger just before the tool is called: who
          died before has not called it. It costs one more round trip.
        * `ambiguous_on`: exceptions of the tool after which nobody knows, such as `TimeoutError`. They are
          raised, and the operation is handed to nobody. Needs `on_lapse="ambiguous"`.
        * `reconcile`: a probe, async or not, that asks the provider what became of an earlier attempt
          before the tool is called again; see `actae_client.reconcile`.
        * `ask`: a question to a person, for when nobody and no probe can tell. A yes has the tool called
          again; what was found to be done is resolved by hand.
        * `on_failure` (`"reclaim"`): with `"replay"`, a failure on record is raised as a
          RecordedFailureError, and the tool is not tried again.
        * `ttl_seconds`: how long the key lives from its first claim on; None is as long as its channel.

        Cancelling this coroutine cancels an async tool and waits for its end; code in a thread
        cannot be stopped, so its end is awaited while the lease is kept. The outcome is recorded
        before the cancellation is raised again.

        Raises TypeError and ValueError for bad arguments, before anything is claimed;
        ToolExecutionInProgressError, IdempotencyKeyMismatchError, ForkToolBlockedError, ApprovalError,
        OutcomeUnknownError, RecordedFailureError and KeyExpiredError when the tool was not run;
        LeaseLostError; EffectNotRecordedError; and what the tool raises.
        """
        effect, outcome = self._begin(
            key_name, tool_name, params, invoke, options, asyncio.get_running_loop()
        )
        return await outcome_of(outcome, effect)

    def execute_sync(
        self,
        key_name: str,
        tool_name: str,
        params: Json,
        invoke: Invoke,
        **options: Unpack[EffectOptions],
    ) -> Json:
        """`execute` for code without an event loop; blocks until the outcome is recorded.

        The tool runs in a thread of its own: Ctrl-C and signal handlers that raise do not tear it
        apart, they are raised again when its outcome is recorded.
        """
        effect, outcome = self._begin(key_name, tool_name, params, invoke, options, None)
        return outcome_of_blocking(outcome, effect)

    def _begin(
        self,
        key_name: str,
        tool_name: str,
        params: Json,
        invoke: Invoke,
        options: EffectOptions,
        home: asyncio.AbstractEventLoop | None,
    ) -> tuple[Callable[[], None], Future[Outcome]]:
        """Start an effect; returns the way to interrupt it, and its outcome."""
        if not callable(invoke):
            raise TypeError(f"invoke must be callable, not {type(invoke).__name__}")
        refuse_generator_function(invoke, getattr(invoke, "__name__", "invoke"))
        terms = Terms.of(options)
        call = ToolCall(
            channel_id=self.channel_id,
            key_name=key_name,
            tool_name=tool_name,
            params=checked("params", params),
            actor=self.actor,
            terms=terms,
        )
        context = contextvars.copy_context()
        tool = ToolRun(invoke, context=context, home=home, cancellation_event=terms.cancellation_event)
        inquiry = Inquiry(self._ledger, call, context=context, home=home)
        effect = Effect(self._ledger, call, tool, inquiry)
        loop = background()
        story = effect.run()
        if home is None:
            loop.refuse_own_thread(story)
        return (lambda: loop.call_soon(effect.interrupt)), loop.submit(story)
