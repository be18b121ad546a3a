"""Methods about how the server is."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from actae_client._async.sender import Sender
from actae_client._calls import health
from actae_client._types.health import HealthStatus, MetricsSnapshot, ReadinessResult


class HealthMethods(Sender):
    """Health, readiness and metrics. A server that is down raises an error, like any other call."""

    def health_check(self) -> Coroutine[Any, Any, HealthStatus]:
        """How the server and its parts are."""
        return self._send(health.health_check())

    def readiness_check(self) -> Coroutine[Any, Any, ReadinessResult]:
        """Whether the server takes calls now."""
        return self._send(health.readiness_check())

    def get_metrics_text(self) -> Coroutine[Any, Any, str]:
        """All metrics in Prometheus's text format."""
        return self._send(health.get_metrics_text())

    def get_metrics_json(self) -> Coroutine[Any, Any, MetricsSnapshot]:
        """The counts of the live connections."""
        return self._send(health.get_metrics_json())
