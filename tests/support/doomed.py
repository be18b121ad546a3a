"""Servers that end at a crash point."""

import os
from pathlib import Path
from typing import Any

from actae.crash_points import CrashPoint

ROOT = Path(__file__).parents[2]


def doomed_at(point: CrashPoint, nth: int) -> dict[str, Any]:
    """Options of a server that kills itself when it reaches the point for the n-th time."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    return {
        "command": ("-m", "tests.support.killer", point, str(nth), "serve"),
        "environment": {"PYTHONPATH": path},
    }
