"""How often somebody may ask: token buckets by name, in this process."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from actae.domain.access import Caller
from actae.domain.errors import RateLimitedError

REMEMBERED_MAX: Final = 10_000

_ROUNDING_SECONDS: Final = 1e-6  # what many small additions may be off by

Clock = Callable[[], float]


class TokenBuckets:
    """One bucket per name, each full at first.

    A bucket is one number: the moment at which it will be full again. A bucket that is full need not be
    remembered; beyond REMEMBERED_MAX names the one that was used longest ago is forgotten, full or not.
    """

    def __init__(self, *, per_second: float, burst: float, clock: Clock = time.monotonic) -> None:
        self._seconds_each = 1 / per_second
        self._slack = (burst - 1) / per_second
        self._clock = clock
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def take(self, name: str) -> None:
        """Take one token.

        Raises:
            RateLimitedError: there is none; with the whole seconds after which there will be one.
        """
        now = self._clock()
        full_at = max(now, self._full_at.get(name, now))
        wait = full_at - now - self._slack
        if wait > _ROUNDING_SECONDS:
            raise RateLimitedError(max(1, math.ceil(wait)))
        self._full_at[name] = full_at + self._seconds_each
        self._full_at.move_to_end(name)
        if len(self._full_at) > REMEMBERED_MAX:
            self._full_at.popitem(last=False)


class RateLimiter:
    """So many requests per second for each key and each user; 0 is no limit.

    One second's worth may come at once.
    """

    def __init__(self, per_second: float, clock: Clock = time.monotonic) -> None:
        self._buckets: TokenBuckets | None = None
        if per_second > 0:
            self._buckets = TokenBuckets(per_second=per_second, burst=max(1.0, per_second), clock=clock)

    def check(self, caller: Caller) -> None:
        """Count one request.

        Raises:
            RateLimitedError: it is one too many.
        """
        if self._buckets is not None:
            self._buckets.take(caller.owner)


class SignInLimits:
    """How often a password may be tried: for one email, and by one client."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._by_email = TokenBuckets(per_second=1 / 6, burst=10, clock=clock)
        self._by_client = TokenBuckets(per_second=1, burst=60, clock=clock)

    def check(self, email: str, client: str) -> None:
        """Count one attempt, whether or not it will succeed.

        Raises:
            RateLimitedError: it is one too many.
        """
        self._by_client.take(client)
        self._by_email.take(email)
