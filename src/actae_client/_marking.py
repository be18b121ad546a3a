"""Lets `inspect` and mocks know the methods that return coroutines."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def returning_coroutines(client: C) -> C:
    """Mark the methods of a class that return coroutines as coroutine functions.

    They are plain functions, so that arguments are checked and written to JSON when the method is
    called, and not when its coroutine first runs. `AsyncMock(spec=…)` and frameworks that choose by
    `iscoroutinefunction` must not notice the difference.
    """
    for kind in client.__mro__:
        for member in vars(kind).values():
            if isinstance(member, FunctionType) and _returns_a_coroutine(member):
                _mark(member)
    return client


def _returns_a_coroutine(function: FunctionType) -> bool:
    return str(function.__annotations__.get("return", "")).startswith("Coroutine[")


if sys.version_info >= (3, 12):

    def _mark(function: Callable[..., Any]) -> None:
        inspect.markcoroutinefunction(function)

else:

    def _mark(function: Any) -> None:
        # Before 3.12 only asyncio's own check, which mocks use, could be told.
        function._is_coroutine = asyncio.coroutines._is_coroutine  # type: ignore[attr-defined]
