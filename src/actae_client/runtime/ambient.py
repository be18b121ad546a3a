"""Which run the calling code belongs to."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actae_client.runtime.scope import ActaeScope

# Runs of several `Actae` objects may be open at once, one inside of the other.
_open_scopes: ContextVar[tuple[ActaeScope, ...]] = ContextVar("actae_open_scopes", default=())


class Ambient(AbstractContextManager["ActaeScope"]):
    """Makes the scope the ambient one, in this task and in what it starts.

    A class and no generator: contextlib sets attributes of the exceptions that pass through a
    generator, and an exception that refuses that is replaced by its refusal.
    """

    def __init__(self, scope: ActaeScope) -> None:
        self.scope = scope
        self._before: Token[tuple[ActaeScope, ...]] | None = None

    def __enter__(self) -> ActaeScope:
        self._before = _open_scopes.set((*_open_scopes.get(), self.scope))
        return self.scope

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        assert self._before is not None, "entered before it is left"
        # Entered in one context and left in another (a generator moved between threads), there is
        # nothing to restore here, and the other context has ended.
        with suppress(ValueError):
            _open_scopes.reset(self._before)


def innermost(owner: object) -> ActaeScope | None:
    """The ambient scope of one owner."""
    return next((scope for scope in reversed(_open_scopes.get()) if scope.owner is owner), None)
