"""How one run of a tool, or one call through the ledger, ended."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TypeAlias

from actae_client._types.json import Json


@dataclass(frozen=True, slots=True)
class Returned:
    """The effect has happened; `value` is its result as it is stored."""

    value: Json


@dataclass(frozen=True, slots=True)
class Raised:
    """The tool did not return, or nothing that is a result; then it `has_run`."""

    error: BaseException
    has_run: bool = False

    @property
    def is_interruption(self) -> bool:
        """Whether it was stopped from outside, so that nobody can say how far it came."""
        return isinstance(self.error, asyncio.CancelledError | KeyboardInterrupt | GeneratorExit)


Outcome: TypeAlias = Returned | Raised
