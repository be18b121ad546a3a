"""Sets up what the story needs, in one directory: two providers and Actae on its own PostgreSQL."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actae.demo.cast import Keys
from actae.demo.processes import Child
from actae.demo.provider_client import ProviderClient
from actae.demo.workspace import ledger_directory

_PROVIDER_SECONDS = 20.0
_SERVER_SECONDS = 60.0  # the first start on a slow disk makes a database cluster
_POLL_SECONDS = 0.02


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where a process of the stage is reached, and which one it is."""

    url: str
    pid: int


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Everything that runs while the story is played."""

    directory: Path
    providers: Mapping[Keys, Address]
    actae: Address
    actae_api_key: str
    set_up_seconds: float

    def provider(self, keys: Keys) -> ProviderClient:
        return ProviderClient(self.providers[keys].url)

    def agent_environment(self) -> dict[str, str]:
        return {**plain_environment(), "ACTAE_URL": self.actae.url, "ACTAE_API_KEY": self.actae_api_key}


@contextmanager
def set_up(directory: Path) -> Iterator[Stage]:
    """Start the two providers and the server in `directory`; stop them, and wait for them, at the end.

    Raises `DemoError` when one of them does not come up.
    """
    began = time.monotonic()
    with ExitStack() as running:
        server = running.enter_context(start_server(directory))  # the slowest; the rest meanwhile
        providers = {keys: start_provider(directory, keys, running) for keys in Keys}
        ready = wait_until_ready(server, directory)
        yield Stage(
            directory=directory,
            providers=providers,
            actae=Address(url=ready["url"], pid=ready["pid"]),
            actae_api_key=ready["api_key"],
            set_up_seconds=time.monotonic() - began,
        )


def start_provider(directory: Path, keys: Keys, running: ExitStack) -> Address:
    """Start a provider with its record in `directory`, to be stopped with `running`. Raises `DemoError`."""
    database = directory / f"provider-keys-{keys}.sqlite3"
    child = Child(
        f"payment provider (keys {keys})",
        [sys.executable, "-m", "actae.demo.provider", "--database", str(database), "--keys", keys],
        log=directory / "providers.log",
        environment=plain_environment(),
        speaks=True,
    )
    provider = running.enter_context(child)
    return Address(**json.loads(provider.read_line(seconds=_PROVIDER_SECONDS)))


def start_server(directory: Path) -> Child:
    """Start a development server on a PostgreSQL of its own in `directory`."""
    ready_file = _ready_file(directory)
    ready_file.unlink(missing_ok=True)
    where = ["--port", "0", "--data-dir", str(ledger_directory(directory)), "--ready-file", str(ready_file)]
    return Child(
        "Actae server",
        [sys.executable, "-m", "actae", "serve", "--dev", *where],
        log=directory / "actae.log",
        environment=plain_environment(),
        dies_by=signal.SIGTERM,  # so that it takes its PostgreSQL down in order
    )


def wait_until_ready(server: Child, directory: Path) -> dict[str, Any]:
    """What the server wrote once it accepted requests. Raises `DemoError` when it does not come up."""
    ready_file = _ready_file(directory)
    deadline = time.monotonic() + _SERVER_SECONDS
    while not ready_file.exists():
        if not server.is_running():
            raise server.failed("ended before it was ready")
        if time.monotonic() > deadline:
            raise server.failed(f"was not ready within {_SERVER_SECONDS:g} s")
        time.sleep(_POLL_SECONDS)
    ready: dict[str, Any] = json.loads(ready_file.read_text())
    return ready


def _ready_file(directory: Path) -> Path:
    return directory / "actae.ready"


def plain_environment() -> dict[str, str]:
    """Ours, without what would point the demo at somebody's real server or database."""
    return {
        name: value
        for name, value in os.environ.items()
        if name == "ACTAE_PG_BIN" or not name.startswith(("ACTAE_", "PG"))
    }
