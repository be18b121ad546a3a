"""What a running tool can know about the operation it is part of."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from actae_client.tools.keys import distinct_operation_key


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the ledger, seen by the tool that carries it out.

    `attempt` starts at 1 and grows each time the operation is handed out; pass it downstream as
    a fencing number where the provider knows such a thing.
    """

    channel_id: str
    key_name: str
    tool_name: str
    execution_id: str
    attempt: int

    @property
    def idempotency_key(self) -> str:
        """A UUID for the provider: the same at each attempt of this operation, and of no other."""
        return distinct_operation_key("actae.provider", "effect", self.channel_id, self.key_name)

    def headers(self, name: str = "Idempotency-Key") -> dict[str, str]:
        """The key as the header in which most providers take it."""
        return {name: self.idempotency_key}


running_operation: ContextVar[Operation] = ContextVar("actae_running_operation")


def current_operation() -> Operation:
    """The operation that the calling code carries out. Raises RuntimeError outside of a tool."""
    try:
        return running_operation.get()
    except LookupError:
        raise RuntimeError("No operation is running here; call this from inside a tool.") from None
