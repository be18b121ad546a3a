"""Where a run keeps its data, and what is worth keeping between runs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def cache_folder() -> Path:
    """A folder on the user's own disk: /tmp may be memory, where a durable commit costs nothing."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "actae-benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="run-", dir=cache_folder(), ignore_cleanup_errors=True) as name:
        yield Path(name)
