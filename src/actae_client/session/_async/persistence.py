"""Repeating what a moment's trouble prevented."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from actae_client._transient import PAUSES, pause_after
from actae_client.session._async._io import sleep

T = TypeVar("T")

logger: logging.Logger = logging.getLogger("actae_client.session")


async def persistently(send: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The answer of a call that may be repeated: up to four attempts, half a second to two apart.

    Raises the error of the last attempt, and at once those that would come again.
    """
    for usual in PAUSES:
        try:
            return await send()
        except Exception as error:
            pause = pause_after(error, usual)
            if pause is None:
                raise
            logger.warning("%s; sent again in %.1f s", error, pause)
        await sleep(pause)
    return await send()
