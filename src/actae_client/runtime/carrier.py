"""The identity of a run, small enough for a task queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from actae_client._calls.channel_ids import validate_channel_id

RUN_CARRIER_SCHEMA = "actae.run-carrier/v1"

_REQUIRED = ("channel_id", "run_id", "framework")
_KEYS = frozenset({"schema", *_REQUIRED, "workflow_id"})


@dataclass(frozen=True, slots=True)
class ActaeCarrier:
    """Which run a piece of work belongs to. It holds no credentials.

    Raises ValueError for values that are empty, not str, or not a channel id.
    """

    channel_id: str
    run_id: str
    framework: str
    workflow_id: str | None = None

    def __post_init__(self) -> None:
        for name in (*_REQUIRED, "workflow_id"):
            value = getattr(self, name)
            if value is None and name == "workflow_id":
                continue
            if not isinstance(value, str) or not value:
                raise ValueError(f"{name} of a run carrier must be a str that is not empty, not {value!r}")
        validate_channel_id(self.channel_id)

    def to_dict(self) -> dict[str, str | None]:
        """The carrier as JSON, with its schema."""
        return {"schema": RUN_CARRIER_SCHEMA, **asdict(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ActaeCarrier:
        """Read what `to_dict` wrote. Raises ValueError for anything else."""
        schema = data.get("schema")
        if schema != RUN_CARRIER_SCHEMA:
            raise ValueError(f"the schema of a run carrier must be {RUN_CARRIER_SCHEMA!r}, not {schema!r}")
        if unknown := sorted(map(str, data.keys() - _KEYS)):
            raise ValueError(f"a run carrier has no {', '.join(unknown)}")
        values: dict[str, Any] = {name: data.get(name) for name in (*_REQUIRED, "workflow_id")}
        return cls(**values)
