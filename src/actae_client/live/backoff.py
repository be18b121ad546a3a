"""How long to wait before a lost connection is opened again."""

from __future__ import annotations

import random
from typing import Final

from actae_client.errors import ActaeError
from actae_client.retry import Repeat, may_be_repeated

FAILURES_MAX: Final = 10
"""So many in a row end what waits for the connection; that is after about two and a half minutes."""

_FIRST_SECONDS = 0.5
_CAP_SECONDS = 30.0


def pause(failures: int) -> float:
    """Seconds to wait after so many failures in a row: doubling, and spread by half to either side."""
    wait = min(_CAP_SECONDS, _FIRST_SECONDS * 2.0 ** min(failures, 60))
    return wait * random.uniform(0.5, 1.5)  # noqa: S311 - spreads clients, protects nothing


def may_pass(error: ActaeError) -> bool:
    """Whether the trouble may be over after a while."""
    return may_be_repeated(Repeat.SAFE, error)
