"""A payment provider as a process of its own: the one the demo charges, with its own durable record."""

import json
import subprocess
import sys
from pathlib import Path

import urllib3


class RunningProvider:
    """Counts what it is asked and what it charges; a context manager."""

    def __init__(self, directory: Path, *, honours_keys: bool) -> None:
        keys = "honoured" if honours_keys else "ignored"
        program = [sys.executable, "-m", "actae.demo.provider"]
        self.honours_keys = honours_keys
        self._process = subprocess.Popen(
            [*program, "--database", str(directory / f"{keys}.sqlite3"), "--keys", keys],
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None, "it has a pipe"
        self.url: str = json.loads(self._process.stdout.readline())["url"]

    def requests_for(self, order_id: str) -> int:
        """How often it was asked to charge for an order."""
        return len(self._account(order_id)["asks"])

    def charges_for(self, order_id: str) -> list[str]:
        """The charges it made for an order, oldest first."""
        charges: list[str] = self._account(order_id)["charges"]
        return charges

    def _account(self, order_id: str) -> dict[str, list[str]]:
        answer = urllib3.request("GET", f"{self.url}/charges?order_id={order_id}", retries=False)
        account: dict[str, list[str]] = answer.json()
        return account

    def __enter__(self) -> "RunningProvider":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None, "it has a pipe"
        self._process.stdout.close()
