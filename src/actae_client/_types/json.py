"""What JSON can hold."""

from __future__ import annotations

from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, or lists and str-keyed dicts of them."""
