"""Which run the calling code belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actae_client.runtime.scope import ActaeScope

# Runs of several `Actae` objects may be open at once, one inside of the other.
_open_scopes: ContextVar[tuple[ActaeScope, ...]] = ContextVar("actae_open_scopes", default=())


@contextmanager
def ambient(scope: ActaeScope) -> Iterator[ActaeScope]:
    """Make the scope the ambient one, in this task and in what it starts."""
    token = _open_scopes.set((*_open_scopes.get(), scope))
    try:
        yield scope
    finally:
        # Entered in one context and left in another (a generator moved between threads), there is
        # nothing to restore here, and the other context has ended.
        with suppress(ValueError):
            _open_scopes.reset(token)


def innermost(owner: object) -> ActaeScope | None:
    """The ambient scope of one owner."""
    return next((scope for scope in reversed(_open_scopes.get()) if scope.owner is owner), None)
