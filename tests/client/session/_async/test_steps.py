"""What a step is."""

import logging
from typing import Any

import pytest

from actae_client import ActaeClient, AgentSession, IdempotencyConflictError
from actae_client.deterministic import full_step_operation_id, step_operation_id

LONG = "x" * 400


async def test_a_step_is_an_event_with_its_number(actae: ActaeClient, channel: str) -> None:
    """The number stands in the payload, in the metadata and in the index; the context only where given."""
    async with AgentSession(actae, channel) as session:
        event = await session.step(
            "tool_call", input={"q": "é<1>"}, output=1.0, context={"seen": 1}, metadata={"model": "m"}
        )
        await session.step("think")
    assert event.payload == {
        "step_number": 1,
        "input": {"q": "é<1>"},
        "output": 1.0,
        "context": {"seen": 1},
    }
    assert (event.event_type, event.actor) == ("tool_call", "agent_session")
    assert event.metadata == {"model": "m", "step_number": 1}
    assert await actae.resolve_step(channel, 1) == (channel, event.cursor, event.id)
    assert await actae.latest_step_number(channel) == 2


async def test_a_step_with_the_same_content_is_the_same_event(actae: ActaeClient, channel: str) -> None:
    """So a run that starts over does not record again what it did; what it does otherwise is new."""
    async with AgentSession(actae, channel) as first:
        recorded = [await first.step("work", input=n, output=n) for n in (1, 2)]
    async with AgentSession(actae, channel) as second:
        again = await second.step("work", input=1, output=1)
        other = await second.step("work", input=2, output="other")
    assert again == recorded[0]
    assert other.cursor > recorded[1].cursor
    assert other.payload["step_number"] == 2
    found = await actae.record(
        channel,
        "work",
        {"step_number": 1, "input": 1, "output": 1},
        actor="anybody",
        operation_id=step_operation_id(channel, "work", 1, input=1, output=1),
    )
    assert found == recorded[0]


async def test_a_long_step_that_begins_like_another_one_is_refused_and_can_be_kept(
    actae: ActaeClient, channel: str
) -> None:
    """Nothing is lost: the refusal says what to do, and the number is still free."""
    async with AgentSession(actae, channel) as first:
        await first.step("work", input=LONG, output="first")
    async with AgentSession(actae, channel) as second:
        with pytest.raises(IdempotencyConflictError, match="step_identity='full'") as caught:
            await second.step("work", input=LONG, output="second")
        assert "step 1 ('work')" in str(caught.value)
        assert caught.value.status_code == 409
        assert caught.value.request_id
        assert second.step_count == 0
        kept = await second.step("work", input=LONG, output="second", operation_id=f"{channel}:1:b")
        assert second.step_count == 1
    assert kept.payload == {"step_number": 1, "input": LONG, "output": "second"}
    third = await AgentSession(actae, channel).__aenter__()
    with pytest.raises(IdempotencyConflictError, match="another operation_id"):
        await third.step("work", input=LONG, output="third", operation_id=f"{channel}:1:b")


async def test_full_identity_tells_all_steps_apart(actae: ActaeClient, channel: str) -> None:
    """Long contents, and channels whose long names leave no room for the content."""
    for name in (channel, f"{channel}-{'n' * (255 - len(channel))}"):
        async with AgentSession(actae, name, step_identity="full") as first:
            one = await first.step("work", input=LONG, output="first")
            await first.step("work", input=LONG, output="first")
        async with AgentSession(actae, name, step_identity="full") as second:
            assert await second.step("work", input=LONG, output="first") == one
            assert (await second.step("work", input=LONG, output="second")).cursor > one.cursor
    assert full_step_operation_id("a", "t", 1, input=LONG, output=1) != full_step_operation_id(
        "a", "t", 1, input=LONG, output=2
    )


async def test_a_step_takes_its_arguments_when_it_is_called(actae: ActaeClient, channel: str) -> None:
    """What cannot be recorded is refused by its place; tuples and odd numbers become plain JSON."""
    async with AgentSession(actae, channel) as session:
        for wrong in ({"a": [float("nan")]}, {"a": b"bytes"}, {1: 2}):
            with pytest.raises((TypeError, ValueError), match="input"):
                await session.step("work", input=wrong)
        with pytest.raises(ValueError, match="step_type"):
            await session.step("")
        with pytest.raises(TypeError, match="metadata"):
            await session.step("work", metadata=[1])  # type: ignore[arg-type]
        event = await session.step("work", input=(1, (2,)), output=True)
    assert event.payload == {"step_number": 1, "input": [1, [2]], "output": True}
    assert len(await actae.replay(channel)) == 3


async def test_the_state_is_saved_every_few_steps(actae: ActaeClient, channel: str) -> None:
    """At the cursor of the step that it follows; a state of None is not saved."""
    state: dict[str, Any] = {"steps": []}
    async with AgentSession(
        actae,
        channel,
        state_fn=lambda: state if state["steps"] != [1, 2, 3, 4] else None,
        snapshot_interval=2,
    ) as session:
        for number in range(1, 7):
            state["steps"].append(number)
            await session.step("work", input=number)
    versions = await actae.list_states(channel)
    assert [version["cursor"] for version in versions] == [session.cursors[5], session.cursors[1]]
    assert await actae.latest_state(channel) == {
        "cursor": session.cursors[5],
        "state": {"steps": [1, 2, 3, 4, 5, 6]},
    }


async def test_a_state_that_cannot_be_saved_does_not_fail_the_step(
    actae: ActaeClient, channel: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The step is recorded; what went wrong is in the log."""

    def broken() -> Any:
        raise ZeroDivisionError("no such state")

    with caplog.at_level(logging.ERROR, "actae_client.session"):
        async with AgentSession(actae, channel, state_fn=broken) as session:
            await session.step("work")
        async with AgentSession(actae, f"{channel}.b", state_fn=lambda: {"a": b"bytes"}) as session:
            await session.step("work")
    assert "no such state" in caplog.text
    assert "state.a is a bytes" in caplog.text
    assert await actae.latest_step_number(channel) == 1
    assert await actae.latest_state(f"{channel}.b") is None


async def test_an_approval_that_nobody_gives_ends_with_its_deadline(actae: ActaeClient, channel: str) -> None:
    """And leaves a timer behind, which says so on the channel to whoever comes later."""
    async with AgentSession(actae, channel) as session:
        asked = await session.require_approval("Refund?", timeout_seconds=0.2, poll_interval=0.05)
    assert (asked["approved"], asked["decision"]) == (False, None)
    (timer,) = await actae.list_wakeups(channel_id=channel)
    assert timer.payload == {"approval_request_id": asked["request_id"], "kind": "approval_timeout"}
