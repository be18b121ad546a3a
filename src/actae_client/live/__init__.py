"""Channels as they happen: over a WebSocket for asyncio, over server-sent events for code that blocks."""

from __future__ import annotations

from actae_client.live.following import SyncStream
from actae_client.live.stream import Stream

__all__ = ["Stream", "SyncStream"]
