"""Functions whose calls are runs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from actae_client.runtime.calls import is_async
from actae_client.runtime.lifecycle import BlockingRun, OpenRun
from actae_client.runtime.run_options import RunPlan

if TYPE_CHECKING:
    from actae_client.runtime.facade import Actae

F = TypeVar("F", bound=Callable[..., Any])

PlanOfCall = Callable[[tuple[Any, ...], dict[str, Any]], RunPlan]


def observed_function(owner: Actae, function: F, plan: PlanOfCall) -> F:
    """The function, each call of it a run of its own."""
    if is_async(function):

        @functools.wraps(function)
        async def observed(*args: Any, **kwargs: Any) -> Any:
            async with OpenRun(owner, plan(args, kwargs)):
                return await function(*args, **kwargs)

        return cast("F", observed)

    @functools.wraps(function)
    def observed_blocking(*args: Any, **kwargs: Any) -> Any:
        with BlockingRun(owner, plan(args, kwargs)):
            return function(*args, **kwargs)

    return cast("F", observed_blocking)
