"""The state that an application hands over after its steps."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from actae_client._calls.frozen import frozen
from actae_client.session._async._io import call
from actae_client.session._async.persistence import persistently
from actae_client.session._async.transport import SessionTransport

logger: logging.Logger = logging.getLogger("actae_client.session")


class Snapshots:
    """Saves what `state_fn` returns, every so many steps.

    A step is recorded by then. So nothing that goes wrong here is raised: it is logged and kept in
    `error` until a snapshot is saved again, and the next snapshot is the next chance.
    """

    def __init__(
        self,
        transport: SessionTransport,
        channel_id: str,
        state_fn: Callable[[], Any] | None,
        interval: int,
    ) -> None:
        self._transport = transport
        self._channel_id = channel_id
        self._state_fn = state_fn
        self._interval = interval
        self.error: Exception | None = None

    async def take(self, step_number: int, cursor: int) -> None:
        """Save the state after a step, if it is the step's turn and there is a state."""
        if self._state_fn is None or step_number % self._interval:
            return
        try:
            state = await call(self._state_fn)
            if state is not None:
                saved = frozen("state", state)
                await persistently(lambda: self._transport.save_state(self._channel_id, cursor, saved))
            self.error = None
        except Exception as failure:
            self.error = failure
            logger.exception("no snapshot was saved after step %d of %s", step_number, self._channel_id)
