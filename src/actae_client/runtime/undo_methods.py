"""Undoing what runs did."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast

from actae_client.runtime.ambient import Ambient
from actae_client.runtime.run_options import RunPlan
from actae_client.runtime.scope import ActaeScope
from actae_client.tools.background import background
from actae_client.tools.call import EffectTerms
from actae_client.undo.compensations import Compensations
from actae_client.undo.plan import UndoPlan, read_plan
from actae_client.undo.report import UndoReport
from actae_client.undo.undoing import Undoing, UndoOptions

if TYPE_CHECKING:
    from actae_client.runtime.facade import Actae

F = TypeVar("F", bound=Callable[..., Any])


class UndoMethods:
    """The part of `Actae` that undoes effects by their compensations."""

    client: Any

    def __init__(self) -> None:
        self.compensations = Compensations()

    def compensation(self, tool_name: str, **terms: Unpack[EffectTerms]) -> Callable[[F], F]:
        """Decorate the function that undoes a tool which is run by its name, without `effect`.

        It takes the parameters and the result of the effect. Raises ValueError when the tool has one.
        """

        def declare(function: F) -> F:
            self.compensations.declare(tool_name, function, terms)
            return function

        return declare

    async def undo(self, *, channel_id: str | None = None, **options: Unpack[UndoOptions]) -> UndoReport:
        """Undo what was completed on a channel after `to_cursor`, the last effect first.

        The channel is that of the run around the call unless given. Each compensation is an operation
        of the ledger, under the key of its effect and `:undo`: once it is recorded, no process runs it
        again. So an undo that was cut off is simply called again. What a fork inherits is not its own,
        and stays.

        Undo when the run has ended: what is still running is told, not stopped. `UndoOptions` says what
        the options mean. Raises RuntimeError without a channel, and what the client raises when it is not
        about one effect: ActaeConnectionError, PermissionDeniedError, ChannelClosedError.
        """
        undoing, scope = self._undoing(channel_id, options)
        await undoing.begin()
        with Ambient(scope):
            while call := await undoing.next_call():
                with undoing.noting(call):
                    call.result = await undoing.tools.execute(*call.arguments, **call.options)
        return await undoing.finish()

    def undo_sync(self, *, channel_id: str | None = None, **options: Unpack[UndoOptions]) -> UndoReport:
        """`undo`, blocking."""
        undoing, scope = self._undoing(channel_id, options)
        loop = background()
        loop.run(undoing.begin())
        with Ambient(scope):
            while call := loop.run(undoing.next_call()):
                with undoing.noting(call):
                    call.result = undoing.tools.execute_sync(*call.arguments, **call.options)
        return loop.run(undoing.finish())

    async def undo_plan(self, *, to_cursor: int, channel_id: str | None = None) -> UndoPlan:
        """What `undo` would do now, in which order. Nothing is run or written."""
        return await read_plan(self.client, self._scope(channel_id).channel_id, to_cursor, self.compensations)

    def undo_plan_sync(self, *, to_cursor: int, channel_id: str | None = None) -> UndoPlan:
        """`undo_plan`, blocking."""
        return background().run(self.undo_plan(to_cursor=to_cursor, channel_id=channel_id))

    def _undoing(self, channel_id: str | None, options: UndoOptions) -> tuple[Undoing, ActaeScope]:
        scope = self._scope(channel_id)
        return Undoing(self.client, scope.channel_id, self.compensations, **options), scope

    def _scope(self, channel_id: str | None) -> ActaeScope:
        """The run around the call; or one of the channel, for effects that a compensation is made of."""
        owner = cast("Actae", self)
        around = owner.current(required=channel_id is None)
        if around is not None and channel_id in (None, around.channel_id):
            return around
        return ActaeScope.of(owner, RunPlan.of("undo", {"channel_id": channel_id}))
