"""Tools to run."""

from __future__ import annotations

import asyncio


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
