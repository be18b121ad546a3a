"""A real server process, and a plain way to talk to it."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import urllib3

from actae.settings import DEV_API_KEY
from tests.support.waiting import until


class Reply(NamedTuple):
    """What came back."""

    status: int
    body: Any
    headers: Mapping[str, str]


class RunningServer:
    """`python -m actae serve` as a process of its own."""

    def __init__(
        self,
        database_url: str | None = None,
        *,
        data_dir: Path | None = None,
        dev: bool = True,
        environment: Mapping[str, str] | None = None,
        options: tuple[str, ...] = (),
        command: tuple[str, ...] = ("-m", "actae", "serve"),
        port: int = 0,
    ) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="actae-test-server-")
        self._ready_file = Path(self._directory.name) / "ready.json"
        self.log_file = Path(self._directory.name) / "server.log"
        place = ["--database-url", database_url] if database_url else ["--data-dir", str(data_dir)]
        arguments = [*command, "--port", str(port), "--ready-file", str(self._ready_file), *place, *options]
        if dev:
            arguments.append("--dev")
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(environment or {})},
            )
        until(self._is_ready_or_dead, seconds=60)
        if not self._ready_file.exists():
            output = self.log_file.read_text()
            self._directory.cleanup()
            raise AssertionError(f"the server ended with {self.process.returncode}:\n{output}")
        self.ready = json.loads(self._ready_file.read_text())
        self.url: str = self.ready["url"]
        self.api_key: str = self.ready["api_key"] or DEV_API_KEY
        self.database_url: str = self.ready["database_url"]
        self.pool = urllib3.PoolManager(retries=False, maxsize=64)

    def _is_ready_or_dead(self) -> bool:
        return self._ready_file.exists() or self.process.poll() is not None

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        api_key: str | None = "",
        timeout: float = 30,
    ) -> Reply:
        """One request; `api_key=None` sends none."""
        sent = {"content-type": "application/json", **(headers or {})}
        if api_key is not None:
            sent["x-api-key"] = api_key or self.api_key
        if raw is None and body is not None:
            raw = json.dumps(body).encode()
        answer = self.pool.request(method, self.url + path, body=raw, headers=sent, timeout=timeout)
        kind = answer.headers.get("content-type", "")
        decoded = json.loads(answer.data) if "json" in kind else answer.data
        return Reply(answer.status, decoded, answer.headers)

    def post(self, path: str, body: Any, **options: Any) -> Reply:
        """POST below /api/v1."""
        return self.request("POST", f"/api/v1{path}", body, **options)

    def get(self, path: str, **options: Any) -> Reply:
        """GET below /api/v1."""
        return self.request("GET", f"/api/v1{path}", **options)

    def claim(self, channel_id: str, key_name: str, **fields: Any) -> Reply:
        """Claim with sensible defaults."""
        return self.post(
            "/executions/claim",
            {
                "channel_id": channel_id,
                "key_name": key_name,
                "tool_name": "charge",
                "params": {"n": 1},
                **fields,
            },
        )

    def record(self, channel_id: str, event_type: str = "note", payload: Any = None, **fields: Any) -> Reply:
        """Record with sensible defaults."""
        metadata = {"actor": "test", "agent_id": None, "user_id": None, "metadata": None}
        return self.post(
            "/events/record",
            {
                "channel_id": channel_id,
                "event_type": event_type,
                "payload": payload,
                "metadata": metadata,
                **fields,
            },
        )

    def log(self) -> str:
        """What the process has printed."""
        return self.log_file.read_text(errors="replace")

    def kill(self) -> None:
        """SIGKILL, and wait for the end."""
        self.process.kill()
        self.process.wait()

    def discard(self) -> None:
        """Clear away what a process that has ended left behind, its log too."""
        self.pool.clear()
        self._directory.cleanup()

    def stop(self, seconds: float = 40) -> int:
        """SIGTERM, and wait for a clean end; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the server did not stop:\n{self.log()}") from None
        self.discard()
        return code


def new_channel(prefix: str = "run") -> str:
    """A channel id that nobody else uses."""
    return f"{prefix}-{uuid4().hex[:12]}"
