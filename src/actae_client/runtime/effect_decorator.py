"""Functions whose calls are side effects."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from actae_client._types.json import Json
from actae_client.runtime.calls import bound_arguments, is_async, name_of, with_event
from actae_client.runtime.effect_keys import Key, Question, key_of_call, question_of_call
from actae_client.tools.arguments import checked
from actae_client.tools.call import EffectOptions, EffectTerms, Terms
from actae_client.undo.compensations import Compensate

if TYPE_CHECKING:
    from actae_client.runtime.facade import Actae

F = TypeVar("F", bound=Callable[..., Any])

Params = Callable[..., Json]
"""A function of the call's arguments that returns what identifies the call."""


class EffectDecorator:
    """Sends the calls of a function through the ledger of the ambient run."""

    def __init__(
        self,
        owner: Actae,
        key: Key,
        *,
        name: str | None,
        params: Params | None,
        pass_cancel_event: bool,
        approval: Question | None,
        ask: Question | None,
        compensate: Compensate | Literal[False] | None,
        terms: EffectTerms,
    ) -> None:
        if not callable(key) and not isinstance(key, str):
            raise TypeError(f"the key of an effect must be a str or a function, not {type(key).__name__}")
        for what, question in (("approval", approval), ("ask", ask)):
            if question is not None and not callable(question) and not isinstance(question, str):
                raise TypeError(f"{what} must be a str or a function, not {type(question).__name__}")
        Terms.of(terms)
        self._owner = owner
        self._key = key
        self._name = name
        self._params = params
        self._pass_cancel_event = pass_cancel_event
        self._approval = approval
        self._compensate = compensate
        self._ask = ask
        self._terms = terms

    def __call__(self, function: F) -> F:
        """The function, recorded. Raises TypeError for generators."""
        signature = inspect.signature(function)
        tool_name = self._name or name_of(function)
        is_awaited = is_async(function)
        self._owner.compensations.declare(tool_name, self._compensate, self._terms, effect=function)
        if is_awaited:

            @functools.wraps(function)
            async def recorded(*args: Any, **kwargs: Any) -> Json:
                tools = self._owner.current().tools
                key, params, invoke, options = self._call_of(function, signature, args, kwargs)
                return await tools.execute(key, tool_name, params, invoke, **options)

            return cast("F", recorded)

        @functools.wraps(function)
        def recorded_blocking(*args: Any, **kwargs: Any) -> Json:
            tools = self._owner.current().tools
            key, params, invoke, options = self._call_of(function, signature, args, kwargs)
            return tools.execute_sync(key, tool_name, params, invoke, **options)

        return cast("F", recorded_blocking)

    def _call_of(
        self,
        function: Callable[..., Any],
        signature: inspect.Signature,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> tuple[str, Json, Callable[[], Any], EffectOptions]:
        options: EffectOptions = {
            **self._terms,
            "cancellation_event": None,
            "approval": None,
            "ask": None,
        }
        passed, named = args, kwargs
        if self._pass_cancel_event:
            event = options["cancellation_event"] = asyncio.Event()
            passed, named = with_event(signature, args, kwargs, event)
        if self._params is not None:
            params = self._params(*args, **kwargs)
        else:
            params = bound_arguments(signature, passed, named)
        params = checked("params", params)
        key = key_of_call(self._key, args, kwargs, params)
        if self._approval is not None:
            options["approval"] = question_of_call("approval", self._approval, args, kwargs, params)
        if self._ask is not None:
            options["ask"] = question_of_call("ask", self._ask, args, kwargs, params)
        return key, params, functools.partial(function, *passed, **named), options
