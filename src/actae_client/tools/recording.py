"""Recording what a tool returned, whatever goes wrong meanwhile."""

from __future__ import annotations

import asyncio
import logging
import random
import time

from actae_client._types.json import Json
from actae_client.errors import APIError, ExecutionNotFoundError, ExecutionNotOwnedError
from actae_client.tools.errors import EffectNotRecordedError
from actae_client.tools.ledger import Held, Ledger
from actae_client.tools.results import left_out

logger: logging.Logger = logging.getLogger(__name__)

_ATTEMPT_SECONDS_MIN = 1.0
_ATTEMPT_SECONDS_MAX = 45.0  # More than a client waits for an answer, and often enough to be seen in the log.
_PAUSE_SECONDS_FIRST = 0.1
_PAUSE_SECONDS_MAX = 5.0
_UNACCEPTABLE = frozenset({400, 413, 422})  # The server takes this token, but not this result.


async def record_result(ledger: Ledger, held: Held, result: Json, *, timeout_seconds: float) -> Json:
    """Complete the execution, and return what is stored.

    `complete` is sent again and again with the same token until the server has taken it, has said
    that it never will, or `timeout_seconds` are over. A result that the server cannot take (too
    large, say) is replaced by its digest, so that at least the effect is never repeated.
    Raises EffectNotRecordedError.
    """
    give_up_at = time.monotonic() + timeout_seconds
    stored, failures = result, 0
    while True:
        try:
            async with asyncio.timeout(_attempt_seconds(give_up_at)):
                await ledger.complete(held, stored)
            return stored
        except Exception as failure:
            if stored is result and is_about_the_result(failure):
                logger.exception("The result of %s cannot be stored; its digest will be", held)
                stored = left_out(result, type(failure).__name__)
                continue
            if reason := _why_never(failure) or _why_no_longer(failure, give_up_at):
                raise _not_recorded(held, result, reason) from failure
            failures += 1
            logger.warning("Recording %s failed (%d in a row): %r", held, failures, failure)
        await asyncio.sleep(_pause(failures, give_up_at))


def is_about_the_result(failure: Exception) -> bool:
    """Whether the server, or the client itself, would take another result, but not this one."""
    if isinstance(failure, APIError):
        return failure.status_code in _UNACCEPTABLE
    # What the client itself refuses to encode.
    return isinstance(failure, ValueError | TypeError | RecursionError)


def _why_never(failure: Exception) -> str | None:
    if isinstance(failure, ExecutionNotOwnedError):
        return _what_became_of_it(failure)
    if isinstance(failure, ExecutionNotFoundError):
        return "the ledger does not know the operation any more"
    if isinstance(failure, APIError) and (failure.status_code == 409 or is_about_the_result(failure)):
        return f"the server refuses it ({failure})"
    return None


def _what_became_of_it(refusal: ExecutionNotOwnedError) -> str:
    """Of what has ended, the refusal does not tell whether another attempt ran or somebody resolved it."""
    status = refusal.details.get("execution_status")
    if status in ("completed", "failed"):
        return f"the operation was taken over or resolved by somebody else, and is {status}"
    return "another owner has taken the operation over, and may have repeated the effect"


def _why_no_longer(failure: Exception, give_up_at: float) -> str | None:
    if time.monotonic() < give_up_at:
        return None
    return f"the server did not take it in time ({type(failure).__name__})"


def _not_recorded(held: Held, result: Json, reason: str) -> EffectNotRecordedError:
    error = EffectNotRecordedError(
        held.execution_id, held.key_name, claim_token=held.claim_token, result=result, reason=reason
    )
    logger.error("%s", error)
    return error


def _attempt_seconds(give_up_at: float) -> float:
    return min(max(_ATTEMPT_SECONDS_MIN, give_up_at - time.monotonic()), _ATTEMPT_SECONDS_MAX)


def _pause(failures: int, give_up_at: float) -> float:
    """Longer after each failure, drawn so that callers spread, and not beyond the end."""
    longest = min(_PAUSE_SECONDS_MAX, _PAUSE_SECONDS_FIRST * 2.0 ** min(failures, 16))
    pause = random.uniform(longest / 2, longest)  # noqa: S311 - protects nothing
    return min(pause, max(0.0, give_up_at - time.monotonic()))
