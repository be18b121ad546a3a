"""Servers that are killed at a crash point."""

import os
import sys
from collections.abc import Mapping
from typing import Final

from actae.crash_points import CrashPoint

# What this process can import, such a server can too.
ENVIRONMENT: Final[Mapping[str, str]] = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def killed_at(point: CrashPoint, nth: int) -> tuple[str, ...]:
    """The command of a server that ends when it reaches the point for the n-th time."""
    return ("-m", "tests.support.killer", point, str(nth), "serve")
