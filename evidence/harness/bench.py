"""Where scenarios are run: Actae on its own PostgreSQL, and a provider, each a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import urllib3

from actae.demo.cast import Keys
from actae.demo.provider_client import ProviderClient
from actae.demo.stage import Stage, set_up
from actae.demo.workspace import workspace
from actae_client import SyncActaeClient
from evidence.failures import EvidenceError


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What a run needs. The provider ignores idempotency keys, so each call to it has its effect."""

    client: SyncActaeClient
    provider: ProviderClient
    stage: Stage

    def calls_of_provider(self) -> dict[str, int]:
        """How many charges and mails it has ever made."""
        counts = self.provider.counts()
        return {"charges": counts["charges"], "mails": counts["mails"]}

    def read_bytes(self, path: str) -> bytes:
        """A reply of the server below `/api/v1`, as it is sent."""
        answer = urllib3.request(
            "GET", f"{self.stage.actae.url}/api/v1{path}", headers={"x-api-key": self.stage.actae_api_key}
        )
        if answer.status != 200:
            raise EvidenceError(f"GET {path}: {answer.status} {answer.data[:200]!r}")
        return answer.data

    def compare(self, left: str, right: str) -> dict[str, Any]:
        """What the server says about the difference of two channels."""
        return self.client.compare_channels(left, right)


@contextmanager
def open_bench() -> Iterator[Bench]:
    """Start everything in a folder that goes at the end; stop it, in whatever way the end comes.

    Call it from the main thread.
    """
    with (
        workspace(None, keep=False) as directory,
        set_up(directory) as stage,
        SyncActaeClient(endpoint=stage.actae.url, api_key=stage.actae_api_key) as client,
    ):
        yield Bench(client=client, provider=stage.provider(Keys.IGNORED), stage=stage)
