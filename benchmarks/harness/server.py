"""Starts and stops the real server, as a process of its own with a database of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.answers import BenchmarkError
from benchmarks.harness.folders import REPOSITORY, scratch_folder
from benchmarks.harness.postgres import must_be_durable

READY_WITHIN_SECONDS = 30
STOPPED_WITHIN_SECONDS = 30
TOLD_BY_READY_FILE = ("url", "api_key", "pid", "database_url")


@dataclass(frozen=True, kw_only=True)
class Server:
    url: str
    api_key: str
    pid: int
    database_url: str
    process: subprocess.Popen[bytes]


@contextmanager
def running_server(folder: Path, *, database_url: str | None = None) -> Iterator[Server]:
    """A server that accepts requests, stopped at the end in whatever way it comes.

    Without `database_url` it runs a PostgreSQL of its own in `folder`, and leaves its data there.

    Raises:
        BenchmarkError: it ended, or was not ready in time; the end of its log is in the message.
    """
    ready_file, log = folder / "ready.json", folder / "server.log"
    ready_file.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "actae",
        "serve",
        "--dev",
        "--port",
        "0",
        "--ready-file",
        str(ready_file),
    ]
    command += ["--data-dir", str(folder)] if database_url is None else ["--database-url", database_url]
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, cwd=REPOSITORY, env=environment(), stdout=output, stderr=output, stdin=subprocess.DEVNULL
        )
    try:
        wait_until_ready(process, ready_file, log)
        told = json.loads(ready_file.read_bytes())
        yield Server(process=process, **{name: told[name] for name in TOLD_BY_READY_FILE})
    finally:
        stop(process)


def environment() -> dict[str, str]:
    """Ours without the settings that somebody keeps for a server of their own."""
    kept = {"ACTAE_PG_BIN"}
    return {
        name: value for name, value in os.environ.items() if name in kept or not name.startswith("ACTAE_")
    }


def wait_until_ready(process: subprocess.Popen[bytes], ready_file: Path, log: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while not ready_file.exists():
        if process.poll() is not None:
            raise BenchmarkError(f"The server ended with {process.returncode}. It said:\n{last_lines(log)}")
        if time.monotonic() > deadline:
            raise BenchmarkError(
                f"The server was not ready in {READY_WITHIN_SECONDS} s. It said:\n{last_lines(log)}"
            )
        time.sleep(0.002)


def last_lines(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-15:])


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask it to stop, as an operator would; insist only when it does not."""
    process.terminate()
    try:
        process.wait(STOPPED_WITHIN_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def fresh_server() -> Iterator[Server]:
    """A server on an empty database that is deleted afterwards."""
    with scratch_folder() as folder, running_server(folder) as server:
        must_be_durable(server.database_url)
        yield server
