"""A step before it is recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from actae_client._calls.frozen import frozen
from actae_client._types.json import Json
from actae_client.deterministic import full_step_operation_id, step_operation_id

StepIdentity: TypeAlias = Literal["shared", "full"]
"""What the operation id of a step is made of: the beginning of its content, as in the clients of other
languages, or all of it."""


@dataclass(frozen=True, slots=True)
class StepDraft:
    """What a caller wants recorded, copied when the call was made."""

    step_type: str
    input: Json
    output: Json
    context: Json
    metadata: dict[str, Json]
    operation_id: str | None

    @classmethod
    def of(
        cls,
        step_type: str,
        *,
        input: Json,  # noqa: A002 - the name that the payload has
        output: Json,
        context: Json,
        metadata: dict[str, Json] | None,
        operation_id: str | None,
    ) -> StepDraft:
        """Copy the arguments. Raises TypeError and ValueError for what cannot be recorded."""
        if not (isinstance(step_type, str) and step_type):
            raise ValueError("step_type is empty")
        if not (metadata is None or isinstance(metadata, dict)):
            raise TypeError(f"metadata must be a dict, not {type(metadata).__name__}")
        return cls(
            step_type,
            frozen("input", input),
            frozen("output", output),
            frozen("context", context),
            frozen("metadata", metadata or {}),
            operation_id,
        )

    def payload(self, step_number: int) -> dict[str, Json]:
        """The payload of the event."""
        payload: dict[str, Json] = {"step_number": step_number, "input": self.input, "output": self.output}
        if self.context is not None:
            payload["context"] = self.context
        return payload

    def described(self, step_number: int) -> dict[str, Json]:
        """The metadata of the event."""
        return {**self.metadata, "step_number": step_number}

    def identity(self, channel_id: str, step_number: int, kind: StepIdentity) -> str:
        """The operation id: the caller's, or the one that the content has."""
        if self.operation_id is not None:
            return self.operation_id
        derive = full_step_operation_id if kind == "full" else step_operation_id
        return derive(
            channel_id,
            self.step_type,
            step_number,
            input=self.input,
            output=self.output,
            context=self.context,
            metadata=self.metadata,
        )
