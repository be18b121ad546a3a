"""Waiting for what others send."""

import pytest

from actae_client import ActaeClient, GroupSession, errors


async def crew_of(actae: ActaeClient, channel: str, *names: str) -> GroupSession:
    """A group with members on channels of their own."""
    await actae.create_execution_group(channel)
    for name in names:
        await actae.add_execution_group_member(channel, name, f"{channel}.{name}")
    return actae.execution_group(channel)


async def test_the_first_message_of_a_type_is_waited_for(actae: ActaeClient, channel: str) -> None:
    """However far back; who waits again gets the same one, who passes its id the next."""
    group = await crew_of(actae, channel, "ada", "bob")
    ada, bob = group.member("ada"), group.member("bob")
    for number in range(120):
        await ada.send("bob", "chatter", number)
    first, second = await ada.send("bob", "task", 1), await ada.send("bob", "task", 2)
    assert await bob.wait_for("task") == first
    assert await bob.wait_for("task") == first
    assert await bob.wait_for("task", after=first.message_id) == second
    assert await group.wait_for("bob", "task", after=first.message_id, timeout=10) == second


async def test_waiting_ends_in_time(actae: ActaeClient, channel: str) -> None:
    """With the usual error, which says what did not come; one look is taken however short the time."""
    group = await crew_of(actae, channel, "ada", "bob")
    bob = group.member("bob")
    for timeout in (0.3, 0, -1):
        with pytest.raises(TimeoutError, match="no 'task' for 'bob'"):
            await bob.wait_for("task", timeout=timeout, poll_interval=0.05)
    sent = await group.member("ada").send("bob", "task", 1)
    assert await bob.wait_for("task", timeout=0) == sent
    with pytest.raises(TimeoutError):
        await group.wait_for("bob", "answer", timeout=0)
    with pytest.raises(ValueError, match="poll_interval"):
        await bob.wait_for("task", poll_interval=0)


async def test_waiting_for_nobody_is_refused(actae: ActaeClient, channel: str) -> None:
    """At once, and not when the time is up."""
    group = await crew_of(actae, channel, "ada")
    with pytest.raises(errors.MemberNotFoundError):
        await group.wait_for("eve", "task", timeout=60)
    with pytest.raises(errors.MessageNotFoundError):
        await group.wait_for("ada", "task", after="unknown~1", timeout=60)


async def test_any_of_several(actae: ActaeClient, channel: str) -> None:
    """Whichever is there; of two that are, the one that was named first."""
    group = await crew_of(actae, channel, "ada", "bob", "eve")
    waits = [("eve", "done"), ("bob", "done"), ("bob", "failed")]
    with pytest.raises(TimeoutError, match="none of 'done' for 'eve', 'done' for 'bob', 'failed' for 'bob'"):
        await group.wait_any(waits, timeout=0)
    failed = await group.member("ada").send("bob", "failed", None)
    assert await group.wait_any(waits) == ("bob", failed)
    done = await group.member("ada").send("eve", "done", None)
    assert await group.wait_any(iter(waits), timeout=10) == ("eve", done)
    with pytest.raises(ValueError, match="at least one"):
        await group.wait_any([])


async def test_all_of_several(actae: ActaeClient, channel: str) -> None:
    """One message for each member; a member that waits for two types has no place for both."""
    group = await crew_of(actae, channel, "ada", "bob", "eve")
    ada = group.member("ada")
    waits = [("bob", "done"), ("eve", "ready"), ("bob", "done")]
    ready = await ada.send("eve", "ready", 1)
    await ada.send("eve", "ready", 2)
    with pytest.raises(TimeoutError, match="not all of"):
        await group.wait_all(waits, timeout=0)
    done = await ada.send("bob", "done", None)
    found = await group.wait_all(waits, timeout=10)
    assert (found, list(found)) == ({"bob": done, "eve": ready}, ["bob", "eve"])
    with pytest.raises(ValueError, match="'bob' waits for several types"):
        await group.wait_all([("bob", "done"), ("bob", "failed")])
    assert await group.wait_all([]) == {}


async def test_mail_is_streamed(actae: ActaeClient, channel: str) -> None:
    """What is there and what comes, in order; from the beginning, or from behind a message."""
    group = await crew_of(actae, channel, "ada", "bob")
    ada, bob = group.member("ada"), group.member("bob")
    sent = [await ada.send("bob", "note", number) for number in range(3)]
    seen = []
    async for message in bob.stream(poll_interval=0.05):
        seen.append(message)
        if len(seen) == 3:
            sent.append(await ada.send("bob", "note", 3))
        if len(seen) == 4:
            break
    assert seen == sent
    async for message in bob.stream(after=sent[2].message_id):
        assert message == sent[3]
        break
