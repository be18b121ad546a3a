# Written by tools/generate_sync.py from _async/persistence.py. Do not edit.
"""Repeating what a moment's trouble prevented."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from actae_client._transient import PAUSES, pause_after
from actae_client.session._sync._io import sleep

T = TypeVar("T")

logger: logging.Logger = logging.getLogger("actae_client.session")


def persistently(send: Callable[[], T]) -> T:
    """The answer of a call that may be repeated: up to four attempts, half a second to two apart.

    Raises the error of the last attempt, and at once those that would come again.
    """
    for usual in PAUSES:
        try:
            return send()
        except Exception as error:
            pause = pause_after(error, usual)
            if pause is None:
                raise
            logger.warning("%s; sent again in %.1f s", error, pause)
        sleep(pause)
    return send()
