"""The fake provider of a crash test, as an agent calls it."""

from __future__ import annotations

import os
from typing import Any, Self, cast
from urllib.parse import quote

import urllib3

from actae_client import _boundaries
from actae_client._types.json import Json

PROVIDER_URL = "ACTAE_CRASHTEST_PROVIDER_URL"
PROVIDER_KIND = "ACTAE_CRASHTEST_PROVIDER"

_SECONDS_MAX = 30.0


class ProviderError(Exception):
    """The provider said no, or nothing; `status` is the HTTP status, None when no reply came."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Provider:
    """Calls the fake provider. Blocking, for any number of threads; it repeats nothing by itself.

    Any HTTP client does as well: the provider counts what is POSTed to a path below its address, and the
    path is the reference. This one announces its boundaries: `provider.asking` and `provider.answered`.

    `kind` is what the provider knows of its own past, where that was said: `honours_key`, `queryable` or
    `blind`.
    """

    def __init__(self, url: str, *, kind: str | None = None) -> None:
        self.kind = kind
        self._url = url.rstrip("/")
        self._http = urllib3.PoolManager(retries=False, timeout=_SECONDS_MAX)

    @classmethod
    def from_env(cls) -> Self:
        """The one that ACTAE_CRASHTEST_PROVIDER_URL leads to. Raises ValueError without it."""
        url = os.environ.get(PROVIDER_URL)
        if not url:
            raise ValueError(f"{PROVIDER_URL} is not set; `actae crashtest` sets it")
        return cls(url, kind=os.environ.get(PROVIDER_KIND))

    def apply(
        self, reference: str, body: Json = None, *, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Have one effect applied: `{"id": …, "reference": …}`. Raises ProviderError."""
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        _boundaries.reach("provider.asking", reference)
        effect = self._ask("POST", reference, body, headers)
        _boundaries.reach("provider.answered", reference)
        return effect

    def find(self, reference: str) -> dict[str, Any] | None:
        """The first effect applied under a reference, or None.

        Raises ProviderError; with the status 405 when this provider cannot be asked.
        """
        effects = self._ask("GET", reference, None, {})["effects"]
        return effects[0] if effects else None

    def _ask(self, method: str, reference: str, body: Json, headers: dict[str, str]) -> dict[str, Any]:
        url = f"{self._url}/{quote(reference)}"
        try:
            reply = self._http.request(method, url, json=body, headers=headers)
            answer = cast("dict[str, Any]", reply.json())
        except (urllib3.exceptions.HTTPError, ValueError) as error:
            raise ProviderError(f"{method} {reference}: no reply ({type(error).__name__})") from error
        if reply.status != 200:
            raise ProviderError(f"{method} {reference}: {reply.status}, {answer.get('error')}", reply.status)
        return answer
