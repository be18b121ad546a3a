"""Effects that a person has to approve: asked once, run once, and by whichever process comes afterwards."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from actae_client import (
    Actae,
    ActaeClient,
    ApprovalMismatchError,
    ApprovalNotFoundError,
    ApprovalPendingError,
    ApprovalRejectedError,
    SyncActaeClient,
)
from actae_client.approvals import ApprovalDecision
from tests.support.server import RunningServer
from tests.support.waiting import until_true


class Shop:
    """An agent's tools, as they are defined anew by every process."""

    def __init__(self, actae: Actae) -> None:
        self.refunded: list[int] = []

        @actae.effect("refund:{ticket}", approval="Refund {cents} cents for {ticket}?")
        async def refund(ticket: str, cents: int) -> str:
            self.refunded.append(cents)
            return f"{cents} back"

        self.refund = refund


async def test_an_effect_asks_once_and_runs_once_it_is_approved(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """Until then it raises, with the request in its hands; the process may end meanwhile."""
    for _ in range(2):
        shop = Shop(actae)
        async with actae.run("r", channel_id=channel):
            with pytest.raises(ApprovalPendingError) as pending:
                await shop.refund("T-1", 4200)
        assert shop.refunded == []
    (asked,) = await client.list_approvals(channel_id=channel)
    assert (asked.request_id, asked.summary) == (
        pending.value.approval_request_id,
        "Refund 4200 cents for T-1?",
    )
    assert asked.operation == {
        "key_name": "refund:T-1",
        "tool_name": "refund",
        "params": {"ticket": "T-1", "cents": 4200},
    }
    await client.decide_approval(channel, asked.request_id, decision="approved", actor="ada")
    for _ in range(2):
        shop = Shop(actae)
        async with actae.run("r", channel_id=channel):
            assert await shop.refund("T-1", 4200) == "4200 back"
    assert shop.refunded == []


@pytest.mark.parametrize("answer", [None, "rejected"])
async def test_other_arguments_are_another_question(
    actae: Actae, client: ActaeClient, channel: str, answer: ApprovalDecision | None
) -> None:
    """Nobody has said yes to these. Then they are what counts."""
    shop = Shop(actae)
    async with actae.run("r", channel_id=channel):
        with pytest.raises(ApprovalPendingError) as first:
            await shop.refund("T-1", 4200)
        if answer is not None:
            await client.decide_approval(channel, request_of(first), decision=answer, actor="ada")
        with pytest.raises(ApprovalPendingError) as second:
            await shop.refund("T-1", 9900)
        with pytest.raises(ApprovalPendingError) as third:
            await shop.refund("T-1", 4200)
        assert len({request_of(each) for each in (first, second, third)}) == 3
        await client.decide_approval(channel, request_of(third), decision="approved", actor="ada")
        await shop.refund("T-1", 4200)
    assert shop.refunded == [4200]


async def test_a_call_with_other_arguments_does_not_take_a_yes_away(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """It is refused, and nobody is asked; what was approved may still be run, and nothing else."""

    @actae.effect("refund:{ticket}", approval="Refund {cents} cents?", dedup_fields=["ticket"])
    async def refund(ticket: str, cents: int) -> int:
        return cents

    async with actae.run("r", channel_id=channel):
        with pytest.raises(ApprovalPendingError) as asked:
            await refund("T-1", 4200)
        await client.decide_approval(channel, request_of(asked), decision="approved", actor="ada")
        with pytest.raises(ApprovalMismatchError) as refused:
            await refund("T-1", 990_000)
        assert refused.value.approval_status == "approved"
        assert await refund("T-1", 4200) == 4200
        assert await refund("T-1", 990_000) == 4200
    (found,) = await client.list_approvals(channel_id=channel)
    assert (found.status, found.approval_fields) == ("approved", None)


async def test_an_effect_may_leave_arguments_open(actae: Actae, client: ActaeClient, channel: str) -> None:
    """It says which of them the answer is about, and so does the question."""

    @actae.effect("refund:{ticket}", approval="Refund {cents} cents?", approval_fields=["ticket", "cents"])
    async def refund(ticket: str, cents: int, note: str) -> str:
        return note

    async with actae.run("r", channel_id=channel):
        with pytest.raises(ApprovalPendingError) as asked:
            await refund("T-1", 4200, "sorry")
        (found,) = await client.list_approvals(channel_id=channel)
        assert found.approval_fields == ["ticket", "cents"]
        await client.decide_approval(channel, request_of(asked), decision="approved", actor="ada")
        with pytest.raises(ApprovalMismatchError):
            await refund("T-1", 9900, "sorry")
        assert await refund("T-1", 4200, "so sorry") == "so sorry"


async def test_a_no_is_a_no(actae: Actae, client: ActaeClient, channel: str) -> None:
    """It is not asked again."""
    shop = Shop(actae)
    async with actae.run("r", channel_id=channel):
        with pytest.raises(ApprovalPendingError) as pending:
            await shop.refund("T-1", 4200)
        await client.decide_approval(channel, request_of(pending), decision="rejected", actor="ada")
        for _ in range(2):
            with pytest.raises(ApprovalRejectedError):
                await shop.refund("T-1", 4200)
    assert len(await client.list_approvals(channel_id=channel)) == 1


async def test_a_question_that_expired_is_asked_again(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """By the next call."""
    shop = Shop(actae)
    async with actae.run("r", channel_id=channel):
        with pytest.raises(ApprovalPendingError) as first:
            await shop.refund("T-1", 4200)
        assert await client.wait_for_approval(channel, request_of(first), timeout_seconds=0) is None
        with pytest.raises(ApprovalPendingError) as second:
            await shop.refund("T-1", 4200)
    assert request_of(first) != request_of(second)


async def test_an_effect_waits_as_long_as_it_is_told(actae: Actae, client: ActaeClient, channel: str) -> None:
    """For a person as for another owner."""

    @actae.effect("refund:{ticket}", approval=lambda ticket: f"Refund {ticket}?", wait_seconds=60)
    async def refund(ticket: str) -> str:
        return "back"

    async with actae.run("r", channel_id=channel):
        refunding = asyncio.create_task(refund("T-1"))

        async def is_asked() -> bool:
            return bool(await client.list_approvals(channel_id=channel, status="pending"))

        await until_true(is_asked)
        (asked,) = await client.list_approvals(channel_id=channel)
        assert asked.summary == "Refund T-1?"
        await client.decide_approval(channel, asked.request_id, decision="approved", actor="ada")
        assert await refunding == "back"


async def test_two_processes_ask_one_question(actae: Actae, client: ActaeClient, channel: str) -> None:
    """At the same moment, about the same call."""
    async with actae.run("r", channel_id=channel):
        found = await asyncio.gather(
            *(Shop(actae).refund("T-1", 4200) for _ in range(8)), return_exceptions=True
        )
    assert {type(each) for each in found} == {ApprovalPendingError}
    assert len(await client.list_approvals(channel_id=channel)) == 1


async def test_what_was_done_without_asking_is_replayed(actae: Actae, channel: str) -> None:
    """A result is a result; there is nothing left to approve."""

    @actae.effect("refund:{ticket}", name="refund")
    async def unasked(ticket: str, cents: int) -> str:
        return f"{cents} back"

    async with actae.run("r", channel_id=channel):
        await unasked("T-1", 4200)
        assert await Shop(actae).refund("T-1", 4200) == "4200 back"


def test_a_blocking_client_asks_too(server: RunningServer, channel: str) -> None:
    """Through the same background loop as every effect."""
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        actae = Actae(client)

        @actae.effect("refund:{ticket}", approval="Refund {ticket}?")
        def refund(ticket: str) -> str:
            return "back"

        with actae.run_sync("r", channel_id=channel):
            with pytest.raises(ApprovalPendingError) as pending:
                refund("T-1")
            client.decide_approval(channel, request_of(pending), decision="approved", actor="ada")
            assert refund("T-1") == "back"


async def test_the_executor_takes_the_question_as_it_is(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """Braces and all. Without one, nobody is asked, and what others were asked is heeded."""
    async with actae.run("r", channel_id=channel) as run:
        with pytest.raises(ApprovalPendingError):
            await run.effect("k", "tool", {"a": 1}, lambda: 1, approval="Really {a}?")
        with pytest.raises(ApprovalPendingError):
            await run.effect("k", "tool", {"a": 1}, lambda: 1)
        assert await run.effect("other", "tool", {"a": 1}, lambda: 1) == 1
    (asked,) = await client.list_approvals(channel_id=channel)
    assert asked.summary == "Really {a}?"


@pytest.mark.parametrize(("approval", "kind"), [(7, TypeError), ("Refund {cents}?", ValueError)])
async def test_a_question_that_cannot_be_asked(
    actae: Actae, client: ActaeClient, channel: str, approval: Any, kind: type[Exception]
) -> None:
    """Nothing was claimed, and nobody was asked."""

    async def charge() -> None:
        @actae.effect("refund:{ticket}", approval=approval)
        async def refund(ticket: str) -> None:
            pytest.fail("ran")

        async with actae.run("r", channel_id=channel):
            await refund("T-1")

    with pytest.raises(kind, match="approval"):
        await charge()
    assert await client.list_executions(channel) == []


async def test_a_client_that_is_not_of_approvals_still_serves_effects(actae: Actae, channel: str) -> None:
    """What has no question sends nothing about one."""

    class Older:
        async def claim_execution(self, *_args: Any, **options: Any) -> Any:
            assert not {"requires_approval", "approval_request_id"} & options.keys()
            raise ApprovalNotFoundError("as far as this goes")

        async def record(self, *_args: Any, **_options: Any) -> None:
            """What makes it a client."""

    older = Actae(Older())
    async with older.run("r", channel_id=channel) as run:
        with pytest.raises(ApprovalNotFoundError):
            await run.effect("k", "tool", None, lambda: 1)


def request_of(pending: pytest.ExceptionInfo[ApprovalPendingError]) -> str:
    """The request that an effect waits for."""
    request_id = pending.value.approval_request_id
    assert request_id is not None
    return request_id
