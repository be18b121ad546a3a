"""What an agent, and whoever counts afterwards, says to the payment provider."""

from dataclasses import dataclass
from typing import Any

import urllib3


class ProviderRefusedError(Exception):
    """The provider answered, and the answer was no."""


@dataclass(frozen=True, kw_only=True)
class OrderAccount:
    """What the provider's own record says about one order, oldest first."""

    charges: tuple[str, ...]
    """The ids of the charges made."""
    asked_with_keys: tuple[str, ...]
    """The idempotency key of each request to charge."""


class ProviderClient:
    """A thin caller: no retries, so that every request in the provider's record was somebody's decision."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = urllib3.PoolManager(retries=False, timeout=10.0)

    def charge(self, charge: dict[str, Any], idempotency_key: str) -> str:
        """Take `amount_cents` of `currency` for `order_id`; returns the id of the charge."""
        return str(self._ask("POST", "/charges", charge, {"Idempotency-Key": idempotency_key})["charge_id"])

    def mail(self, mail: dict[str, Any]) -> str:
        """Send `body` to whoever owns `order_id`; returns the id of the mail."""
        return str(self._ask("POST", "/mails", mail)["mail_id"])

    def account(self, order_id: str) -> OrderAccount:
        """Read the provider's record of one order."""
        answer = self._ask("GET", f"/charges?order_id={order_id}")
        return OrderAccount(
            charges=tuple(answer["charges"]),
            asked_with_keys=tuple(key for key, _ in answer["asks"]),
        )

    def counts(self) -> dict[str, int]:
        """Count everything the provider ever did: `charges`, `asks`, `mails`."""
        return self._ask("GET", "/charges/count")

    def _ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        answer = self._http.request(method, self._url + path, json=body, headers=headers)
        content: dict[str, Any] = answer.json()
        if answer.status != 200:
            raise ProviderRefusedError(f"{method} {path}: {answer.status} {content.get('error', '')}")
        return content
