"""What undoes the effects of a tool: a registry, filled where the tools are defined.

An effect is found again in the ledger by the name of its tool. So a process that undoes what another one did
imports the same module, and has the same compensations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from actae_client._types.json import Json
from actae_client.tools.call import EffectTerms, Terms

Compensate = Callable[[Json, Json], Any]
"""Takes the parameters and the result of the effect that it undoes, and may be async."""

# How an effect is run says how its compensation is. What is about this one operation does not: which calls
# are the same, how long the key lives, whom to ask what became of it.
_TERMS_OF_THE_EFFECT = (
    "lease_seconds",
    "heartbeat_interval",
    "on_cancel",
    "completion_timeout",
    "on_lapse",
    "mark_dispatched",
    "ambiguous_on",
)


@dataclass(frozen=True, slots=True)
class Compensation:
    """What undoes the effects of one tool, and on which terms it is run."""

    undo: Compensate
    terms: EffectTerms

    @property
    def name(self) -> str:
        """What people read."""
        return getattr(self.undo, "__name__", type(self.undo).__name__)


Declared = Compensation | Literal[False] | None
"""A compensation; False, there is nothing to undo; None, nobody has said."""


class Compensations:
    """The compensations of a process, by the names of their tools."""

    def __init__(self) -> None:
        self._of_effects: dict[str, tuple[str, Declared]] = {}
        self._by_name: dict[str, Declared] = {}

    def find(self, tool_name: str) -> Declared:
        """What was declared for a tool."""
        if tool_name in self._by_name:
            return self._by_name[tool_name]
        return self._of_effects.get(tool_name, ("", None))[1]

    def declare(
        self,
        tool_name: str,
        compensate: Compensate | Literal[False] | None,
        terms: EffectTerms,
        *,
        effect: Callable[..., Any] | None = None,
    ) -> None:
        """Say what undoes a tool; `effect` is the function that was decorated.

        The same function defined anew, in a notebook say, replaces what was said before. Raises
        ValueError when two different things are said about one tool, TypeError for what is no function.
        """
        declared = _checked(compensate, terms if effect is None else _inherited(terms))
        if effect is None:
            if self.find(tool_name) is not None:
                raise ValueError(f"there is a compensation for the tool {tool_name!r} already")
            self._by_name[tool_name] = declared
            return
        origin = (
            f"{getattr(effect, '__module__', '')}.{getattr(effect, '__qualname__', type(effect).__name__)}"
        )
        known, before = self._of_effects.get(tool_name, (origin, None))
        if known != origin and (before is not None or declared is not None):
            raise ValueError(
                f"two effects are called {tool_name!r}, and what undoes one must not be run for the other: "
                "give one of them a name of its own, name=…"
            )
        if declared is not None and tool_name in self._by_name:
            raise ValueError(f"there is a compensation for the tool {tool_name!r} already")
        self._of_effects[tool_name] = (origin, declared)


def _checked(compensate: Compensate | Literal[False] | None, terms: EffectTerms) -> Declared:
    if compensate is None or compensate is False:
        return compensate
    if not callable(compensate):
        raise TypeError(f"compensate must be a function or False, not {type(compensate).__name__}")
    if inspect.isgeneratorfunction(compensate) or inspect.isasyncgenfunction(compensate):
        raise TypeError("compensate is a generator: calling it does nothing yet")
    Terms.of(terms)
    return Compensation(compensate, terms)


def _inherited(terms: EffectTerms) -> EffectTerms:
    return cast("EffectTerms", {name: terms[name] for name in _TERMS_OF_THE_EFFECT if name in terms})  # type: ignore[literal-required]
