"""A run of nine steps, forked at step 5, run again with a change, and compared."""

from typing import Any

import pytest

from actae_client import ActaeClient, AgentSession, ForkToolBlockedError


class Agent:
    """Works in steps: each pays for something through the ledger, and adds it to the state."""

    def __init__(self, actae: ActaeClient, state: dict[str, Any], prices: dict[int, int]) -> None:
        self.state = state
        self.paid: list[tuple[int, int]] = []
        self.replayed: list[int] = []
        self._actae = actae
        self._prices = prices

    async def work(self, session: AgentSession, number: int) -> None:
        """One step: the effect, then the record of it."""
        bill = await self.pay(session.channel_id, number)
        self.state["total"] += bill
        self.state["bills"][str(number)] = bill
        await session.step("work", input={"item": number}, output=bill)

    async def pay(self, channel: str, number: int) -> int:
        """Pay once per item and price."""
        price = self._prices.get(number, 10)
        claim = await self._actae.claim_execution(channel, f"pay:{number}", "pay", {"price": price})
        if claim.status == "replayed":
            self.replayed.append(number)
            return int(claim.result)
        self.paid.append((number, price))
        await self._actae.complete_execution(claim.execution.id, claim.claim_token, price)
        return price


async def test_a_run_of_nine_steps_is_forked_at_step_five(actae: ActaeClient, channel: str) -> None:
    """The child has the real state and effects of steps 1 to 5, and pays again only for the rest."""
    first = Agent(actae, {"total": 0, "bills": {}}, {})
    async with AgentSession(actae, channel, state_fn=lambda: first.state, params={"model": "a"}) as parent:
        for number in range(1, 10):
            await first.work(parent, number)
    assert (first.state["total"], len(first.paid), first.replayed) == (90, 9, [])
    events_before = await actae.replay(channel)

    child = await parent.fork(
        5,
        f"{channel}.b",
        params={"temperature": 0},
        reason="a cheaper seventh step",
        intervention={"prices": {"7": 3}},
    )
    state = child.inherited_state
    assert state == {"total": 50, "bills": {str(number): 10 for number in range(1, 6)}}
    assert (child.step_count, child.params) == (5, {"model": "a", "temperature": 0})
    assert child.intervention == {"prices": {"7": 3}}
    assert (child.boundary_restorable, child.reproducibility) == (True, "state_exact")
    assert child.requested_boundary_cursor == child.resolved_boundary_cursor == parent.cursors[4]

    second = Agent(actae, state, {7: 3})
    child_saved = AgentSession.resume_from_fork(actae, child.fork_receipt, state_fn=lambda: second.state)
    async with await child_saved as child:
        # An agent that does not know where it was forked begins at the beginning: the effects of the
        # steps up to the fork are replayed, and nothing is paid again.
        assert [await second.pay(child.channel_id, number) for number in range(1, 6)] == [10] * 5
        for number in range(6, 10):
            await second.work(child, number)
    assert second.replayed == [1, 2, 3, 4, 5]
    assert second.paid == [(6, 10), (7, 3), (8, 10), (9, 10)]
    assert second.state["total"] == 83
    assert await actae.replay(channel) == events_before

    difference = await actae.diff_states(channel, child.channel_id)
    assert {tuple(entry["path"]): (entry["left"], entry["right"]) for entry in difference["entries"]} == {
        ("bills", "7"): (10, 3),
        ("total",): (90, 83),
    }
    assert difference["common"]["state"] == {"total": 50, "bills": {str(n): 10 for n in range(1, 6)}}
    compared = await actae.compare_channels(channel, child.channel_id)
    assert compared["entries"] == difference["entries"]
    assert "pay:7" in str(compared["tool_diff"]["changed"])
    assert "pay:1" in str(compared["tool_diff"]["same"])
    trail = await actae.decision_trail(child.channel_id)
    assert [each["channel_id"] for each in trail["ancestry"]] == [child.channel_id, channel]
    assert trail["boundary"]["state"] == difference["common"]["state"]
    assert {each["key_name"] for each in trail["executions"]} == {"pay:6", "pay:7", "pay:8", "pay:9"}


async def test_a_fork_may_only_replay(actae: ActaeClient, channel: str) -> None:
    """What the parent did is there; what it did not, or did after the fork, is refused and recorded."""
    first = Agent(actae, {"total": 0, "bills": {}}, {})
    async with AgentSession(actae, channel, state_fn=lambda: first.state) as parent:
        for number in range(1, 4):
            await first.work(parent, number)
    child = await parent.fork(2, f"{channel}.b", tool_policies={"pay": "replay", "*": "block"})
    assert child.tool_policies == {"pay": "replay", "*": "block"}
    second = Agent(actae, child.inherited_state, {})
    async with child:
        assert await second.pay(child.channel_id, 2) == 10
        with pytest.raises(ForkToolBlockedError) as caught:
            await second.pay(child.channel_id, 3)
        with pytest.raises(ForkToolBlockedError):
            await actae.claim_execution(child.channel_id, "mail", "mail.send", {})
    assert (second.paid, second.replayed) == ([], [2])
    blocked = await actae.replay(child.channel_id, event_type="tool.blocked")
    assert [event.payload["policy"] for event in blocked] == ["replay", "block"]
    assert caught.value.boundary == blocked[0].id
