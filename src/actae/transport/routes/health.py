"""How the server is, for machines that watch it: health and readiness.

A server that answers slowly still answers, so `degraded` is a 200. 503 says that nothing can be done here.
"""

import os
from datetime import UTC, datetime
from typing import Literal

import msgspec

from actae.domain.errors import UnavailableError
from actae.operations.probe import Condition, Finding
from actae.transport.route import Asked, Route
from actae.transport.sampling import resident_bytes
from actae.transport.services import Services

# Writes that take so long hardly come to an end: the line is silent, or somebody holds what they wait for.
_STUCK_SECONDS = 10


class DatabaseComponent(msgspec.Struct, omit_defaults=True):
    """Whether the database answers."""

    status: Condition
    response_ms: float
    trouble: str | None = None


class ConnectionsComponent(msgspec.Struct):
    """The pool that reads go through."""

    status: Condition
    active: int
    max: int


class SystemComponent(msgspec.Struct):
    """This process, and the writes that wait in it."""

    status: Condition
    uptime_seconds: int
    resident_bytes: int | None
    writes_waiting: int
    writes_waiting_max: int


class Components(msgspec.Struct):
    """The parts of a server."""

    database: DatabaseComponent
    connections: ConnectionsComponent
    system: SystemComponent


class HealthReply(msgspec.Struct):
    """How the server and its parts are."""

    status: Literal["ok", "degraded"]
    timestamp: datetime
    instance_id: str
    check_duration_ms: int
    components: Components


class ReadinessChecks(msgspec.Struct):
    """What has to be so before calls are welcome. `connection_utilization` is a fraction of 1."""

    database_ready: bool
    capacity_available: bool
    uptime_seconds: int
    connection_utilization: float
    active_connections: int
    max_connections: int


class ReadinessReply(msgspec.Struct):
    """Whether calls are welcome; `degraded` means that writes are refused until the queue is shorter."""

    status: Literal["ready", "degraded"]
    timestamp: datetime
    instance_id: str
    check_duration_ms: int
    readiness_checks: ReadinessChecks


async def get_health(services: Services, _asked: Asked) -> HealthReply:
    """How the server and its parts are.

    Raises:
        UnavailableError: the database is down; the components are in the details.
    """
    finding = await services.monitor.probe.look()
    components = _components(services, finding)
    if finding.database == "down":
        raise _unavailable(services, finding, components=msgspec.to_builtins(components))
    conditions = {components.database.status, components.connections.status, components.system.status}
    return HealthReply(
        "ok" if conditions == {"ok"} else "degraded",
        datetime.now(UTC),
        services.instance_id,
        _milliseconds(finding),
        components,
    )


async def get_readiness(services: Services, _asked: Asked) -> ReadinessReply:
    """Whether calls are welcome.

    Raises:
        UnavailableError: the database is down, or answers no writes; the checks are in the details.
    """
    finding = await services.monitor.probe.look()
    stuck_seconds = services.writer.busy_seconds
    if stuck_seconds >= _STUCK_SECONDS and finding.database != "down":
        trouble = f"It has not answered a write for {stuck_seconds:.0f} s."
        finding = msgspec.structs.replace(finding, database="down", trouble=trouble)
    checks = ReadinessChecks(
        database_ready=finding.database != "down",
        capacity_available=_has_capacity(services),
        uptime_seconds=services.monitor.uptime_seconds,
        connection_utilization=round(finding.pool.active / finding.pool.most, 3),
        active_connections=finding.pool.active,
        max_connections=finding.pool.most,
    )
    if not checks.database_ready:
        raise _unavailable(services, finding, readiness_checks=msgspec.to_builtins(checks))
    return ReadinessReply(
        "ready" if checks.capacity_available else "degraded",
        datetime.now(UTC),
        services.instance_id,
        _milliseconds(finding),
        checks,
    )


def _components(services: Services, finding: Finding) -> Components:
    is_writing = _has_capacity(services) and services.writer.busy_seconds < _STUCK_SECONDS
    writing: Condition = "ok" if is_writing else "degraded"
    return Components(
        DatabaseComponent(finding.database, round(finding.seconds * 1000, 1), finding.trouble),
        ConnectionsComponent(finding.connections, finding.pool.active, finding.pool.most),
        SystemComponent(
            writing,
            services.monitor.uptime_seconds,
            resident_bytes(os.getpid()),
            services.writer.waiting,
            _waiting_max(services),
        ),
    )


def _has_capacity(services: Services) -> bool:
    return services.writer.waiting < _waiting_max(services)


def _waiting_max(services: Services) -> int:
    return services.settings.queue_asks_max * services.settings.lanes


def _milliseconds(finding: Finding) -> int:
    return round(finding.seconds * 1000)


def _unavailable(services: Services, finding: Finding, **details: object) -> UnavailableError:
    return UnavailableError(
        f"The database does not answer. {finding.trouble or ''}".strip(),
        timestamp=datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        instance_id=services.instance_id,
        check_duration_ms=_milliseconds(finding),
        **details,
    )


ROUTES = (
    Route(
        method="GET",
        prefix="",
        path="/healthz",
        operation="health",
        summary="How the server and its parts are",
        handler=get_health,
        reply=HealthReply,
        errors=(UnavailableError,),
        auth="none",
    ),
    Route(
        method="GET",
        prefix="",
        path="/readyz",
        operation="readiness",
        summary="Whether calls are welcome",
        handler=get_readiness,
        reply=ReadinessReply,
        errors=(UnavailableError,),
        auth="none",
    ),
)
