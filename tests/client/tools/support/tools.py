"""Tools to run."""

from __future__ import annotations

import asyncio
from typing import Any

from actae_client.reconcile import UncertainOperation


class Charge:
    """A tool that counts its runs."""

    def __init__(self, result: object = "paid") -> None:
        self.runs = 0
        self.result = result

    def __call__(self) -> object:
        self.runs += 1
        return self.result

    async def later(self) -> object:
        """The same, as a coroutine function."""
        await asyncio.sleep(0)
        return self()


class Asked:
    """A probe that remembers what it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.about: list[UncertainOperation] = []

    def __call__(self, operation: UncertainOperation) -> Any:
        self.about.append(operation)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    async def later(self, operation: UncertainOperation) -> Any:
        """The same, as a coroutine function."""
        await asyncio.sleep(0)
        return self(operation)
