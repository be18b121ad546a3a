"""Services that the pages talk to: thin and async, over the demo's provider and its own record."""

import asyncio
from typing import Any

import urllib3


class Shop:
    """Any HTTP client of the provider's."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def post(self, path: str, body: Any, *, headers: dict[str, str] | None = None) -> Any:
        """Send something."""
        return await self._ask("POST", path, json=body, headers=headers)

    async def get(self, path: str, **query: str) -> Any:
        """Look something up."""
        return await self._ask("GET", path, fields=query)

    async def _ask(self, method: str, path: str, **rest: Any) -> Any:
        answer = await asyncio.to_thread(
            urllib3.request, method, self._url + path, retries=False, timeout=10.0, **rest
        )
        assert answer.status == 200, answer.data
        return answer.json()


class Bank:
    """Does what it is asked; of each reference the first answer is lost."""

    def __init__(self, url: str) -> None:
        self._shop = Shop(url)
        self._cents: dict[str, int] = {}

    async def transfer(self, reference: str, cents: int) -> dict[str, Any]:
        """Move money. Raises TimeoutError when it has been moved, and nobody was told."""
        is_first = reference not in self._cents
        self._cents[reference] = cents
        order = {"order_id": reference, "amount_cents": cents, "currency": "EUR"}
        made = await self._shop.post("/charges", order)
        if is_first:
            raise TimeoutError("the bank has not answered")
        return {"id": made["charge_id"], "reference": reference, "cents": cents}

    async def find(self, reference: str) -> dict[str, Any] | None:
        """The first transfer with this reference."""
        made = (await self._shop.get("/charges", order_id=reference))["charges"]
        return {"id": made[0], "reference": reference, "cents": self._cents[reference]} if made else None

    async def count(self, reference: str) -> int:
        """How many transfers there are with this reference."""
        return len((await self._shop.get("/charges", order_id=reference))["charges"])
