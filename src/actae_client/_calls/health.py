"""Calls about how the server is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from actae_client._calls.call import Call, read
from actae_client._types.health import HealthComponent, HealthStatus, MetricsSnapshot, ReadinessResult


def health_check() -> Call[HealthStatus]:
    """Ask how the server and its parts are. A bad answer is the answer, so it is not asked for again."""
    return Call("GET", "/healthz", _health_of)


def readiness_check() -> Call[ReadinessResult]:
    """Ask whether the server takes calls. A "no" is the answer, so it is not asked for again."""
    return Call("GET", "/readyz", _readiness_of)


def get_metrics_text() -> Call[str]:
    """Read the metrics in Prometheus's text format."""
    return replace(read("/metrics", str), is_text=True)


def get_metrics_json() -> Call[MetricsSnapshot]:
    """Read the counts of the live connections."""
    return read("/metrics.json", _metrics_of)


def _health_of(reply: Any) -> HealthStatus:
    return HealthStatus(
        status=reply["status"],
        timestamp=reply.get("timestamp", ""),
        instance_id=reply.get("instance_id", ""),
        components={name: _component(data) for name, data in reply.get("components", {}).items()},
        check_duration_ms=reply.get("check_duration_ms", 0),
    )


def _component(data: dict[str, Any]) -> HealthComponent:
    details = {name: value for name, value in data.items() if name != "status"}
    return HealthComponent(data.get("status", ""), details)


def _readiness_of(reply: Any) -> ReadinessResult:
    checks = reply.get("readiness_checks", {})
    return ReadinessResult(
        status=reply["status"],
        timestamp=reply.get("timestamp", ""),
        instance_id=reply.get("instance_id", ""),
        check_duration_ms=reply.get("check_duration_ms", 0),
        database_ready=checks.get("database_ready", False),
        capacity_available=checks.get("capacity_available", False),
        uptime_seconds=checks.get("uptime_seconds", 0),
        connection_utilization=checks.get("connection_utilization", 0.0),
        active_connections=checks.get("active_connections", 0),
        max_connections=checks.get("max_connections", 0),
    )


def _metrics_of(reply: Any) -> MetricsSnapshot:
    live = reply.get("websocket", {})
    return MetricsSnapshot(
        status=reply["status"],
        timestamp=reply.get("timestamp", ""),
        uptime_seconds=reply.get("uptime_seconds", 0),
        connections=live.get("connections", 0),
        topics=live.get("topics", 0),
        messages_sent=live.get("messages_sent", 0),
        messages_received=live.get("messages_received", 0),
        total_messages=live.get("total_messages", 0),
        back_pressure=live.get("back_pressure", {}),
    )
