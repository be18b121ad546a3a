"""Decorated functions: what kind they are, and what one call of them is given."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from actae_client._types.json import Json
from actae_client.tools.generators import refuse_generator_function

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine. Raises TypeError for what cannot be decorated."""
    if not callable(function):
        raise TypeError(f"only functions can be decorated, not {type(function).__name__}")
    refuse_generator_function(function, name_of(function))
    return inspect.iscoroutinefunction(function)


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function, or of the class of another callable."""
    return getattr(function, "__name__", type(function).__name__)


def bound_arguments(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Json]:
    """The arguments of a call by name, with defaults, without `self` or `cls`.

    Cancellation events are no arguments. Raises TypeError when the call does not fit the signature.
    """
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    first = next(iter(arguments), None)
    if first in ("self", "cls"):
        del arguments[first]
    return {name: _without_events(value) for name, value in arguments.items() if not _is_event(value)}


def with_event(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any], event: asyncio.Event
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with the event after the positional ones.

    When arguments come by name, it goes to the first positional parameter that has none.
    """
    positional = [item for item in signature.parameters.values() if item.kind in _BY_POSITION]
    for index, parameter in enumerate(positional[len(args) :]):
        if parameter.name not in kwargs:
            return ((*args, event), kwargs) if index == 0 else (args, {**kwargs, parameter.name: event})
    return (*args, event), kwargs


def _is_event(value: Any) -> bool:
    return isinstance(value, asyncio.Event)


def _without_events(value: Any) -> Any:
    return tuple(item for item in value if not _is_event(item)) if isinstance(value, tuple) else value
