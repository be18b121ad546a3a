"""The numbers of a server in Prometheus's text format."""

import os
import time
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from actae import __version__
from actae.store.census import (
    AmbiguousExecutions,
    Counts,
    OpenExecutions,
    PendingApprovals,
    PendingWakeups,
    UnconsumedEvents,
)
from actae.store.retention import LastSweep
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
    "tail_failed": ("actae_tail_failures", "Defects that met live readers, each in the log."),
    "hints_lost": (
        "actae_hints_lost",
        "Times that the line for hints between servers was lost.",
    ),
    "embedded_restarts": ("actae_embedded_restarts", "Times that the embedded PostgreSQL was started again."),
    "wakeups_fired": ("actae_wakeups_fired", "Wake-ups that became events."),
    "wakeups_put_off": ("actae_wakeups_put_off", "Tries to fire a wake-up that failed and are made again."),
    "wakeups_failed": ("actae_wakeups_failed", "Wake-ups that were given up."),
    "channels_removed": (
        "actae_retention_channels_removed",
        "Channels that went as their policy says.",
    ),
    "removals_failed": ("actae_retention_failures", "Channels past their policy that could not be removed."),
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
    "waiting_consumers": ("actae_waiting_consumers", "Consumers whose request for events waits for some."),
    "websocket_topics": ("actae_stream_channels", "Channels that somebody follows."),
    "websocket_consumers": ("actae_stream_subscribers", "Readers of channels, each channel counted."),
    "websocket_slow_consumers": ("actae_stream_stalled", "Readers that take nothing at the moment."),
    "websocket_queued_messages": ("actae_stream_lag_events", "Events that readers have not been sent yet."),
}
_CONSUMER_GROUPS = {
    "groups": ("actae_consumer_groups", "Consumer groups."),
    "behind": ("actae_consumer_lag_events", "Events above the watermarks of all consumer groups."),
    "furthest_behind": ("actae_consumer_lag_events_max", "Events above the watermark of the slowest group."),
    "stranded": (
        "actae_consumer_stranded_events",
        "Events in the hands of consumers whose lease has lapsed, until somebody asks for work.",
    ),
}


def render(tally: Tally, *, instance_id: str, counts: Counts) -> bytes:
    """All metrics as text. Takes milliseconds: call it from a thread."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Reading(tally, instance_id, counts))
    return generate_latest(registry)


def describe(operations: Iterable[str]) -> tuple[list[Metric], list[Metric]]:
    """Every metric of a server, and every one of its database; their numbers say nothing."""
    tally = Tally(operations)
    tally.put("pid", os.getpid())
    counts = Counts(
        OpenExecutions(0, 0, 0.0),
        AmbiguousExecutions(0, 0.0),
        UnconsumedEvents(0, 0, 0, 0),
        PendingWakeups(0, 0, 0.0),
        PendingApprovals(0, 0.0),
        LastSweep(0, 0.0),
    )
    reading = _Reading(tally, "", counts)
    return list(reading.of_server()), list(reading.of_database())


class _Reading(Collector):
    """Reads the numbers when asked; nothing is kept twice."""

    def __init__(self, tally: Tally, instance_id: str, counts: Counts) -> None:
        self._tally = tally
        self._instance_id = instance_id
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        """Every metric once."""
        yield from self.of_server()
        yield from self.of_database()

    def of_server(self) -> Iterator[Metric]:
        """What this server did, and how it is."""
        yield self._info()
        yield from self._counters()
        yield from self._labelled_counters()
        yield from self._histograms()
        yield from self._levels()
        yield from self._processes()

    def of_database(self) -> Iterator[Metric]:
        """What is stored; every server of a database says the same."""
        yield from self._ledger()
        yield from self._ambiguity()
        yield from self._consumer_groups()
        yield from self._wakeups()
        yield from self._approvals()
        yield from self._retention()

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
        count = self._counts.open_executions
        if count is not None:
            executions = GaugeMetricFamily(
                "actae_executions",
                "Operations under way; a lapsed one may be taken over. Ambiguous ones are counted apart.",
                labels=["lease"],
            )
            executions.add_metric(["live"], count.open - count.lapsed)
            executions.add_metric(["lapsed"], count.lapsed)
            yield executions
            yield GaugeMetricFamily(
                "actae_executions_oldest_open_seconds",
                "Time since the first claim of the oldest operation under way, ambiguous ones left out; 0 if "
                "there is none.",
                value=count.oldest_seconds,
            )

    def _ambiguity(self) -> Iterator[Metric]:
        count = self._counts.ambiguous_executions
        if count is not None:
            yield GaugeMetricFamily(
                "actae_executions_ambiguous",
                "Operations whose outcome nobody knows; they wait for somebody to resolve them.",
                value=count.waiting,
            )
            yield GaugeMetricFamily(
                "actae_executions_oldest_ambiguous_seconds",
                "Time since the lease of the oldest ambiguous operation ended; 0 if there is none.",
                value=count.oldest_seconds,
            )

    def _consumer_groups(self) -> Iterator[Metric]:
        # Summed up over the groups: a label for each would have no bound.
        count = self._counts.unconsumed_events
        if count is not None:
            for name, value in count._asdict().items():
                yield GaugeMetricFamily(*_CONSUMER_GROUPS[name], value=value)

    def _wakeups(self) -> Iterator[Metric]:
        count = self._counts.pending_wakeups
        if count is not None:
            pending = GaugeMetricFamily(
                "actae_wakeups_pending",
                "Wake-ups that have not fired; the time of a due one has come.",
                labels=["time"],
            )
            pending.add_metric(["ahead"], count.ahead)
            pending.add_metric(["due"], count.due)
            yield pending
            yield GaugeMetricFamily(
                "actae_wakeups_oldest_due_seconds",
                "How long the oldest due wake-up has not fired; 0 if none is due.",
                value=count.oldest_due_seconds,
            )

    def _approvals(self) -> Iterator[Metric]:
        count = self._counts.pending_approvals
        if count is not None:
            yield GaugeMetricFamily(
                "actae_approvals_pending",
                "Operations that wait for somebody's approval.",
                value=count.waiting,
            )
            yield GaugeMetricFamily(
                "actae_approvals_oldest_pending_seconds",
                "How long the oldest operation has waited for somebody's approval; 0 if none waits.",
                value=count.oldest_seconds,
            )

    def _retention(self) -> Iterator[Metric]:
        last = self._counts.last_retention_sweep
        if last is not None:
            yield GaugeMetricFamily("actae_retention_policies", "Retention policies.", value=last.policies)
            yield GaugeMetricFamily(
                "actae_retention_last_sweep_timestamp_seconds",
                "When a sweep for retention last came to its end, as a Unix time; 0 if none has.",
                value=last.ended_at,
            )
