"""The numbers of a server in Prometheus's text format."""

import time
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from actae import __version__
from actae.store.census import OpenExecutions
from actae.transport.sampling import resident_bytes
from actae.transport.tally import BATCH_ASKS, BATCH_MICROSECONDS, Tally

_COUNTERS = {
    "batch_events": ("actae_events_appended", "Events that were committed."),
    "races_lost": ("actae_races_lost", "Batches decided again because another server moved a head."),
    "batches_isolated": (
        "actae_batches_isolated",
        "Batches that failed unexpectedly and were run ask by ask.",
    ),
    "asks_poisoned": ("actae_asks_poisoned", "Writes that failed even alone: defects."),
    "database_lost": ("actae_database_lost", "Times that a writer's connection was lost."),
    "leases_taken_over": ("actae_leases_taken_over", "Operations handed to a new owner."),
    "requests_failed": ("actae_requests_failed", "Requests answered with 500: defects, each in the log."),
    "embedded_restarts": ("actae_embedded_restarts", "Times that the embedded PostgreSQL was started again."),
}
_LABELLED = {
    "requests": ("actae_requests", "Requests that reached their operation.", "operation"),
    "responses": ("actae_responses", "Responses by HTTP status.", "status"),
    "stale_owners_refused": (
        "actae_stale_owners_refused",
        "Calls with a claim token that owns nothing now.",
        "call",
    ),
}
_LEVELS = {
    "writer_waiting": ("actae_writer_waiting", "Writes that wait for the next batch."),
    "pool_active": ("actae_pool_connections_active", "Pooled database connections at work."),
    "pool_open": ("actae_pool_connections_open", "Pooled database connections that are open."),
    "pool_most": ("actae_pool_connections_max", "Pooled database connections that may be opened."),
    "websocket_connections": ("actae_websocket_connections", "Open WebSocket connections."),
    "event_streams": ("actae_event_streams", "Open streams of server-sent events."),
    "websocket_topics": ("actae_stream_channels", "Channels that somebody follows."),
    "websocket_consumers": ("actae_stream_subscribers", "Readers of channels, each channel counted."),
    "websocket_slow_consumers": ("actae_stream_stalled", "Readers that take nothing at the moment."),
    "websocket_queued_messages": ("actae_stream_lag_events", "Events that readers have not been sent yet."),
}


def render(tally: Tally, *, instance_id: str, open_executions: OpenExecutions | None) -> bytes:
    """All metrics as text. Takes milliseconds: call it from a thread."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Reading(tally, instance_id, open_executions))
    return generate_latest(registry)


class _Reading(Collector):
    """Reads the numbers when asked; nothing is kept twice."""

    def __init__(self, tally: Tally, instance_id: str, open_executions: OpenExecutions | None) -> None:
        self._tally = tally
        self._instance_id = instance_id
        self._open_executions = open_executions

    def collect(self) -> Iterator[Metric]:
        """Every metric once."""
        yield self._info()
        yield from self._counters()
        yield from self._labelled_counters()
        yield from self._histograms()
        yield from self._levels()
        yield from self._processes()
        yield from self._ledger()

    def _info(self) -> Metric:
        info = GaugeMetricFamily("actae_info", "Which Actae this is.", labels=["version", "instance_id"])
        info.add_metric([__version__, self._instance_id], 1)
        return info

    def _counters(self) -> Iterator[Metric]:
        for name, (metric, meaning) in _COUNTERS.items():
            yield CounterMetricFamily(metric, meaning, value=self._tally.total(name))

    def _labelled_counters(self) -> Iterator[Metric]:
        for group, (metric, meaning, label) in _LABELLED.items():
            family = CounterMetricFamily(metric, meaning, labels=[label])
            for value, name in self._tally.names(group).items():
                family.add_metric([value], self._tally.total(name))
            yield family

    def _histograms(self) -> Iterator[Metric]:
        total = self._tally.total
        sizes = [str(float(bound)) for bound in BATCH_ASKS]
        yield HistogramMetricFamily(
            "actae_batch_asks",
            "Writes that shared a transaction.",
            buckets=self._buckets("batch_asks", sizes),
            sum_value=total("batch_asks"),
        )
        durations = [str(bound / 1_000_000) for bound in BATCH_MICROSECONDS]
        yield HistogramMetricFamily(
            "actae_batch_seconds",
            "From the taking of a batch to its commit.",
            buckets=self._buckets("batch_microseconds", durations),
            sum_value=total("batch_microseconds") / 1_000_000,
        )

    def _buckets(self, group: str, bounds: list[str]) -> list[tuple[str, float]]:
        buckets: list[tuple[str, float]] = []
        count = 0
        for place, bound in enumerate([*bounds, "+Inf"]):
            count += self._tally.total(f"{group}.{place}")
            buckets.append((bound, count))
        return buckets

    def _levels(self) -> Iterator[Metric]:
        for name, (metric, meaning) in _LEVELS.items():
            yield GaugeMetricFamily(metric, meaning, value=self._tally.total(name))

    def _processes(self) -> Iterator[Metric]:
        resident = GaugeMetricFamily(
            "actae_process_resident_bytes", "Memory of a process.", labels=["worker"]
        )
        uptime = GaugeMetricFamily("actae_process_uptime_seconds", "Age of a process.", labels=["worker"])
        rows = zip(self._tally.each("pid"), self._tally.each("started_at"), strict=True)
        for worker, (pid, started_at) in enumerate(rows):
            size = resident_bytes(pid) if pid else None
            if size is not None:
                resident.add_metric([str(worker)], size)
                uptime.add_metric([str(worker)], max(0, int(time.time()) - started_at))
        yield resident
        yield uptime

    def _ledger(self) -> Iterator[Metric]:
        if self._open_executions is not None:
            executions = GaugeMetricFamily(
                "actae_executions", "Operations under way; a lapsed one may be taken over.", labels=["lease"]
            )
            executions.add_metric(["live"], self._open_executions.open - self._open_executions.lapsed)
            executions.add_metric(["lapsed"], self._open_executions.lapsed)
            yield executions
