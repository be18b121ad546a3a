"""Crash tests of an agent: what runs inside of it, and what a test asks of the outcome.

`actae crashtest` and `crashtest` start the agent against a provider that keeps its own record, kill it at
every boundary, start it again, and count.
"""

from __future__ import annotations

from actae_client.testing.agent import boundary
from actae_client.testing.expectations import Expectation
from actae_client.testing.matrix import Boundary, Cell, Cells, EffectCount, Matrix
from actae_client.testing.provider import Provider, ProviderError
from actae_client.testing.running import CrashtestError, crashtest

__all__ = [
    "Boundary",
    "Cell",
    "Cells",
    "CrashtestError",
    "EffectCount",
    "Expectation",
    "Matrix",
    "Provider",
    "ProviderError",
    "boundary",
    "crashtest",
]
