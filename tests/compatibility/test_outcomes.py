"""A published client that meets an operation whose outcome nobody knows is refused clearly."""

from tests.compatibility.conftest import Run
from tests.support.postgres import Clock
from tests.support.server import RunningServer, new_channel


def test_a_client_of_before_is_refused_clearly(run: Run, server: RunningServer, server_clock: Clock) -> None:
    """With the class that it has for a conflict; what it reads says `ambiguous`."""
    ambiguous, expired = new_channel(), new_channel()
    server.claim(ambiguous, "charge", on_lapse="ambiguous", lease_seconds=10)
    server.claim(expired, "charge", ttl_seconds=5, lease_seconds=10)
    server_clock.advance(11)
    told = run("outcomes", ambiguous, expired)
    for call, sentence in (("claim", "Nobody knows whether attempt 1"), ("expired", "expired at")):
        assert (told[call]["raised"], told[call]["status_code"]) == ("APIError", 409)
        assert sentence in told[call]["message"]
    assert told["listed"] == told["read"] == "ambiguous"
    assert server.get(f"/events/cursor/{ambiguous}").body["latest_cursor"] == 1
