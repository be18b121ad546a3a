"""A worker is killed around its one effect, and no successor charges on a guess.

The provider knows no idempotency keys. Where it can be asked, the next worker asks it and goes on. Where it
is blind, the next worker stops, and a person who has looked at the provider's books says what happened. One
charge, wherever the death was.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import pytest
import urllib3

from actae_client import OutcomeUnknownError, SyncActaeClient
from tests.crash.reconciling_worker import charge_once
from tests.support.postgres import Clock
from tests.support.provider import RunningProvider
from tests.support.proxy import Lost, Proxy, target_of, through
from tests.support.server import RunningServer

pytestmark = pytest.mark.crash

WORKER = Path(__file__).with_name("reconciling_worker.py")
LEASE_SECONDS = 60

CLAIM = b"POST /api/v1/executions/claim"
MARK = b"/dispatched HTTP/1.1"
CHARGE = b"POST /charges"
COMPLETE = b"/complete HTTP/1.1"

Kind = Literal["queryable", "blind"]


class Cell(NamedTuple):
    """Which message is lost when the worker dies, and whether only the provider knows what happened then."""

    at: Literal["ledger", "provider"]
    lost: Lost
    message: bytes
    is_ambiguous: bool


CELLS = {
    "the claim is committed, its reply lost": Cell("ledger", "reply", CLAIM, False),
    "before the mark is committed": Cell("ledger", "request", MARK, False),
    "the mark is committed, its reply lost": Cell("ledger", "reply", MARK, True),
    "during the effect, before it reached the provider": Cell("provider", "request", CHARGE, True),
    "during the effect, after the provider charged": Cell("provider", "reply", CHARGE, True),
    "after the effect": Cell("ledger", "request", COMPLETE, True),
    "complete is committed, its reply lost": Cell("ledger", "reply", COMPLETE, False),
}


class Scene:
    """One order; a ledger and a provider; and workers that come one after the other."""

    def __init__(
        self,
        server: RunningServer,
        client: SyncActaeClient,
        provider: RunningProvider,
        order_id: str,
        kind: Kind,
    ) -> None:
        self.server = server
        self.client = client
        self.provider = provider
        self.order_id = order_id
        self.kind = kind

    def die_at(self, cell: Cell) -> None:
        """Run a worker until its message is lost, and kill it there."""
        with Proxy(target_of(self.server.url)) as ledger, Proxy(target_of(self.provider.url)) as provider:
            loss = {"ledger": ledger, "provider": provider}[cell.at].lose(cell.lost, cell.message)
            by_way_of = through(ledger, self.server.url), through(provider, self.provider.url)
            with subprocess.Popen(
                [sys.executable, str(WORKER), self.order_id, by_way_of[1], self.kind],
                env={"ACTAE_URL": by_way_of[0], "ACTAE_API_KEY": self.server.api_key},
            ) as worker:
                loss.wait()
                worker.kill()

    def charge_once(self, *, provider_url: str = "") -> str:
        """What a worker does that knows nothing of its predecessors."""
        return charge_once(self.client, self.order_id, provider_url or self.provider.url, self.kind)

    def resolve(self) -> None:
        """A person looks at the provider's books, and says what they found."""
        search = self.client.search_executions(status="ambiguous", field="order_id", value=self.order_id)
        (open_one,) = search
        found = self.provider.charges_for(self.order_id)
        outcome: Literal["applied", "not_applied"] = "applied" if found else "not_applied"
        self.client.resolve_execution(open_one.id, outcome, by="ada", result=found[0] if found else None)

    def goes_well(self) -> None:
        """The next worker has the one charge; the provider was asked for it once, and took the money once."""
        charge_id = self.charge_once()
        assert self.provider.charges_for(self.order_id) == [charge_id]
        assert self.provider.requests_for(self.order_id) == 1
        [execution] = self.client.list_executions(self.order_id)
        assert (execution.status, execution.result) == ("completed", charge_id)


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProvider]:
    """Charges each time it is asked."""
    with RunningProvider(tmp_path_factory.mktemp("provider"), honours_keys=False) as running:
        yield running


@pytest.fixture(params=["queryable", "blind"])
def scene(
    request: pytest.FixtureRequest, server: RunningServer, provider: RunningProvider, channel: str
) -> Iterator[Scene]:
    """An order that nobody has charged for yet."""
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        yield Scene(server, client, provider, channel, request.param)


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_a_worker_is_killed_and_the_customer_pays_once(scene: Scene, server_clock: Clock, cell: Cell) -> None:
    """Whoever comes later finds out, or stops and waits for somebody who does."""
    scene.die_at(cell)
    server_clock.advance(LEASE_SECONDS + 1)
    if cell.is_ambiguous and scene.kind == "blind":
        with pytest.raises(OutcomeUnknownError):
            scene.charge_once()
        scene.resolve()
    scene.goes_well()


@pytest.mark.parametrize("lost", ["request", "reply"])
def test_a_provider_that_drops_the_line_leaves_the_outcome_open(scene: Scene, lost: Lost) -> None:
    """The worker lives on and does not know; there is no lease to wait for."""
    with Proxy(target_of(scene.provider.url)) as proxy:
        loss = proxy.lose(lost, CHARGE, then="cut")
        with pytest.raises(urllib3.exceptions.HTTPError):
            scene.charge_once(provider_url=through(proxy, scene.provider.url))
        loss.wait()
    if scene.kind == "blind":
        with pytest.raises(OutcomeUnknownError):
            scene.charge_once()
        scene.resolve()
    scene.goes_well()
