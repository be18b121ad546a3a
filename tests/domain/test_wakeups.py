"""Wake-ups as values: how long the next try waits, and what the event says."""

from datetime import UTC, datetime

import msgspec
import pytest

from actae.domain.wakeups import RETRY_DELAYS, delay_after, event_metadata, event_payload

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("attempts", "delay"), [(1, 1.0), (2, 5.0), (3, 25.0), (4, 120.0), (5, None), (6, None), (10**6, None)]
)
def test_delays_grow_and_end(attempts: int, delay: float | None) -> None:
    """Five tries, then none; however many there were."""
    assert delay_after(attempts) == delay


def test_each_delay_is_longer_than_the_one_before() -> None:
    """Trouble that lasts is asked less and less often."""
    assert list(RETRY_DELAYS) == sorted(set(RETRY_DELAYS))


@pytest.mark.parametrize("payload", [None, b'{"n":1e400,"text":"\\ud800\\u0000"}', b'{ "spaced" : [ ] }'])
def test_the_event_holds_what_was_put_into_it(payload: bytes | None) -> None:
    """Byte for byte; nothing is null."""
    said = event_payload("run-1~5f", NOON, payload)
    assert said == (
        b'{"wakeup_id":"run-1~5f","run_at":"2026-03-01T12:00:00Z","payload":%s}' % (payload or b"null")
    )
    assert msgspec.json.decode(event_metadata("run-1~5f")) == {"wakeup_id": "run-1~5f"}
