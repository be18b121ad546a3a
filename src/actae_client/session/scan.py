"""Finding a step in a log, where the server has no index of steps."""

from __future__ import annotations

from collections.abc import Iterable

from actae_client._types.events import Event
from actae_client.errors import SessionError
from actae_client.session.names import FORK_STARTED, SESSION_COMPLETED, SESSION_STARTED

PAGE = 1000
_NO_STEPS = (FORK_STARTED, SESSION_STARTED, SESSION_COMPLETED)


class StepScan:
    """Reads a log page by page, and remembers where the steps are.

    Steps say their number in their payload. Only a log in which no event does is counted: then
    every event but those about the session itself is a step, the first of them after `inherited`.
    """

    def __init__(self, channel_id: str, inherited: int = 0) -> None:
        self.cursor: int = 0
        self._channel_id = channel_id
        self._numbered: dict[int, int] = {}
        self._counted: dict[int, int] = {}
        self._position = inherited

    def read(self, page: Iterable[Event]) -> None:
        """Take in a page. Raises SessionError when it does not follow the page before."""
        for event in page:
            if event.cursor <= self.cursor:
                raise SessionError(
                    f"the log of {self._channel_id!r} is out of order: cursor {event.cursor} follows "
                    f"{self.cursor}"
                )
            self.cursor = event.cursor
            if event.event_type in _NO_STEPS:
                continue
            number = step_number_of(event)
            if number is not None:
                self._numbered.setdefault(number, event.cursor)
            else:
                self._position += 1
                self._counted[self._position] = event.cursor

    @property
    def steps(self) -> dict[int, int]:
        """Step number to cursor."""
        return self._numbered or self._counted

    @property
    def numbered(self) -> dict[int, int]:
        """The same, of the steps that say their number."""
        return self._numbered


def step_number_of(event: Event) -> int | None:
    """The number that an event says it is the step of."""
    payload = event.payload
    number = payload.get("step_number") if isinstance(payload, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else None
