"""How the server is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class HealthComponent:
    """One part of the server: `ok`, `degraded` or `down`, and why."""

    status: str
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HealthStatus:
    """The server and its parts. `check_duration_ms` is how long the check took."""

    status: str
    timestamp: str
    instance_id: str
    components: Mapping[str, HealthComponent]
    check_duration_ms: float


@dataclass(frozen=True, slots=True)
class ReadinessResult:
    """Whether the server takes calls now. `connection_utilization` is a fraction of 1."""

    status: str
    timestamp: str
    instance_id: str
    check_duration_ms: float
    database_ready: bool
    capacity_available: bool
    uptime_seconds: float
    connection_utilization: float
    active_connections: int
    max_connections: int


@dataclass(frozen=True, slots=True)
class MetricsSnapshot:
    """Counts of the live connections."""

    status: str
    timestamp: str
    uptime_seconds: float
    connections: int
    topics: int
    messages_sent: int
    messages_received: int
    total_messages: int
    back_pressure: Mapping[str, Any]

    @property
    def websocket_connections(self) -> int:
        """`connections`, as the published client calls it."""
        return self.connections

    @property
    def topic_count(self) -> int:
        """`topics`, as the published client calls it."""
        return self.topics
