"""How often somebody may ask: so many at once, then so many per second, each for themselves."""

import pytest

from actae.domain.access import EVERYTHING, Caller
from actae.domain.errors import RateLimitedError
from actae.transport import rate_limits
from actae.transport.rate_limits import RateLimiter, SignInLimits, TokenBuckets


class Hands:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hands() -> Hands:
    """Moves the clock of a limiter."""
    return Hands()


def key(key_id: str) -> Caller:
    """Who calls with this key."""
    return Caller(EVERYTHING, "api_key", key_id=key_id)


def taken(buckets: TokenBuckets, name: str) -> int:
    """How many tokens there are; afterwards there is none."""
    count = 0
    while True:
        try:
            buckets.take(name)
        except RateLimitedError:
            return count
        count += 1


def test_a_bucket_fills_up_as_time_passes(hands: Hands) -> None:
    """Full at first, then by its rate, and never beyond its brim."""
    buckets = TokenBuckets(per_second=2, burst=5, clock=hands)
    counts = []
    for seconds in (0, 0, 0.5, 1.25, 1000):
        hands.now += seconds
        counts.append(taken(buckets, "a"))
    assert counts == [5, 0, 1, 2, 5]


@pytest.mark.parametrize(("per_second", "seconds"), [(100, 1), (1, 1), (0.25, 4), (0.3, 4)])
def test_who_asks_too_often_is_told_how_long_to_wait(hands: Hands, per_second: float, seconds: int) -> None:
    """In whole seconds, at least one, and after them there is a token."""
    limiter = RateLimiter(per_second, clock=hands)
    for _ in range(max(1, int(per_second))):
        limiter.check(key("a"))
    with pytest.raises(RateLimitedError) as refused:
        limiter.check(key("a"))
    assert refused.value.details["retry_after_seconds"] == seconds
    hands.now += seconds
    limiter.check(key("a"))


def test_a_refused_request_does_not_count(hands: Hands) -> None:
    """Who hammers on the door does not wait longer for it."""
    limiter = RateLimiter(1, clock=hands)
    limiter.check(key("a"))
    for _ in range(50):
        with pytest.raises(RateLimitedError):
            limiter.check(key("a"))
    hands.now += 1
    limiter.check(key("a"))


def test_each_key_has_a_limit_of_its_own(hands: Hands) -> None:
    """And a user with the same id as a key is somebody else."""
    limiter = RateLimiter(1, clock=hands)
    for caller in (key("a"), key("b"), Caller(EVERYTHING, "jwt", user_id="a")):
        limiter.check(caller)
        with pytest.raises(RateLimitedError):
            limiter.check(caller)


def test_zero_is_no_limit(hands: Hands) -> None:
    """As many as come."""
    limiter = RateLimiter(0, clock=hands)
    for _ in range(10_000):
        limiter.check(key("a"))


def test_only_so_many_names_are_remembered(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was used longest ago is forgotten first; a busy one stays."""
    monkeypatch.setattr(rate_limits, "REMEMBERED_MAX", 3)
    buckets = TokenBuckets(per_second=1, burst=2, clock=hands)
    for name in ("busy", "idle", "busy", "c", "d"):
        buckets.take(name)
    assert [taken(buckets, name) for name in ("busy", "idle")] == [0, 2]


def test_passwords_may_be_tried_ten_times_and_then_every_six_seconds(hands: Hands) -> None:
    """For one email, from wherever the attempts come."""
    limits = SignInLimits(hands)
    for number in range(10):
        limits.check("ada@example.com", f"client {number}")
    with pytest.raises(RateLimitedError) as refused:
        limits.check("ada@example.com", "client 11")
    assert refused.value.details["retry_after_seconds"] == 6
    limits.check("bob@example.com", "client 11")


def test_a_client_cannot_try_one_password_on_everybody(hands: Hands) -> None:
    """Sixty attempts at once, then one per second; others are not held up."""
    limits = SignInLimits(hands)
    for number in range(60):
        limits.check(f"user{number}@example.com", "client")
    with pytest.raises(RateLimitedError):
        limits.check("ada@example.com", "client")
    limits.check("ada@example.com", "another client")
