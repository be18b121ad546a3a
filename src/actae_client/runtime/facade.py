"""The way in: runs, and the effects inside of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from types import TracebackType
from typing import Any, Literal, TypeVar, Unpack, overload

from actae_client.client import ActaeClient
from actae_client.runtime.ambient import Ambient, innermost
from actae_client.runtime.calls import name_of
from actae_client.runtime.closing import close, close_blocking
from actae_client.runtime.effect_decorator import EffectDecorator, Params
from actae_client.runtime.effect_keys import Key, Question
from actae_client.runtime.lifecycle import BlockingRun, LifecycleErrors, OpenRun
from actae_client.runtime.observe_decorator import observed_function
from actae_client.runtime.orchestrator import ActaeOrchestrator
from actae_client.runtime.run_options import RunOptions, RunPlan
from actae_client.runtime.scope import ActaeScope
from actae_client.runtime.tool_decorator import observed_tool
from actae_client.runtime.undo_methods import UndoMethods
from actae_client.tools.call import EffectTerms
from actae_client.undo.compensations import Compensate

F = TypeVar("F", bound=Callable[..., Any])


class Actae(UndoMethods):
    """Records what an application does, without being threaded through it.

    A run is opened around the work; inside of it, functions marked as effects go through the ledger
    of that run. Execution stays in the application.

    `client` is an `ActaeClient`, a `SyncActaeClient` or anything else with a `record` (TypeError
    otherwise). `lifecycle_errors` says what happens when the start or the end of a run cannot be
    recorded; an error of the application is raised in any case. As a context manager of either kind,
    it closes the client.
    """

    def __init__(self, client: Any, *, lifecycle_errors: LifecycleErrors = "raise") -> None:
        if not callable(getattr(client, "record", None)):
            raise TypeError(f"a client has a `record`; {type(client).__name__} has none")
        if lifecycle_errors not in ("raise", "warn"):
            raise ValueError(f"lifecycle_errors is {lifecycle_errors!r}; it must be 'raise' or 'warn'")
        super().__init__()
        self.client = client
        self.lifecycle_errors: LifecycleErrors = lifecycle_errors

    @classmethod
    def from_env(cls, *, lifecycle_errors: LifecycleErrors = "raise", **client_options: Any) -> Actae:
        """With an `ActaeClient.from_env(**client_options)`."""
        return cls(ActaeClient.from_env(**client_options), lifecycle_errors=lifecycle_errors)

    def run(self, run_id: str, **options: Unpack[RunOptions]) -> AbstractAsyncContextManager[ActaeScope]:
        """Open a run: `run.started` on entry; `run.completed`, `run.failed` or `run.cancelled` on exit.

        The scope is ambient inside, also in the tasks that are started there. `RunOptions` says what
        the options mean. Raises ValueError and TypeError for bad ones.
        """
        return OpenRun(self, RunPlan.of(run_id, options))

    def run_sync(self, run_id: str, **options: Unpack[RunOptions]) -> AbstractContextManager[ActaeScope]:
        """`run`, blocking."""
        return BlockingRun(self, RunPlan.of(run_id, options))

    def workflow(
        self,
        workflow_id: str,
        *,
        orchestrator: str = "orchestrator",
        attempt: int | None = None,
        **options: Any,
    ) -> AbstractAsyncContextManager[ActaeScope]:
        """Open the run of a workflow; the options are those of `run`.

        Raises RuntimeError for engines that replay workflow code.
        """
        return self.orchestrator(orchestrator).workflow(workflow_id, attempt=attempt, **options)

    def workflow_sync(
        self,
        workflow_id: str,
        *,
        orchestrator: str = "orchestrator",
        attempt: int | None = None,
        **options: Any,
    ) -> AbstractContextManager[ActaeScope]:
        """`workflow`, blocking."""
        return self.orchestrator(orchestrator).workflow_sync(workflow_id, attempt=attempt, **options)

    def orchestrator(self, name: str, *, deterministic: bool | None = None) -> ActaeOrchestrator:
        """What a task queue or workflow engine of this name needs.

        `deterministic` says whether it replays workflow code; None knows a few engines by name.
        """
        return ActaeOrchestrator(self, name, deterministic=deterministic)

    @overload
    def current(self, *, required: Literal[True] = True) -> ActaeScope: ...
    @overload
    def current(self, *, required: bool) -> ActaeScope | None: ...
    def current(self, *, required: bool = True) -> ActaeScope | None:
        """The scope that the calling code runs in, of the runs of this object.

        Raises RuntimeError when there is none and one is required.
        """
        scope = innermost(self)
        if scope is None and required:
            raise RuntimeError("No run is open here. Open one with `actae.run(run_id)`.")
        return scope

    def use(self, scope: ActaeScope) -> AbstractContextManager[ActaeScope]:
        """Make an open scope ambient where it is not: in a thread, say.

        Raises ValueError for the scope of another `Actae`.
        """
        if scope.owner is not self:
            raise ValueError("the scope belongs to another Actae")
        return Ambient(scope)

    def observe(
        self,
        run_id: str | Callable[..., str],
        *,
        framework: str = "custom",
        attempt: int | Callable[..., int | None] | None = None,
        **run_options: Any,
    ) -> Callable[[F], F]:
        """Decorate a function: each call is a run.

        `run_id` and `attempt` may be functions of the call's arguments. Raises TypeError for generators.
        """

        def plan(args: tuple[Any, ...], kwargs: dict[str, Any]) -> RunPlan:
            own = run_id(*args, **kwargs) if callable(run_id) else run_id
            count = attempt(*args, **kwargs) if callable(attempt) else attempt
            return RunPlan.of(own, {"framework": framework, "attempt": count, **run_options})

        return lambda function: observed_function(self, function, plan)

    def effect(
        self,
        key: Key,
        *,
        name: str | None = None,
        params: Params | None = None,
        pass_cancel_event: bool = False,
        approval: Question | None = None,
        ask: Question | None = None,
        compensate: Compensate | Literal[False] | None = None,
        **terms: Unpack[EffectTerms],
    ) -> Callable[[F], F]:
        """Decorate a function whose call is a side effect: once per key, its stored result afterwards.

        `key` is a template filled with the parameters, `"refund:{ticket}:{amount}"`, or a function of
        the arguments; build it from business ids, not from text that a model wrote. `params` is a
        function of the arguments; without it the bound arguments are the parameters. The same key with
        other parameters is an IdempotencyKeyMismatchError. `name` is the tool's name, by default the
        function's. `pass_cancel_event` appends an `asyncio.Event` to the positional arguments that is
        set when the call is cancelled or its lease lost. `approval` is a question, made like the key,
        that a person has to say yes to before this very call is run, with these very arguments or, of
        them, the `approval_fields`; `ask` is one that they are asked
        when nobody knows whether it ran. `compensate` is a function of the parameters and the result that
        takes the effect back when it is undone; False says that there is nothing to take back. The rest is
        what `ActaeToolExecutor.execute` takes. A decorated sync function blocks; its body runs in a thread.

        A call raises RuntimeError without an ambient run, TypeError when the parameters are not JSON,
        ValueError for a key that cannot be made, is empty or has more than 512 bytes, and what
        `execute` raises.
        """
        return EffectDecorator(
            self,
            key,
            name=name,
            params=params,
            pass_cancel_event=pass_cancel_event,
            approval=approval,
            ask=ask,
            compensate=compensate,
            terms=terms,
        )

    @overload
    def tool(self, fn: F, *, name: str | None = None, capture: bool = True) -> F: ...
    @overload
    def tool(self, fn: None = None, *, name: str | None = None, capture: bool = True) -> Callable[[F], F]: ...
    def tool(
        self, fn: F | None = None, *, name: str | None = None, capture: bool = True
    ) -> F | Callable[[F], F]:
        """Decorate a read-only call: nothing is claimed, and its start and end are recorded.

        With `capture`, parameters and result are recorded too, and have to be JSON (TypeError). A call
        raises RuntimeError without an ambient run.
        """

        def decorate(function: F) -> F:
            return observed_tool(self, function, name or name_of(function), capture)

        return decorate if fn is None else decorate(fn)

    async def close(self) -> None:
        """Close the client."""
        await close(self.client)

    def close_sync(self) -> None:
        """Close the client, blocking. Raises RuntimeError where an event loop runs."""
        close_blocking(self.client)

    async def __aenter__(self) -> Actae:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.close()

    def __enter__(self) -> Actae:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close_sync()
