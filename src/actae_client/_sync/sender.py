# Written by tools/generate_sync.py from _async/sender.py. Do not edit.
"""Sends calls, and sends them again where that is safe."""

from __future__ import annotations

import logging
from typing import TypeVar

from actae_client import _boundaries
from actae_client._calls.call import Call
from actae_client._calls.replies import read_reply
from actae_client._calls.requests import Requests
from actae_client._sync._io import Transport, sleep
from actae_client.errors import ActaeConnectionError, ActaeError
from actae_client.retry import Repeat, RetryPolicy, may_be_repeated, may_have_arrived

T = TypeVar("T")

logger: logging.Logger = logging.getLogger("actae_client")


class Sender:
    """What all methods of the client stand on."""

    def __init__(
        self, transport: Transport, requests: Requests, retry: RetryPolicy, completion_retry: RetryPolicy
    ) -> None:
        self._transport = transport
        self._requests = requests
        self._retry = retry
        self._completion_retry = completion_retry
        self._is_away = False

    def disconnect(self) -> None:
        """Close all connections. A later call opens new ones."""
        self._transport.close()

    def _send(self, call: Call[T]) -> T:
        request = self._requests.request(call)
        _boundaries.sending(call)
        attempts_made = 0
        while True:
            try:
                answer = read_reply(call, self._transport.send(request))
                _boundaries.answered(call, answer)
                self._is_away = False
                return answer
            except ActaeError as error:
                attempts_made += 1
                pause = self._pause(call.repeat, attempts_made, error)
                if pause is None:
                    raise
                if may_have_arrived(error):
                    call = call.repeated()
                # An outage is told once, by whichever call meets it first.
                level = logging.INFO if self._is_away else logging.WARNING
                self._is_away = isinstance(error, ActaeConnectionError)
                logger.log(level, "%s: %s; attempt %d follows", call, error, attempts_made + 1)
            sleep(pause)

    def _pause(self, repeat: Repeat, attempts_made: int, error: ActaeError) -> float | None:
        if not may_be_repeated(repeat, error):
            return None
        policy = self._completion_retry if repeat is Repeat.UNTIL_RECORDED else self._retry
        return policy.pause(attempts_made, error)
