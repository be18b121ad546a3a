"""What a fork is told about the program that made it."""

from __future__ import annotations

import platform
from functools import cache
from typing import Any

from actae_client._calls.requests import CLIENT_NAME
from actae_client._types.json import Json


def fork_manifest(given: dict[str, Json] | None) -> dict[str, Json]:
    """Language, platform and client; what the caller says wins."""
    return {**_automatic(), **(given or {})}


@cache
def _automatic() -> dict[str, Any]:
    return {
        "environment": {"python": platform.python_version(), "platform": platform.platform()},
        "sdk": CLIENT_NAME,
    }
