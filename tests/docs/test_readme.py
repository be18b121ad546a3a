"""What the first page shows is so."""

import re
from typing import Any

import pytest

from actae.demo.cast import CELLS
from actae.demo.console_tables import MEMORIES, PROVIDERS
from actae_client import IdempotencyKeyMismatchError, ToolExecutionInProgressError
from tests.support.page_programs import run_block
from tests.support.pages import ROOT, Block, blocks
from tests.support.server import RunningServer, new_channel

README = ROOT / "README.md"
DECORATED, BY_HAND = blocks(README, "python")
BOTH_ORDERS = pytest.mark.parametrize(
    ("first", "second"),
    [(DECORATED, BY_HAND), (BY_HAND, DECORATED)],
    ids=["the decorator first", "by hand first"],
)


class Provider:
    """Counts how often somebody is charged, and under which keys it was asked."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    async def charge(self, order_id: str, amount_cents: int, idempotency_key: str) -> dict[str, Any]:
        """The coroutine that the page calls."""
        self.keys.append(idempotency_key)
        return {"charge_id": f"ch_{len(self.keys)}", "order_id": order_id, "amount_cents": amount_cents}


class HangsUpOnce(Provider):
    """Charges, and is not heard the first time."""

    async def charge(self, order_id: str, amount_cents: int, idempotency_key: str) -> dict[str, Any]:
        """As above."""
        charge = await super().charge(order_id, amount_cents, idempotency_key)
        if len(self.keys) == 1:
            raise ConnectionError("the line went dead")
        return charge


class GivesWhatIsNotJson(Provider):
    """Charges, and answers what the client cannot send on."""

    async def charge(self, order_id: str, amount_cents: int, idempotency_key: str) -> dict[str, Any]:
        """As above."""
        charge = await super().charge(order_id, amount_cents, idempotency_key)
        return {**charge, "connection": object()}


class Reader:
    """Pastes blocks of the page, all into one channel of their own."""

    def __init__(self, server: RunningServer, provider: Provider) -> None:
        self.provider = provider
        self.channel = new_channel()
        self._server = server

    async def run(self, block: Block) -> Any:
        """The result that a block ends with."""
        names: dict[str, Any] = {"provider": self.provider}
        await run_block(block, names, channels={"run-7f2a": self.channel}, url=self._server.url)
        return names["result"]


@pytest.mark.parametrize("block", [DECORATED, BY_HAND], ids=["the decorator", "by hand"])
async def test_a_snippet_charges_once_however_often_it_runs(server: RunningServer, block: Block) -> None:
    """As it stands on the page."""
    reader = Reader(server, Provider())
    results = [await reader.run(block) for _ in range(3)]
    assert len(reader.provider.keys) == 1
    assert results == [{"charge_id": "ch_1", "order_id": "4471", "amount_cents": 4200}] * 3


@BOTH_ORDERS
async def test_either_snippet_replays_what_the_other_recorded(
    server: RunningServer, first: Block, second: Block
) -> None:
    """Same channel, same key, same input: one operation."""
    reader = Reader(server, Provider())
    assert await reader.run(first) == await reader.run(second)
    assert len(reader.provider.keys) == 1


@BOTH_ORDERS
async def test_either_snippet_goes_on_under_the_key_that_the_other_sent(
    server: RunningServer, first: Block, second: Block
) -> None:
    """So that a provider which honours keys charges once."""
    reader = Reader(server, HangsUpOnce())
    with pytest.raises(ConnectionError):
        await reader.run(first)
    await reader.run(second)
    assert len(reader.provider.keys) == 2
    assert len(set(reader.provider.keys)) == 1


@pytest.mark.parametrize("block", [DECORATED, BY_HAND], ids=["the decorator", "by hand"])
async def test_a_snippet_is_refused_for_another_amount_under_its_key(
    server: RunningServer, block: Block
) -> None:
    """The page says so."""
    reader = Reader(server, Provider())
    await reader.run(block)
    with pytest.raises(IdempotencyKeyMismatchError):
        await reader.run(block._replace(text=block.text.replace("4200", "9900")))
    assert len(reader.provider.keys) == 1


@pytest.mark.parametrize("block", [DECORATED, BY_HAND], ids=["the decorator", "by hand"])
async def test_a_snippet_does_not_charge_beside_an_owner(server: RunningServer, block: Block) -> None:
    """Whoever holds the key has the charge to itself."""
    reader = Reader(server, Provider())
    params = {"order_id": "4471", "amount_cents": 4200}
    held = server.claim(
        reader.channel,
        "charge_customer:order-4471",
        tool_name="charge_customer",
        params=params,
        dedup_fields=[*params],
    )
    assert held.body["status"] == "claimed"
    with pytest.raises((RuntimeError, ToolExecutionInProgressError)):
        await reader.run(block)
    assert reader.provider.keys == []


async def test_a_charge_that_could_not_be_recorded_is_not_failed(server: RunningServer) -> None:
    """By hand: its key stays taken until the lease ends, and nobody is told that it may be had."""
    reader = Reader(server, GivesWhatIsNotJson())
    with pytest.raises(TypeError):
        await reader.run(BY_HAND)
    [execution] = server.get(f"/executions?channel_id={reader.channel}").body["executions"]
    assert execution["status"] == "running"


def test_the_demo_shown_ends_as_the_demo_ends() -> None:
    """Row by row: who remembers how, at which provider, and how often the customer paid."""
    [shown] = [block.text for block in blocks(README, "console") if "SIGKILL" in block.text]
    rows = [line for line in shown.splitlines() if "SIGKILL" in line]
    expected = [(MEMORIES[cell.strategy], PROVIDERS[cell.keys], cell.charges_expected) for cell in CELLS]
    assert len(rows) == len(expected)
    for row, (memory, provider, counted) in zip(rows, expected, strict=True):
        assert re.fullmatch(rf"\s*{memory}\s+{provider}\s.*\s{counted}", row), row
