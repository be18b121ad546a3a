"""What an agent remembers from one start to the next. The workflow is one; these are its memories."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4


class Memory(Protocol):
    """Runs the parts of a workflow, or knows their results already."""

    def step(self, name: str, work: Callable[[], Any]) -> Any:
        """Return the JSON that `work` gave: what may run twice without harm."""

    def effect(self, tool: str, params: dict[str, Any], work: Callable[[dict[str, Any], str], Any]) -> Any:
        """Return the JSON that `work(params, idempotency_key)` gave: what the world notices."""


def key_per_call(_tool: str) -> str:
    """A new key for each call, as ordinary code makes one."""
    return str(uuid4())


class NoRecord:
    """Remembers nothing: each start begins at the beginning."""

    def step(self, name: str, work: Callable[[], Any]) -> Any:
        return work()

    def effect(self, tool: str, params: dict[str, Any], work: Callable[[dict[str, Any], str], Any]) -> Any:
        return work(params, key_per_call(tool))


class Checkpoint:
    """One JSON file with the result of each finished step, on disk before the next step starts."""

    def __init__(self, path: Path, *, make_key: Callable[[str], str] = key_per_call) -> None:
        self._path = path
        self._make_key = make_key
        self._results: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    def step(self, name: str, work: Callable[[], Any]) -> Any:
        if name not in self._results:
            self._results[name] = work()
            self._save()
        return self._results[name]

    def effect(self, tool: str, params: dict[str, Any], work: Callable[[dict[str, Any], str], Any]) -> Any:
        return self.step(tool, lambda: work(params, self._make_key(tool)))

    def _save(self) -> None:
        """Replace the file as a whole: a crash leaves the old one or the new one."""
        unfinished = self._path.with_suffix(".unfinished")
        with unfinished.open("w") as file:
            json.dump(self._results, file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(self._path)
        directory = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
