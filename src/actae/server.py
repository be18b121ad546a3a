"""Builds everything and joins it up; the only place that does."""

import asyncio
import gc
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

import uvicorn

from actae.background.guards import forget_ended_windows
from actae.background.hints import keep_hinting
from actae.background.postgres import keep_running
from actae.background.retention import forget_what_is_over
from actae.background.wakeups import fire_due_wakeups
from actae.embedded import EmbeddedPostgres
from actae.observations import Observations, ServerStarted, ServerStopping
from actae.operations.api_keys import ensure_first_key
from actae.operations.runs import RunList
from actae.operations.tail import DatabaseLog, Tail
from actae.operations.writer import Bounds, Writer
from actae.settings import DEV_API_KEY, Settings
from actae.store.database import Database
from actae.store.instance import check_same_instance, load_instance
from actae.store.migrations import migrate
from actae.transport.app import App
from actae.transport.auth import Authenticator
from actae.transport.corking import CorkedHttp
from actae.transport.counting import Application, counting_facts, counting_requests, counting_responses
from actae.transport.history import keep_remembered
from actae.transport.listening import url_of
from actae.transport.live.readers import Readers
from actae.transport.monitor import Monitor
from actae.transport.open_files import allow_many_open_files
from actae.transport.rate_limits import RateLimiter
from actae.transport.ready import Ready
from actae.transport.routes.all import SERVED
from actae.transport.routes.console import NOWHERE
from actae.transport.sampling import keep_sampled
from actae.transport.services import Services
from actae.transport.tally import Share, Tally
from actae.transport.web_socket import PoliteWebSocket

_GRACE_SECONDS = 30
_PING_SECONDS = 15
_ENVELOPE_BYTES = 4_096  # what a WebSocket message needs around its payload


async def serve(
    settings: Settings,
    listener: socket.socket,
    dsn: str,
    *,
    observe: Observations,
    embedded: EmbeddedPostgres | None = None,
    share: Share | None = None,
    on_ready: Callable[[Ready], None],
) -> None:
    """Serve until SIGTERM or SIGINT, then finish what was accepted.

    `share` is where several workers of one server count together.

    Raises:
        MigrationError, SettingsError, UnavailableError: the database cannot be used.
    """
    allow_many_open_files()
    direct = settings.listen_url or dsn
    await migrate(direct)
    tally = Tally((route.operation for route in SERVED), share)
    observe.subscribe(counting_facts(tally))
    async with (
        _services(settings, url_of(listener), dsn, observe, tally) as services,
        AsyncExitStack() as background,
    ):
        first_key = DEV_API_KEY if settings.dev else await ensure_first_key(services.db)
        app = App(services, counting_requests(SERVED, tally), NOWHERE)
        if share is not None:
            await background.enter_async_context(keep_sampled(services.monitor.sampler))
        await background.enter_async_context(keep_remembered(services.monitor.history))
        if embedded is not None:
            await background.enter_async_context(keep_running(embedded, observe))
        hinting = keep_hinting(
            services.tail,
            services.db,
            direct,
            observe,
            poll_seconds=settings.stream_poll_seconds,
            on_access=services.authenticator.forget,
        )
        await background.enter_async_context(hinting)
        await background.enter_async_context(fire_due_wakeups(services.db, settings, observe))
        await background.enter_async_context(forget_what_is_over(services.db, settings, observe))
        await background.enter_async_context(forget_ended_windows(services.db, observe))
        server = _Server(counting_responses(app, tally), settings, services.stopping)
        _settle_garbage()
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        await server.accepting(serving)
        observe(ServerStarted(services.url, "embedded" if embedded else "external"))
        on_ready(
            Ready(
                url=services.url,
                api_key=first_key,
                database_url=dsn,
                data_dir=None if embedded is None else str(embedded.data_dir),
                pid=os.getpid(),
            )
        )
        await serving
        observe(ServerStopping(services.writer.waiting))


@asynccontextmanager
async def _services(
    settings: Settings, url: str, dsn: str, observe: Observations, tally: Tally
) -> AsyncIterator[Services]:
    db = await Database.connect(
        dsn,
        connections_max=settings.pool_connections_max,
        read_timeout_seconds=settings.read_timeout_seconds,
        through_pooler=settings.listen_url is not None,
    )
    try:
        if settings.listen_url is not None:
            await check_same_instance(db, settings.listen_url)
        instance = await load_instance(db)
        bounds = Bounds(
            settings.batch_asks_max,
            settings.batch_bytes_max,
            settings.queue_asks_max,
            settings.queue_bytes_max,
            settings.batch_one_channel,
        )
        tail = Tail(DatabaseLog(db), observe)
        db.on_committed = tail.committed
        writer = Writer(
            settings.listen_url or dsn, lanes=settings.lanes, bounds=bounds, observe=observe, tell=tail.told
        )
        await writer.start()
        try:
            limit = settings.rate_limit_per_second
            yield Services(
                settings=settings,
                db=db,
                writer=writer,
                authenticator=Authenticator(db, settings, instance.secret),
                rate_limiter=RateLimiter(limit) if limit > 0 else None,
                observe=observe,
                monitor=Monitor(settings, db, writer, tail, tally, instance.instance_id),
                tail=tail,
                runs=RunList(db),
                readers=Readers(tally, settings.stream_connections_max),
                stopping=asyncio.Event(),
                instance_id=instance.instance_id,
                secret=instance.secret,
                started_at=instance.now,
                url=url,
            )
        finally:
            await writer.stop()
    finally:
        await db.close()


class _Server(uvicorn.Server):
    """uvicorn, stopped by us: its own handling would end the process before anything is put away."""

    def __init__(self, app: Application, settings: Settings, stopping: asyncio.Event) -> None:
        self._stopping = stopping
        super().__init__(
            uvicorn.Config(
                app,
                interface="asgi3",
                loop="none",
                http=CorkedHttp,
                ws=PoliteWebSocket,
                ws_max_size=settings.body_bytes_max + _ENVELOPE_BYTES,
                ws_per_message_deflate=False,
                ws_ping_interval=_PING_SECONDS,
                ws_ping_timeout=_PING_SECONDS,
                lifespan="off",
                access_log=False,
                log_config=None,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                timeout_keep_alive=75,
                timeout_graceful_shutdown=_GRACE_SECONDS,
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Both signals ask for the same clean end; a second one does not hurry it."""
        loop = asyncio.get_running_loop()
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(each, self._leave)
        yield

    def _leave(self) -> None:
        self.should_exit = True
        self._stopping.set()

    async def accepting(self, serving: asyncio.Task[None]) -> None:
        """Return when requests are accepted."""
        while not self.started:
            if serving.done():
                await serving
                raise RuntimeError("the HTTP server ended before it began")
            await asyncio.sleep(0.001)


def _settle_garbage() -> None:
    """What was made at start-up stays: leave it out of every collection, and collect rarely."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
