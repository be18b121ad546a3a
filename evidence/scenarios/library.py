"""Reads the scenarios, which are TOML files beside this one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from evidence.scenarios.scenario import Effect, Scenario, Step

FLAGSHIP: Final = "travel_rebooking"
NAMES: Final = (FLAGSHIP, "incident_review", "school_kitchen", "soil_survey", "museum_loan")


def load_scenario(name: str) -> Scenario:
    """A scenario by name. Its texts lose the line ends around them."""
    told = tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))
    effects = {called: Effect(**fields) for called, fields in told["effects"].items()}
    change = told.get("change", {})
    steps = tuple(_step(each, effects) for each in told["steps"])
    changed = tuple(_step(each, effects) for each in change.get("steps", ()))
    fork_at = told["fork_at"]
    assert 0 < fork_at < len(steps), f"{name} has no tail to fork off"
    assert {step.name for step in changed} <= {step.name for step in steps[fork_at:]}, (
        f"{name} changes a step that its fork does not run"
    )
    return Scenario(
        name=name.replace("_", "-"),
        title=told["title"],
        system=told["system"].strip(),
        steps=steps,
        fork_at=fork_at,
        tool_policies=told.get("tool_policies", {}),
        change_reason=change.get("reason"),
        change=changed,
    )


def load_scenarios() -> tuple[Scenario, ...]:
    """All of them, the flagship first."""
    return tuple(load_scenario(name) for name in NAMES)


def _step(told: dict[str, Any], effects: dict[str, Effect]) -> Step:
    return Step(
        name=told["name"],
        ask=told["ask"].strip(),
        reply=told["reply"].strip(),
        effects=tuple(effects[called] for called in told.get("effects", ())),
    )
