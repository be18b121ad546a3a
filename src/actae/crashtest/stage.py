"""Sets up what the agent meets: Actae on a PostgreSQL of its own, and the provider."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import urllib3

from actae.crashtest.ledger import LedgerUnderTest
from actae.crashtest.plan import Scene
from actae.demo.processes import Child
from actae.demo.stage import plain_environment, start_server, wait_until_ready

_PROVIDER_SECONDS = 20.0


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Everything that runs while the agents are played with."""

    directory: Path
    actae_url: str
    api_key: str
    provider_url: str
    ledger: LedgerUnderTest

    def environment(self, scene: Scene, run_id: str, *, journal: Path, files: Path) -> dict[str, str]:
        """What an agent is started with: our own environment, where everything is, and what it is to be."""
        given = {name: value for name, value in os.environ.items() if not name.startswith("ACTAE_")}
        policy = {} if scene.policy is None else {"ACTAE_CRASHTEST_POLICY": scene.policy}
        return {
            **given,
            "ACTAE_URL": self.actae_url,
            "ACTAE_API_KEY": self.api_key,
            "ACTAE_CRASHTEST": str(journal),
            "ACTAE_CRASHTEST_RUN_ID": run_id,
            "ACTAE_CRASHTEST_DIR": str(files),
            "ACTAE_CRASHTEST_PROVIDER_URL": f"{self.provider_url}/{scene.kind}/{scene.behaviour}/{run_id}",
            "ACTAE_CRASHTEST_PROVIDER": scene.kind,
            **policy,
        }

    def account(self, run_id: str) -> Mapping[str, Mapping[str, int]]:
        """What the provider's record says about a run: `calls` and `applied` of each reference."""
        reply = urllib3.request("GET", f"{self.provider_url}/runs/{run_id}", retries=False, timeout=30.0)
        answer: dict[str, Any] = reply.json()
        references: dict[str, dict[str, int]] = answer["references"]
        return references


@contextmanager
def set_up(directory: Path) -> Iterator[Stage]:
    """Start both in `directory`; stop them, and wait for them, at the end. Raises `DemoError`."""
    (directory / "runs").mkdir(exist_ok=True)
    with ExitStack() as running:
        server = running.enter_context(start_server(directory))
        provider = running.enter_context(
            Child(
                "fake provider",
                [
                    *(sys.executable, "-m", "actae.crashtest.provider"),
                    *("--database", str(directory / "provider.sqlite3")),
                ],
                log=directory / "provider.log",
                environment=plain_environment(),
                speaks=True,
            )
        )
        provider_url = json.loads(provider.read_line(seconds=_PROVIDER_SECONDS))["url"]
        ready = wait_until_ready(server, directory)
        yield Stage(
            directory=directory,
            actae_url=ready["url"],
            api_key=ready["api_key"],
            provider_url=provider_url,
            ledger=LedgerUnderTest(ready["database_url"]),
        )
