"""Who plays: three ways to remember, two providers, six cells of a table."""

from dataclasses import dataclass
from enum import StrEnum
from itertools import product


class Strategy(StrEnum):
    """How an agent remembers what it has done, from one start to the next."""

    NO_RECORD = "none"
    CHECKPOINT = "checkpoint"
    ACTAE = "actae"


class Keys(StrEnum):
    """What a provider does with the `Idempotency-Key` of a charge."""

    HONOURED = "honoured"
    IGNORED = "ignored"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One agent with one memory against one provider, and the charges that this must end in."""

    strategy: Strategy
    keys: Keys
    charges_expected: int


def _charges_expected(strategy: Strategy, keys: Keys) -> int:
    # Every agent asks twice: the first answer died with it. Only a key that outlives the
    # process, at a provider that looks at it, makes the second question the same as the first.
    return 1 if (strategy, keys) == (Strategy.ACTAE, Keys.HONOURED) else 2


CELLS = tuple(
    Cell(strategy=strategy, keys=keys, charges_expected=_charges_expected(strategy, keys))
    for strategy, keys in product(Strategy, Keys)
)
