"""A worker is killed around its one effect: how often the provider is asked, and how often it charges.

Each line of the table is a moment of death, run once with a provider that honours idempotency keys and once
with one that does not. Where the charge repeats is where no ledger can help: the effect happened and its
only witness died. It is written down here as plainly as what does not repeat.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

from tests.crash.worker import IN_PROGRESS
from tests.support.postgres import Clock
from tests.support.provider import RunningProvider
from tests.support.proxy import Lost, Proxy, target_of, through
from tests.support.server import RunningServer

pytestmark = pytest.mark.crash

WORKER = Path(__file__).with_name("worker.py")
LEASE_SECONDS = 60

CLAIM = b"POST /api/v1/executions/claim"
CHARGE = b"POST /charges"
COMPLETE = b"/complete HTTP/1.1"


class Cell(NamedTuple):
    """Which message is lost when the worker dies, and what comes of it."""

    at: Literal["ledger", "provider"]
    lost: Lost
    message: bytes
    requests: int  # that reached the provider, over all lives of the worker
    charges_if_forgetful: int  # a provider that honours the key charges once, always
    attempts: int
    log: list[str]


STARTED, COMPLETED, REPLAYED = "tool.started", "tool.completed", "tool.replayed"
CELLS = {
    "before the claim is sent": Cell("ledger", "request", CLAIM, 1, 1, 1, [STARTED, COMPLETED]),
    "the claim is committed, its reply lost": Cell(
        "ledger", "reply", CLAIM, 1, 1, 2, [STARTED, STARTED, COMPLETED]
    ),
    "during the effect, before it reached the provider": Cell(
        "provider", "request", CHARGE, 1, 1, 2, [STARTED, STARTED, COMPLETED]
    ),
    "during the effect, after the provider charged": Cell(
        "provider", "reply", CHARGE, 2, 2, 2, [STARTED, STARTED, COMPLETED]
    ),
    "after the effect": Cell("ledger", "request", COMPLETE, 2, 2, 2, [STARTED, STARTED, COMPLETED]),
    "complete is committed, its reply lost": Cell(
        "ledger", "reply", COMPLETE, 1, 1, 1, [STARTED, COMPLETED, REPLAYED]
    ),
}


class Scene:
    """One order; a ledger and a provider; and workers that come one after the other."""

    def __init__(self, server: RunningServer, provider: RunningProvider, order_id: str) -> None:
        self.server = server
        self.provider = provider
        self.order_id = order_id

    def start_worker(self, *, ledger_url: str = "", provider_url: str = "") -> subprocess.Popen[str]:
        """A new process, which knows nothing of its predecessors."""
        return subprocess.Popen(
            [sys.executable, str(WORKER), self.order_id, provider_url or self.provider.url],
            env={"ACTAE_URL": ledger_url or self.server.url, "ACTAE_API_KEY": self.server.api_key},
            stdout=subprocess.PIPE,
            text=True,
        )

    def run_worker(self, **by_way_of: str) -> tuple[int, str]:
        """Exit code and charge id of a worker that is left alone."""
        worker = self.start_worker(**by_way_of)
        output, _ = worker.communicate(timeout=60)
        return worker.returncode, output.strip()

    def die_at(self, cell: Cell) -> None:
        """Run a worker until its message is lost, and kill it there."""
        with Proxy(target_of(self.server.url)) as ledger, Proxy(target_of(self.provider.url)) as provider:
            loss = {"ledger": ledger, "provider": provider}[cell.at].lose(cell.lost, cell.message)
            with self.start_worker(
                ledger_url=through(ledger, self.server.url), provider_url=through(provider, self.provider.url)
            ) as worker:
                loss.wait()
                worker.kill()

    def log(self) -> list[str]:
        """The types of the channel's events."""
        events = self.server.get(f"/events/replay/{self.order_id}").body["events"]
        return [event["type"] for event in events]

    def execution(self) -> dict[str, object]:
        """The one row of the ledger."""
        [execution] = self.server.get(f"/executions?channel_id={self.order_id}").body["executions"]
        return dict(execution)


@pytest.fixture(scope="module", params=[True, False], ids=["key honoured", "key ignored"])
def provider(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningProvider]:
    """Charges once per idempotency key, or each time it is asked."""
    with RunningProvider(tmp_path_factory.mktemp("provider"), honours_keys=request.param) as running:
        yield running


@pytest.fixture
def scene(server: RunningServer, provider: RunningProvider, channel: str) -> Scene:
    """An order that nobody has charged for yet."""
    return Scene(server, provider, channel)


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_a_worker_is_killed_and_its_successor_finishes(scene: Scene, server_clock: Clock, cell: Cell) -> None:
    """Nobody runs the effect while the dead worker's lease is live; who comes later does what is left."""
    scene.die_at(cell)
    code, charge_id = scene.run_worker()
    if cell.attempts == 2:
        assert code == IN_PROGRESS
        server_clock.advance(LEASE_SECONDS + 1)
        code, charge_id = scene.run_worker()
    assert code == 0

    charges = scene.provider.charges_for(scene.order_id)
    assert scene.provider.requests_for(scene.order_id) == cell.requests
    assert len(charges) == (1 if scene.provider.honours_keys else cell.charges_if_forgetful)
    assert charge_id == charges[-1]
    assert scene.log() == cell.log
    execution = scene.execution()
    assert (execution["status"], execution["attempts"]) == ("completed", cell.attempts)
    assert execution["result"] == charge_id


@pytest.mark.parametrize("lost", ["request", "reply"])
@pytest.mark.parametrize("message", [CLAIM, COMPLETE], ids=["claim", "complete"])
def test_a_worker_survives_a_lost_message(scene: Scene, message: bytes, lost: Lost) -> None:
    """It asks again as the same attempt, with the same token: one effect, one attempt, no trace."""
    with Proxy(target_of(scene.server.url)) as ledger:
        loss = ledger.lose(lost, message, then="cut")
        code, charge_id = scene.run_worker(ledger_url=through(ledger, scene.server.url))
        loss.wait()
    assert code == 0
    assert scene.provider.requests_for(scene.order_id) == 1
    assert scene.provider.charges_for(scene.order_id) == [charge_id]
    assert scene.log() == [STARTED, COMPLETED]
    assert (scene.execution()["attempts"], scene.execution()["result"]) == (1, charge_id)


def test_a_finished_effect_is_replayed_to_everybody_who_comes_later(scene: Scene) -> None:
    """The provider does not hear of them; the first replay leaves a mark, the others none."""
    runs = [scene.run_worker() for _ in range(3)]
    assert runs == [(0, scene.provider.charges_for(scene.order_id)[0])] * 3
    assert scene.provider.requests_for(scene.order_id) == 1
    assert scene.log() == [STARTED, COMPLETED, REPLAYED]
