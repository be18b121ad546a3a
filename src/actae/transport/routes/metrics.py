"""The server's numbers, for machines that keep them. Open, or for holders of a key: a setting decides."""

from datetime import UTC, datetime
from typing import Literal

import msgspec

from actae.domain.errors import UnauthorizedError
from actae.transport.endpoint import Text
from actae.transport.monitor import METRICS_CONTENT_TYPE
from actae.transport.route import Asked, Route
from actae.transport.services import Services


class BackPressure(msgspec.Struct):
    """Live readers, and what is held for them."""

    total_consumers: int
    slow_consumers: int
    total_queued_messages: int


class LiveCounts(msgspec.Struct):
    """The live connections."""

    connections: int
    topics: int
    messages_sent: int
    messages_received: int
    total_messages: int
    back_pressure: BackPressure


class MetricsReply(msgspec.Struct):
    """Counts of the live connections; everything else is in /metrics."""

    status: Literal["ok"]
    timestamp: datetime
    uptime_seconds: int
    websocket: LiveCounts


async def get_metrics_text(services: Services, asked: Asked) -> Text:
    """Every number, in Prometheus's text format.

    Raises:
        UnauthorizedError: a key is asked for, and there is no good one.
    """
    await _check_access(services, asked)
    return Text(await services.monitor.metrics_text(), METRICS_CONTENT_TYPE)


async def get_metrics_json(services: Services, asked: Asked) -> MetricsReply:
    """Counts of the live connections.

    Raises:
        UnauthorizedError: a key is asked for, and there is no good one.
    """
    await _check_access(services, asked)
    services.monitor.sampler.sample()
    total = services.monitor.tally.total
    sent, received = total("websocket_messages_sent"), total("websocket_messages_received")
    live = LiveCounts(
        connections=total("websocket_connections"),
        topics=total("websocket_topics"),
        messages_sent=sent,
        messages_received=received,
        total_messages=sent + received,
        back_pressure=BackPressure(
            total_consumers=total("websocket_consumers"),
            slow_consumers=total("websocket_slow_consumers"),
            total_queued_messages=total("websocket_queued_messages"),
        ),
    )
    return MetricsReply("ok", datetime.now(UTC), services.monitor.uptime_seconds, live)


async def _check_access(services: Services, asked: Asked) -> None:
    if not services.settings.metrics_public:
        await services.authenticator.identify(asked.headers)


ROUTES = (
    Route(
        method="GET",
        prefix="",
        path="/metrics",
        operation="metrics.text",
        summary="Every number, in Prometheus's text format",
        handler=get_metrics_text,
        reply=Text,
        errors=(UnauthorizedError,),
        auth="none",
    ),
    Route(
        method="GET",
        prefix="",
        path="/metrics.json",
        operation="metrics.json",
        summary="Counts of the live connections",
        handler=get_metrics_json,
        reply=MetricsReply,
        errors=(UnauthorizedError,),
        auth="none",
    ),
)
