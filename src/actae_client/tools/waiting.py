"""Waiting for an effect, come what may.

Whoever waits may be interrupted: a cancelled task, Ctrl-C, an exception from a signal handler. The
effect is told, but the wait goes on until its outcome is recorded; only then is the interruption
raised again.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable
from concurrent.futures import Future

from actae_client._types.json import Json
from actae_client.tools.errors import EffectNotRecordedError
from actae_client.tools.outcomes import Outcome, Raised


async def outcome_of(effect: Future[Outcome], interrupt: Callable[[], None]) -> Json:
    """Await the result of an effect. `interrupt` is called when the awaiting task is cancelled."""
    waiter = asyncio.wrap_future(effect)
    interruption: BaseException | None = None
    while not waiter.done():
        try:
            await asyncio.wait({waiter})
        except asyncio.CancelledError as cancelled:
            interruption = cancelled
            interrupt()
    return _concluded(waiter.result(), interruption)


def outcome_of_blocking(effect: Future[Outcome], interrupt: Callable[[], None]) -> Json:
    """Wait for the result of an effect. `interrupt` is called when a signal raises in this thread."""
    interruption: BaseException | None = None
    while not effect.done():
        try:
            concurrent.futures.wait([effect])
        except BaseException as raised:
            interruption = raised
            interrupt()
    return _concluded(effect.result(), interruption)


def _concluded(outcome: Outcome, interruption: BaseException | None) -> Json:
    if interruption is None:
        if isinstance(outcome, Raised):
            raise outcome.error
        return outcome.value
    if not isinstance(outcome, Raised) or isinstance(outcome.error, asyncio.CancelledError):
        raise interruption
    if isinstance(outcome.error, EffectNotRecordedError):
        # The only witness of what happened must not be lost behind a cancellation.
        raise outcome.error
    raise interruption from outcome.error
