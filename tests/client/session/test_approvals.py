"""A session that waits for a person."""

import asyncio
from typing import Any

import pytest

from actae_client import ActaeClient, AgentSession, ApprovalOperation, ApprovalPendingError, SessionError
from actae_client.types import Event


async def question(actae: ActaeClient, channel: str, asked_before: int) -> Event:
    """The newest question, as soon as it is in the log."""
    async with asyncio.timeout(30):
        while True:
            found = await actae.replay(channel, event_type="approval.requested")
            if len(found) > asked_before:
                return found[-1]
            await asyncio.sleep(0.005)


async def decide(actae: ActaeClient, channel: str, request_id: str, decision: str) -> Event:
    """What a person answers."""
    payload = {"request_id": request_id, "decision": decision}
    return await actae.record(channel, "approval.decided", payload, actor="ada")


@pytest.mark.parametrize(("decision", "approved"), [("approved", True), ("rejected", False)])
async def test_a_session_waits_for_the_answer_to_its_question(
    actae: ActaeClient, channel: str, decision: str, approved: bool
) -> None:
    """And for no other: answers to other questions, earlier ones too, are none to this."""
    async with AgentSession(actae, channel) as session:
        await decide(actae, channel, "an earlier question", "approved")
        asking = asyncio.create_task(
            session.require_approval("Refund?", details={"amount": 5}, poll_interval=0.01, requester="bot")
        )
        asked = await question(actae, channel, 0)
        await decide(actae, channel, "another question", "approved" if decision == "rejected" else "rejected")
        decided = await decide(actae, channel, asked.payload["request_id"], decision)
        answer: dict[str, Any] = await asking
    assert asked.payload == {
        "request_id": answer["request_id"],
        "summary": "Refund?",
        "details": {"amount": 5},
    }
    assert asked.actor == "bot"
    assert answer == {
        "request_id": asked.payload["request_id"],
        "approved": approved,
        "decision": decided.payload,
        "event": decided,
    }


async def test_a_question_is_asked_by_a_session_that_is_open(actae: ActaeClient, channel: str) -> None:
    """Nobody waits for the answer otherwise."""
    with pytest.raises(SessionError, match="created"):
        await AgentSession(actae, channel).require_approval("Refund?")
    assert await actae.replay(channel) == []


async def test_the_answer_to_a_session_counts_for_one_call(actae: ActaeClient, channel: str) -> None:
    """And a session that was resumed waits for the answer to the question that it asked before."""
    operation: ApprovalOperation = {"key_name": "refund:1", "tool_name": "refund", "params": {"cents": 5}}
    async with AgentSession(actae, channel) as session:
        asking = asyncio.create_task(
            session.require_approval("Refund?", request_id="refund", operation=operation, poll_interval=0.01)
        )
        await question(actae, channel, 0)
        asking.cancel()
        with pytest.raises(ApprovalPendingError):
            await actae.claim_execution(channel, **operation)
        await decide(actae, channel, "refund", "approved")
        answer = await session.require_approval(
            "Refund?", request_id="refund", operation=operation, poll_interval=0.01
        )
    assert answer["approved"]
    assert len(await actae.replay(channel, event_type="approval.requested")) == 1
    assert (await actae.claim_execution(channel, **operation)).status == "claimed"


async def test_a_session_does_not_wait_for_ever(actae: ActaeClient, channel: str) -> None:
    """Nobody answered, which is in the log, and no approval."""
    async with AgentSession(actae, channel) as session:
        answer = await session.require_approval("Refund?", timeout_seconds=0.05, poll_interval=0.01)
    assert (answer["approved"], answer["decision"], answer["event"]) == (False, None, None)
    (wakeup,) = await actae.list_wakeups(channel_id=channel)
    assert wakeup.payload == {"approval_request_id": answer["request_id"], "kind": "approval_timeout"}
    (expired,) = await actae.replay(channel, event_type="approval.expired")
    assert (expired.payload, expired.actor) == ({"request_id": answer["request_id"]}, "system")
