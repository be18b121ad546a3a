"""What differs between the two kinds of groups: waiting, what runs beside a block, and subscribing."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from time import sleep

from actae_client._lease import default_heartbeat_interval
from actae_client.errors import MemberLeaseLostError
from actae_client.groups.losses import TAKEN, loss_of

__all__ = ["Keeper", "Subscribing", "at_most", "sleep"]

logger: logging.Logger = logging.getLogger("actae_client.groups")

_STOP_SECONDS_MAX = 10.0


@contextlib.contextmanager
def at_most(_seconds: float | None) -> Iterator[None]:
    """A blocking call cannot be given up from outside; the client's own time-outs bound it."""
    yield


class Keeper:
    """Renews the lease of a block in a thread beside it. A thread cannot interrupt the block."""

    def __init__(
        self,
        renew: Callable[[], object],
        lose: Callable[[MemberLeaseLostError], None],
        *,
        lease_seconds: int,
        name: str,
    ) -> None:
        self.loss: MemberLeaseLostError | None = None
        self._renew = renew
        self._lose = lose
        self._lease_seconds = lease_seconds
        self._interval = default_heartbeat_interval(lease_seconds)
        self._name = name
        self._expires_at = 0.0
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    def expect_claim(self) -> None:
        """The lease lasts from here at least, however long the answer takes."""
        self._expires_at = time.monotonic() + self._lease_seconds

    def start(self) -> None:
        """Begin."""
        self._is_over.clear()
        self._thread = threading.Thread(target=self._keep, name="actae-member", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for a renewal that is under way, but not for ever."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS_MAX)

    def has_interrupted(self, _error: BaseException | None) -> bool:
        """A block that blocks cannot be."""
        return False

    def _keep(self) -> None:
        while self.loss is None and not self._is_over.wait(self._interval):
            sent_at = time.monotonic()
            try:
                self._renew()
            except TAKEN as refusal:
                self._tell(refusal)
            except Exception as failure:
                logger.warning("A heartbeat of %s failed: %r", self._name, failure)
                if time.monotonic() >= self._expires_at:
                    self._tell(failure)
            else:
                self._expires_at = sent_at + self._lease_seconds

    def _tell(self, cause: Exception) -> None:
        logger.error("The lease on %s is lost: %r", self._name, cause)
        self.loss = loss_of(self._name, cause)
        self._lose(self.loss)


class Subscribing:
    """Subscribing needs an event loop; blocking code has `stream_ws`."""
