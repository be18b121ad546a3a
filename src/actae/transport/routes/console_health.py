"""How the server has been for an hour, and what somebody should look at: for the console's page about it."""

from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from actae import __version__
from actae.operations.attention import Attention
from actae.operations.storage import DatabaseSize
from actae.transport.history import INTERVAL_SECONDS, Series
from actae.transport.route import Asked, Route
from actae.transport.services import Services


class TableBytes(msgspec.Struct, frozen=True):
    """A table with its indexes."""

    name: str
    bytes: int
    rows: Annotated[int | None, Meta(description="An estimate, if there is one yet.")]


class Sizes(msgspec.Struct, frozen=True):
    """What takes room, the largest table first."""

    database_bytes: int
    tables: list[TableBytes]


class ServerFacts(msgspec.Struct, frozen=True):
    """Who answers."""

    version: str
    instance_id: str
    uptime_seconds: int
    workers: int


class ConsoleHealthReply(msgspec.Struct, frozen=True):
    """The last hour, over all workers of the server."""

    at: datetime
    interval_seconds: int
    series: Series
    attention: Annotated[list[Attention], Meta(description="The most urgent first; empty when all is well.")]
    sizes: Annotated[
        Sizes | None,
        Meta(
            description="Null for who does not administer all channels, and where the database did not tell."
        ),
    ]
    server: ServerFacts


async def get_health(services: Services, asked: Asked) -> ConsoleHealthReply:
    """Rates, durations and levels of the last hour, and what needs somebody's attention.

    Anybody with a credential may ask: it holds numbers, and no name of a channel.
    """
    monitor = services.monitor
    sizes = await monitor.sizes.get() if asked.caller.permissions.covers("admin", "*") else None
    return ConsoleHealthReply(
        at=datetime.now(UTC),
        interval_seconds=INTERVAL_SECONDS,
        series=monitor.history.series(),
        attention=await monitor.list_attention(),
        sizes=None if sizes is None else _show(sizes),
        server=ServerFacts(__version__, services.instance_id, monitor.uptime_seconds, monitor.workers),
    )


def _show(sizes: DatabaseSize) -> Sizes:
    tables = [
        TableBytes(each.name, each.table_bytes + each.index_bytes, each.rows_estimate)
        for each in sizes.tables
    ]
    return Sizes(sizes.database_bytes, tables)


ROUTES: tuple[Route, ...] = (
    Route(
        method="GET",
        path="/console/health",
        operation="console.health.get",
        summary="The last hour, and what needs attention",
        handler=get_health,
        reply=ConsoleHealthReply,
    ),
)
