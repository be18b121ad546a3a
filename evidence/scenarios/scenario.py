"""What a scenario is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Effect:
    """Something that the agent does in the world, at most once per run."""

    tool: str
    route: Literal["charges", "mails"]
    """What the provider is asked for."""
    key: str
    """Made of business ids; never of what a model wrote."""
    fields: Mapping[str, str | int]
    body_of: str | None = None
    """The step whose text is sent along as `body`."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One question to the model, and the effects that follow from its answer."""

    name: str
    ask: str
    reply: str
    """What the scripted model answers."""
    effects: tuple[Effect, ...] = ()
    """Those that must have happened after this step. Naming one again is asking for it again."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A workflow that is forked once, after the step `fork_at`."""

    name: str
    title: str
    system: str
    steps: tuple[Step, ...]
    fork_at: int
    tool_policies: Mapping[str, str]
    """Those of the fork."""
    change_reason: str | None
    change: tuple[Step, ...]
    """Steps that take the place of those with their names, in a fork that tries something else."""

    @property
    def tail(self) -> tuple[Step, ...]:
        """The steps that a fork runs itself."""
        return self.steps[self.fork_at :]

    def changed(self) -> Scenario:
        """The same workflow with its changed steps."""
        instead = {step.name: step for step in self.change}
        return replace(self, steps=tuple(instead.get(step.name, step) for step in self.steps))

    def replies(self) -> dict[str, str]:
        """What the scripted model answers to each question, the changed ones too."""
        return {step.ask: step.reply for step in (*self.steps, *self.change)}
