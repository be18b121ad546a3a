"""How the server is, as machines that watch it are told."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actae.embedded import EmbeddedPostgres
from actae.operations.probe import Probe
from actae.settings import Settings
from actae.store.database import Database
from actae_client import SyncActaeClient
from tests.support.rival import rival_of
from tests.support.server import RunningServer
from tests.support.waiting import until, until_async


def test_a_healthy_server_says_so_without_a_key(server: RunningServer) -> None:
    """Overall and for each part, every part an object."""
    reply = server.request("GET", "/healthz", api_key=None)
    assert reply.status == 200
    assert reply.body["status"] == "ok"
    assert set(reply.body) == {"status", "timestamp", "instance_id", "check_duration_ms", "components"}
    assert {name: part["status"] for name, part in reply.body["components"].items()} == {
        "database": "ok",
        "connections": "ok",
        "system": "ok",
    }
    assert type(reply.body["check_duration_ms"]) is int


def test_a_ready_server_says_so_without_a_key(server: RunningServer) -> None:
    """With the checks that made it say so."""
    reply = server.request("GET", "/readyz", api_key=None)
    assert reply.status == 200
    assert reply.body["status"] == "ready"
    checks = reply.body["readiness_checks"]
    assert checks["database_ready"] is True
    assert checks["capacity_available"] is True
    assert 0 <= checks["connection_utilization"] <= 1
    assert 0 <= checks["active_connections"] <= checks["max_connections"]
    assert type(checks["uptime_seconds"]) is int


def test_the_client_reads_what_the_server_says(server: RunningServer) -> None:
    """Health, readiness and both kinds of metrics."""
    with SyncActaeClient(endpoint=server.url, api_key=server.api_key) as client:
        assert client.health_check().components["database"].status == "ok"
        assert client.readiness_check().database_ready is True
        assert "actae_info" in client.get_metrics_text()
        assert client.get_metrics_json().total_messages >= 0


def test_a_server_without_its_database_is_unavailable_until_it_is_back(
    start_server: Callable[..., RunningServer], tmp_path: Path
) -> None:
    """503 with the parts and the checks; then 200 again, by itself."""
    with EmbeddedPostgres(tmp_path / "data") as postgres:
        server = start_server(postgres.dsn)
        postgres.stop()
        for path, told in (("/healthz", "components"), ("/readyz", "readiness_checks")):
            reply = server.request("GET", path, api_key=None)
            assert (reply.status, reply.body["status"], reply.body["retryable"]) == (503, "unavailable", True)
            assert told in reply.body
        assert reply.body["readiness_checks"]["database_ready"] is False
        postgres.start()
        until(lambda: server.request("GET", "/readyz", api_key=None).status == 200)
        assert server.request("GET", "/healthz", api_key=None).body["status"] == "ok"


async def test_a_server_that_takes_no_more_writes_is_degraded(
    start_server: Callable[..., RunningServer], database_url: str
) -> None:
    """It still answers, so it is a 200; and ready again once the queue is shorter."""
    server = start_server(environment={"ACTAE_QUEUE_ASKS_MAX": "1"})
    assert server.record("run-1").status == 200
    with ThreadPoolExecutor(2) as threads:
        async with rival_of(database_url) as rival:
            async with rival.holding("run-1"):
                first = threads.submit(server.record, "run-1")
                await rival.until_somebody_waits()
                second = threads.submit(server.record, "run-1")
                await until_async(lambda: readiness(server) == "degraded")
                health = server.request("GET", "/healthz", api_key=None)
                assert (health.status, health.body["status"]) == (200, "degraded")
                assert health.body["components"]["system"]["writes_waiting"] == 1
            assert [first.result().status, second.result().status] == [200, 200]
    await until_async(lambda: readiness(server) == "ready")


async def test_a_server_whose_writes_get_no_answer_is_not_ready(
    start_server: Callable[..., RunningServer], database_url: str
) -> None:
    """Reads are answered, and would hide it. It lives, so that nobody kills it for what the database does."""
    server = start_server()
    assert server.record("run-1").status == 200
    with ThreadPoolExecutor(1) as threads:
        async with rival_of(database_url) as rival:
            async with rival.holding("run-1"):
                waiting = threads.submit(server.record, "run-1")
                await rival.until_somebody_waits()
                await until_async(lambda: server.request("GET", "/readyz", api_key=None).status == 503)
                refused = server.request("GET", "/readyz", api_key=None)
                assert "has not answered a write" in refused.body["error"]
                assert refused.body["readiness_checks"]["database_ready"] is False
                health = server.request("GET", "/healthz", api_key=None)
                assert (health.status, health.body["components"]["system"]["status"]) == (200, "degraded")
            assert waiting.result().status == 200
    assert readiness(server) == "ready"


def readiness(server: RunningServer) -> str:
    """The status word, of a 200."""
    reply = server.request("GET", "/readyz", api_key=None)
    assert reply.status == 200
    return str(reply.body["status"])


@pytest.fixture
def settings() -> Settings:
    """Short patience."""
    return Settings(read_timeout_seconds=0.2)


async def test_a_full_pool_is_degraded_and_not_down(database_url: str, settings: Settings) -> None:
    """Nobody could ask the database, so nothing bad is said of it."""
    db = await Database.connect(database_url, connections_max=1, read_timeout_seconds=15)
    try:
        async with db.transaction():
            finding = await Probe(db, settings).look()
            assert (finding.database, finding.connections) == ("degraded", "degraded")
        finding = await Probe(db, settings).look()
        assert (finding.database, finding.connections, finding.trouble) == ("ok", "ok", None)
    finally:
        await db.close()


async def test_all_who_ask_at_the_same_time_share_one_look(db: Database, settings: Settings) -> None:
    """However many ask, the database is asked once; one who goes away takes nothing from the others."""
    probe = Probe(db, settings)
    impatient = asyncio.create_task(probe.look())
    await asyncio.sleep(0)
    impatient.cancel()
    findings = await asyncio.gather(*(probe.look() for _ in range(50)))
    assert len({id(finding) for finding in findings}) == 1
