# Written by tools/generate_sync.py from _async/test_state_manager.py. Do not edit.
"""The smallest way to keep a state."""

import pytest

from actae_client import SyncActaeClient, SyncStateManager, errors


def test_a_state_is_saved_and_loaded(actae: SyncActaeClient, channel: str) -> None:
    """Before there is any event, too; what is not there yet has a default."""
    states = SyncStateManager(actae, channel)
    assert states.load() is None
    assert states.resume() == {}
    assert states.resume({"turn": 0}) == {"turn": 0}
    assert [states.save({"turn": 1}), states.save({"turn": 2})] == [1, 2]
    actae.record(channel, "turn", 3, actor="a")
    assert states.save({"turn": 3}) == 3
    assert states.load() == states.resume({"turn": 0}) == {"turn": 3}
    assert [(each["version"], each["cursor"]) for each in states.list_versions()] == [
        (3, 1),
        (2, 0),
        (1, 0),
    ]
    assert states.get_version(2) == {"cursor": 0, "state": {"turn": 2}, "version": 2}
    states.delete_version(3)
    assert states.load() == {"turn": 2}
    assert states.get_version(3) is None


def test_a_state_is_forked_where_it_is(actae: SyncActaeClient, channel: str) -> None:
    """At the newest event, or from nothing where nothing was saved."""
    states = SyncStateManager(actae, channel)
    with pytest.raises(errors.ChannelNotFoundError):
        states.fork(f"{channel}.b")
    states.save({"turn": 1})
    actae.record(channel, "turn", 1, actor="a")
    child = states.fork(f"{channel}.b", reason="why")
    assert (child.channel, child.load()) == (f"{channel}.b", {"turn": 1})
    child.save({"turn": "b"})
    assert states.load() == {"turn": 1}
    metadata = actae.get_channel_metadata(child.channel)
    assert metadata is not None
    assert (metadata.reason, metadata.forked_at_cursor) == ("why", 0)
    actae.record(f"{channel}.c", "note", 1, actor="a")
    assert (SyncStateManager(actae, f"{channel}.c").fork(f"{channel}.d")).load() is None


def test_a_state_is_copied_when_it_is_given(actae: SyncActaeClient, channel: str) -> None:
    """What happens to it before it is sent is not saved, and what is no JSON is refused at once."""
    states = SyncStateManager(actae, channel)
    state = {"turns": [1]}
    saving = states.save(state)
    state["turns"].append(2)
    assert saving == 1
    assert states.load() == {"turns": [1]}
    with pytest.raises(TypeError, match="state"):
        states.save(b"bytes")
