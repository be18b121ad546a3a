# Written by tools/generate_sync.py from _async/test_waiting.py. Do not edit.
"""Waiting for what others send."""

import pytest

from actae_client import SyncActaeClient, SyncGroupSession, errors


def crew_of(actae: SyncActaeClient, channel: str, *names: str) -> SyncGroupSession:
    """A group with members on channels of their own."""
    actae.create_execution_group(channel)
    for name in names:
        actae.add_execution_group_member(channel, name, f"{channel}.{name}")
    return actae.execution_group(channel)


def test_the_first_message_of_a_type_is_waited_for(actae: SyncActaeClient, channel: str) -> None:
    """However far back; who waits again gets the same one, who passes its id the next."""
    group = crew_of(actae, channel, "ada", "bob")
    ada, bob = group.member("ada"), group.member("bob")
    for number in range(120):
        ada.send("bob", "chatter", number)
    first, second = ada.send("bob", "task", 1), ada.send("bob", "task", 2)
    assert bob.wait_for("task") == first
    assert bob.wait_for("task") == first
    assert bob.wait_for("task", after=first.message_id) == second
    assert group.wait_for("bob", "task", after=first.message_id, timeout=10) == second


def test_waiting_ends_in_time(actae: SyncActaeClient, channel: str) -> None:
    """With the usual error, which says what did not come; one look is taken however short the time."""
    group = crew_of(actae, channel, "ada", "bob")
    bob = group.member("bob")
    for timeout in (0.3, 0, -1):
        with pytest.raises(TimeoutError, match="no 'task' for 'bob'"):
            bob.wait_for("task", timeout=timeout, poll_interval=0.05)
    sent = group.member("ada").send("bob", "task", 1)
    assert bob.wait_for("task", timeout=0) == sent
    with pytest.raises(TimeoutError):
        group.wait_for("bob", "answer", timeout=0)
    with pytest.raises(ValueError, match="poll_interval"):
        bob.wait_for("task", poll_interval=0)


def test_waiting_for_nobody_is_refused(actae: SyncActaeClient, channel: str) -> None:
    """At once, and not when the time is up."""
    group = crew_of(actae, channel, "ada")
    with pytest.raises(errors.MemberNotFoundError):
        group.wait_for("eve", "task", timeout=60)
    with pytest.raises(errors.MessageNotFoundError):
        group.wait_for("ada", "task", after="unknown~1", timeout=60)


def test_any_of_several(actae: SyncActaeClient, channel: str) -> None:
    """Whichever is there; of two that are, the one that was named first."""
    group = crew_of(actae, channel, "ada", "bob", "eve")
    waits = [("eve", "done"), ("bob", "done"), ("bob", "failed")]
    with pytest.raises(TimeoutError, match="none of 'done' for 'eve', 'done' for 'bob', 'failed' for 'bob'"):
        group.wait_any(waits, timeout=0)
    failed = group.member("ada").send("bob", "failed", None)
    assert group.wait_any(waits) == ("bob", failed)
    done = group.member("ada").send("eve", "done", None)
    assert group.wait_any(iter(waits), timeout=10) == ("eve", done)
    with pytest.raises(ValueError, match="at least one"):
        group.wait_any([])


def test_all_of_several(actae: SyncActaeClient, channel: str) -> None:
    """One message for each member; a member that waits for two types has no place for both."""
    group = crew_of(actae, channel, "ada", "bob", "eve")
    ada = group.member("ada")
    waits = [("bob", "done"), ("eve", "ready"), ("bob", "done")]
    ready = ada.send("eve", "ready", 1)
    ada.send("eve", "ready", 2)
    with pytest.raises(TimeoutError, match="not all of"):
        group.wait_all(waits, timeout=0)
    done = ada.send("bob", "done", None)
    found = group.wait_all(waits, timeout=10)
    assert (found, list(found)) == ({"bob": done, "eve": ready}, ["bob", "eve"])
    with pytest.raises(ValueError, match="'bob' waits for several types"):
        group.wait_all([("bob", "done"), ("bob", "failed")])
    assert group.wait_all([]) == {}


def test_mail_is_streamed(actae: SyncActaeClient, channel: str) -> None:
    """What is there and what comes, in order; from the beginning, or from behind a message."""
    group = crew_of(actae, channel, "ada", "bob")
    ada, bob = group.member("ada"), group.member("bob")
    sent = [ada.send("bob", "note", number) for number in range(3)]
    seen = []
    for message in bob.stream(poll_interval=0.05):
        seen.append(message)
        if len(seen) == 3:
            sent.append(ada.send("bob", "note", 3))
        if len(seen) == 4:
            break
    assert seen == sent
    for message in bob.stream(after=sent[2].message_id):
        assert message == sent[3]
        break
