"""What the first page shows is so."""

import re
from typing import Any

import pytest

from actae.demo.cast import CELLS
from actae.demo.console_tables import MEMORIES, PROVIDERS
from actae_client import IdempotencyKeyMismatchError
from tests.support.page_programs import AnyProvider, run_block
from tests.support.pages import ROOT, blocks
from tests.support.server import RunningServer, new_channel

README = ROOT / "README.md"
SNIPPET, SHORTER = blocks(README, "python")


class Customer:
    """Counts how often they were charged."""

    def __init__(self) -> None:
        self.charges: list[str] = []

    async def charge(self, params: dict[str, Any]) -> dict[str, Any]:
        """The coroutine that the page calls."""
        self.charges.append(params["order_id"])
        return {"charge_id": f"ch_{len(self.charges)}"}


async def test_the_snippet_charges_once_however_often_it_runs(server: RunningServer) -> None:
    """As it stands on the page."""
    customer = Customer()
    names: dict[str, Any] = {"charge_customer": customer.charge}
    channels = {"run-7f2a": new_channel()}
    results = []
    for _ in range(3):
        await run_block(SNIPPET, names, channels=channels, url=server.url)
        results.append(names["result"])
    assert customer.charges == ["4471"]
    assert results == [{"charge_id": "ch_1"}] * 3


async def test_the_snippet_is_refused_for_another_order_under_its_key(server: RunningServer) -> None:
    """The page says so."""
    customer = Customer()
    names: dict[str, Any] = {"charge_customer": customer.charge}
    channels = {"run-7f2a": new_channel()}
    await run_block(SNIPPET, names, channels=channels, url=server.url)
    other = SNIPPET._replace(text=SNIPPET.text.replace('"order_id": "4471"', '"order_id": "4472"'))
    with pytest.raises(IdempotencyKeyMismatchError):
        await run_block(other, names, channels=channels, url=server.url)
    assert customer.charges == ["4471"]


async def test_the_shorter_version_replays_too(server: RunningServer) -> None:
    """Run twice, it gives the first result twice."""
    names: dict[str, Any] = {"provider": AnyProvider()}
    channels = {"run-7f2a": new_channel()}
    await run_block(SHORTER, names, channels=channels, url=server.url)
    first = names["result"]
    await run_block(SHORTER, names, channels=channels, url=server.url)
    assert names["result"] == first


def test_the_demo_shown_ends_as_the_demo_ends() -> None:
    """Row by row: who remembers how, at which provider, and how often the customer paid."""
    [shown] = [block.text for block in blocks(README, "console") if "SIGKILL" in block.text]
    rows = [line for line in shown.splitlines() if "SIGKILL" in line]
    expected = [(MEMORIES[cell.strategy], PROVIDERS[cell.keys], cell.charges_expected) for cell in CELLS]
    assert len(rows) == len(expected)
    for row, (memory, provider, counted) in zip(rows, expected, strict=True):
        assert re.fullmatch(rf"\s*{memory}\s+{provider}\s.*\s{counted}", row), row


@pytest.mark.parametrize(
    ("method", "path", "answer"),
    [
        ("GET", "/groups", (404, "not_found")),
        ("GET", "/execution-groups", (404, "not_found")),
        ("GET", "/scheduler/wakeups", (404, "not_found")),
    ],
)
def test_what_is_not_in_this_version_has_no_route(
    server: RunningServer, method: str, path: str, answer: tuple[int, str]
) -> None:
    """The page promises no more than there is."""
    reply = server.request(method, f"/api/v1{path}", {} if method == "POST" else None)
    assert (reply.status, reply.body["status"]) == answer
