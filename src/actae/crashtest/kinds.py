"""What kinds of provider there are, and how one may behave."""

from enum import StrEnum


class Kind(StrEnum):
    """What a provider knows of its own past."""

    HONOURS_KEY = "honours_key"  # a second request with one `Idempotency-Key` is answered like the first
    QUERYABLE = "queryable"  # looks at no key, but can be asked what it has done
    BLIND = "blind"  # neither


class Behaviour(StrEnum):
    """How a provider behaves towards the first request of each run for a reference, and `slow` to all."""

    NORMAL = "normal"
    SLOW = "slow"  # applies the effect, and answers after a while
    DROPS_REPLY = "drops_reply"  # applies the effect, and hangs up
    FAILS = "fails"  # answers 500, and applies nothing
