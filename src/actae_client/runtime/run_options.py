"""The options of a run, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict
from uuid import uuid4

from actae_client._calls.channel_ids import validate_channel_id
from actae_client._types.json import Json
from actae_client.deterministic import channel_for_run
from actae_client.tools.arguments import checked


class RunOptions(TypedDict, total=False):
    """What may be said about a run; each is optional.

    `framework` is "custom" and `channel_id` is `channel_for_run(run_id, framework)` unless given;
    `parent_run_id` is that of the ambient run. `attempt` (0, 1 …) or `execution_id` tells one
    entry of the run from the next: entering again with the same one repeats no lifecycle event.
    """

    framework: str
    channel_id: str | None
    parent_run_id: str | None
    workflow_id: str | None
    native_run_id: str | None
    execution_id: str | None
    attempt: int | None
    actor: str | None
    metadata: dict[str, Json] | None


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """A run that is about to be entered."""

    run_id: str
    framework: str
    channel_id: str
    parent_run_id: str | None
    workflow_id: str | None
    native_run_id: str | None
    attempt: int | None
    actor: str | None
    metadata: dict[str, Json]
    invocation_id: str

    @classmethod
    def of(cls, run_id: str, options: Mapping[str, Any]) -> RunPlan:
        """Check the options; those that are not known are ignored. Raises ValueError and TypeError."""
        framework = _text("framework", options.get("framework", "custom"))
        channel_id = options.get("channel_id")
        if channel_id is None:
            channel_id = channel_for_run(_text("run_id", run_id), framework)
        validate_channel_id(channel_id)
        attempt = _attempt(options.get("attempt"))
        return cls(
            run_id=_text("run_id", run_id),
            framework=framework,
            channel_id=channel_id,
            attempt=attempt,
            invocation_id=_invocation(_optional_text("execution_id", options), attempt),
            metadata=_metadata(options.get("metadata")),
            parent_run_id=_optional_text("parent_run_id", options),
            workflow_id=_optional_text("workflow_id", options),
            native_run_id=_optional_text("native_run_id", options),
            actor=_optional_text("actor", options),
        )


def _invocation(execution_id: str | None, attempt: int | None) -> str:
    if execution_id is not None:
        return execution_id
    return str(uuid4()) if attempt is None else f"attempt:{attempt}"


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if not value:
        raise ValueError(f"{name} must not be empty")
    return value


def _optional_text(name: str, options: Mapping[str, Any]) -> str | None:
    value = options.get(name)
    return None if value is None else _text(name, value)


def _attempt(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"attempt must be an int, not {type(value).__name__}")
    if value < 0:
        raise ValueError(f"attempt is {value}; the first is 0 or 1")
    return value


def _metadata(value: Any) -> dict[str, Json]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError(f"metadata must be a dict, not {type(value).__name__}")
    copy: dict[str, Json] = checked("metadata", value)
    return copy
