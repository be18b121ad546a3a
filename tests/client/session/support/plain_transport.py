"""A client with the nine methods that every session needs, of a server without an index of steps."""

from __future__ import annotations

from typing import Any

from actae_client import ActaeClient, ForkReceipt
from actae_client.types import ChannelMetadata, Event, LatestState


class PlainTransport:
    """Passes on what it is asked, and notes it."""

    def __init__(self, actae: ActaeClient) -> None:
        self.asked: list[str] = []
        self.is_cut_off_after: str | None = None
        self._actae = actae

    async def record(self, channel_id: str, event_type: str, payload: Any, **options: Any) -> Event:
        """Without an index, the number of a step is of no use."""
        options.pop("step_number", None)
        return await self._ask("record", channel_id, event_type, payload, **options)

    async def replay(self, channel_id: str, **options: Any) -> list[Event]:
        """As it is."""
        return await self._ask("replay", channel_id, **options)

    async def save_state(self, channel_id: str, cursor: int, state: Any) -> int:
        """As it is."""
        return await self._ask("save_state", channel_id, cursor, state)

    async def latest_state(self, channel_id: str) -> LatestState | None:
        """As it is."""
        return await self._ask("latest_state", channel_id)

    async def fork(
        self,
        source_channel_id: str,
        new_channel_id: str,
        at_cursor: int = 0,
        *,
        display_name: str | None = None,
        reason: str | None = None,
        experiment_metadata: dict[str, Any] | None = None,
        operation_id: str | None = None,
        manifest: dict[str, Any] | None = None,
        tool_policies: dict[str, str] | None = None,
    ) -> ForkReceipt:
        """With the arguments that it has always had."""
        return await self._ask(
            "fork",
            source_channel_id,
            new_channel_id,
            at_cursor,
            display_name=display_name,
            reason=reason,
            experiment_metadata=experiment_metadata,
            operation_id=operation_id,
            manifest=manifest,
            tool_policies=tool_policies,
        )

    async def get_channel_metadata(self, channel_id: str) -> ChannelMetadata | None:
        """As it is."""
        return await self._ask("get_channel_metadata", channel_id)

    async def update_metadata(self, channel_id: str, **fields: Any) -> ChannelMetadata:
        """As it is."""
        return await self._ask("update_metadata", channel_id, **fields)

    async def resolve_step(self, _channel_id: str, _step_number: int) -> None:
        """No such route."""
        self.asked.append("resolve_step")

    async def latest_step_number(self, _channel_id: str) -> None:
        """No such route."""
        self.asked.append("latest_step_number")

    async def _ask(self, method: str, *args: Any, **options: Any) -> Any:
        if self.is_cut_off_after is not None and self.asked[-1:] == [self.is_cut_off_after]:
            raise ConnectionResetError
        self.asked.append(method)
        return await getattr(self._actae, method)(*args, **options)
