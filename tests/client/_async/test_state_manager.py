"""The smallest way to keep a state."""

import pytest

from actae_client import ActaeClient, StateManager, errors


async def test_a_state_is_saved_and_loaded(actae: ActaeClient, channel: str) -> None:
    """Before there is any event, too; what is not there yet has a default."""
    states = StateManager(actae, channel)
    assert await states.load() is None
    assert await states.resume() == {}
    assert await states.resume({"turn": 0}) == {"turn": 0}
    assert [await states.save({"turn": 1}), await states.save({"turn": 2})] == [1, 2]
    await actae.record(channel, "turn", 3, actor="a")
    assert await states.save({"turn": 3}) == 3
    assert await states.load() == await states.resume({"turn": 0}) == {"turn": 3}
    assert [(each["version"], each["cursor"]) for each in await states.list_versions()] == [
        (3, 1),
        (2, 0),
        (1, 0),
    ]
    assert await states.get_version(2) == {"cursor": 0, "state": {"turn": 2}, "version": 2}
    await states.delete_version(3)
    assert await states.load() == {"turn": 2}
    assert await states.get_version(3) is None


async def test_a_state_is_forked_where_it_is(actae: ActaeClient, channel: str) -> None:
    """At the newest event, or from nothing where nothing was saved."""
    states = StateManager(actae, channel)
    with pytest.raises(errors.ChannelNotFoundError):
        await states.fork(f"{channel}.b")
    await states.save({"turn": 1})
    await actae.record(channel, "turn", 1, actor="a")
    child = await states.fork(f"{channel}.b", reason="why")
    assert (child.channel, await child.load()) == (f"{channel}.b", {"turn": 1})
    await child.save({"turn": "b"})
    assert await states.load() == {"turn": 1}
    metadata = await actae.get_channel_metadata(child.channel)
    assert metadata is not None
    assert (metadata.reason, metadata.forked_at_cursor) == ("why", 0)
    await actae.record(f"{channel}.c", "note", 1, actor="a")
    assert await (await StateManager(actae, f"{channel}.c").fork(f"{channel}.d")).load() is None


async def test_a_state_is_copied_when_it_is_given(actae: ActaeClient, channel: str) -> None:
    """What happens to it before it is sent is not saved, and what is no JSON is refused at once."""
    states = StateManager(actae, channel)
    state = {"turns": [1]}
    saving = states.save(state)
    state["turns"].append(2)
    assert await saving == 1
    assert await states.load() == {"turns": [1]}
    with pytest.raises(TypeError, match="state"):
        states.save(b"bytes")
