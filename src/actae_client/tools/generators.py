"""Generators: calling one does nothing yet, so there is nothing that could be recorded."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any


def refuse_generator_function(function: Callable[..., Any], name: str) -> None:
    """Raises TypeError for what gives a generator when it is called; of an object, its `__call__` counts."""
    called: Any = function
    while isinstance(called, functools.partial):
        called = called.func
    for each in (called, getattr(type(called), "__call__", None)):  # noqa: B004 - the type's, not the object's
        if inspect.isgeneratorfunction(each) or inspect.isasyncgenfunction(each):
            raise TypeError(_sentence(name))


def refused_generator(value: object) -> TypeError | None:
    """What is wrong with a result that is a generator, which is closed; None for any other."""
    if inspect.isasyncgen(value):
        return TypeError(_sentence(value.__name__))
    if inspect.isgenerator(value):
        with contextlib.suppress(Exception):
            value.close()
        return TypeError(_sentence(value.__name__))
    return None


def _sentence(name: str) -> str:
    return f"{name} is a generator: calling it does nothing yet, so it has no result"
