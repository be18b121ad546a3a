"""A process is killed in the middle of an undo: another one goes on, and nothing is refunded twice.

The provider honours idempotency keys, and each compensation sends its own, the same at every attempt.
What was recorded before the death is not even asked for again.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

from actae.domain.executions import digest_key
from tests.support.postgres import Clock
from tests.support.provider import RunningProvider
from tests.support.proxy import Lost, Proxy, target_of, through
from tests.support.server import RunningServer

pytestmark = pytest.mark.crash

UNDOER = Path(__file__).with_name("undoer.py")
LEASE_SECONDS = 60
ORDERS = (1, 2, 3)

CLAIM = b"charge:2:undo"
REFUND = b"refund-%b"
COMPLETE = digest_key("charge:2:undo").encode() + b"/complete"


class Cell(NamedTuple):
    """Which message of the second of three compensations is lost when the process dies."""

    at: Literal["ledger", "provider"]
    lost: Lost
    message: bytes
    asks: int  # that reached the provider for this order, over both lives
    attempts: int


CELLS = {
    "before the claim is sent": Cell("ledger", "request", CLAIM, 1, 1),
    "the claim is committed, its reply lost": Cell("ledger", "reply", CLAIM, 1, 2),
    "before the refund reached the provider": Cell("provider", "request", REFUND, 1, 2),
    "after the provider refunded": Cell("provider", "reply", REFUND, 2, 2),
    "after the refund, before its record": Cell("ledger", "request", COMPLETE, 2, 2),
    "complete is committed, its reply lost": Cell("ledger", "reply", COMPLETE, 1, 1),
}
SHORT = {"after the provider refunded", "complete is committed, its reply lost"}


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProvider]:
    """Refunds once per idempotency key."""
    with RunningProvider(tmp_path_factory.mktemp("provider"), honours_keys=True) as running:
        yield running


def start(channel: str, ledger_url: str, provider_url: str, api_key: str) -> subprocess.Popen[str]:
    """A new process, which knows nothing of its predecessors."""
    return subprocess.Popen(
        [sys.executable, str(UNDOER), channel, provider_url],
        env={"ACTAE_URL": ledger_url, "ACTAE_API_KEY": api_key},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(cell, id=name, marks=() if name in SHORT else pytest.mark.slow)
        for name, cell in CELLS.items()
    ],
)
def test_an_undo_is_killed_and_another_one_goes_on(
    server: RunningServer, server_clock: Clock, provider: RunningProvider, channel: str, cell: Cell
) -> None:
    """In the same order; while the dead one's lease is live, nobody goes past what it was at."""
    charge(server, channel)
    message = cell.message.replace(b"%b", f"{channel}-2".encode())
    with Proxy(target_of(server.url)) as ledger, Proxy(target_of(provider.url)) as bank:
        loss = {"ledger": ledger, "provider": bank}[cell.at].lose(cell.lost, message)
        ways = through(ledger, server.url), through(bank, provider.url)
        with start(channel, *ways, server.api_key) as undoer:
            loss.wait()
            undoer.kill()

    def undo() -> Any:
        with start(channel, server.url, provider.url, server.api_key) as undoer:
            output, _ = undoer.communicate(timeout=60)
        assert undoer.returncode == 0
        return json.loads(output)

    report = undo()
    if cell.attempts == 2:
        assert report["undone"] == ["charge:3"]
        assert report["stays"] == [["charge:2", "undo_in_progress"], ["charge:1", "not_reached"]]
        server_clock.advance(LEASE_SECONDS + 1)
        report = undo()
    assert report == {"undone": ["charge:3", "charge:2", "charge:1"], "stays": []}

    refunds = {order: provider.charges_for(f"refund-{channel}-{order}") for order in ORDERS}
    assert [len(each) for each in refunds.values()] == [1, 1, 1]
    asks = [provider.requests_for(f"refund-{channel}-{order}") for order in ORDERS]
    assert asks == [1, cell.asks, 1]
    rows = server.get(f"/executions?channel_id={channel}").body["executions"]
    undos = {row["key_name"]: row for row in rows if row["tool_name"] == "charge:undo"}
    for order in ORDERS:
        row = undos[f"charge:{order}:undo"]
        assert (row["status"], [row["result"]]) == ("completed", refunds[order])
        assert row["attempts"] == (cell.attempts if order == 2 else 1)


def charge(server: RunningServer, channel: str) -> None:
    """Three charges, as some process recorded them."""
    for order in ORDERS:
        claim = server.claim(channel, f"charge:{order}", params={"cents": 100 * order}).body
        done = {"claim_token": claim["claim_token"], "result": f"{channel}-{order}"}
        assert server.post(f"/executions/{claim['execution']['id']}/complete", done).status == 200
