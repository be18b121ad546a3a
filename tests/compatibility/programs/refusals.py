"""Every error that a server without forks and groups can bring about, each on its condition."""

import sys

from performing import outcome, perform

from actae_client import ActaeClient

TOO_LARGE = "x" * (17 * 2**20)


async def story(client, channel):
    claim = await client.claim_execution(channel, "key", "tool", {"a": 1})
    await client.record(channel, "note", 1, actor="agent", operation_id="one")
    await client.save_state(f"{channel}.s", 0, {}, operation_id="one")
    calls = {
        "other content under an operation id": client.record(
            channel, "note", 2, actor="a", operation_id="one"
        ),
        "another kind under an operation id": client.transition(channel, "note", 1, {}, operation_id="one"),
        "another state under an operation id": client.save_state(f"{channel}.s", 0, [], operation_id="one"),
        "a wrong version": client.save_state(channel, 0, {}, expected_version=3),
        "a wrong cursor": client.transition(channel, "moved", 1, {}, expected_cursor=3),
        "other parameters under a key": client.claim_execution(channel, "key", "tool", {"a": 2}),
        "another tool under a key": client.claim_execution(channel, "key", "another", {"a": 1}),
        "an id that is no channel": client.transition("no/channel", "moved", 1, {}),
        "a channel id that the client refuses": client.record("no channel", "note", 1, actor="a"),
        "a lease without end": client.claim_execution(channel, "k", "tool", lease_seconds=86_401),
        "an event that is not there": client.causal_graph("00000000-0000-7000-8000-000000000000"),
        "a body that is too large": client.record(channel, "note", TOO_LARGE, actor="agent"),
        "a body that is no JSON": client.record(channel, "note", float("nan"), actor="agent"),
    }
    seen = {name: await outcome(call) for name, call in calls.items()}
    seen |= await strangers(client, claim.execution.id)
    seen |= await elsewhere(channel)
    return seen


async def strangers(client, execution_id):
    """Each way to settle: for an execution of somebody else, and for one that does not exist."""
    seen = {}
    for case, about, token in (("stale", execution_id, "ct_stale"), ("missing", MISSING, "ct_any")):
        calls = {
            "complete": client.complete_execution(about, token, 1),
            "fail": client.fail_execution(about, "no", claim_token=token),
            "heartbeat": client.heartbeat_execution(about, token),
            "cancel": client.cancel_execution(about, token),
        }
        for verb, call in calls.items():
            seen[f"{verb}: {case}"] = await outcome(call)
    seen["get: missing"] = await outcome(client.get_execution(MISSING))
    seen["delete: missing"] = await outcome(client.delete_execution(MISSING))
    return seen


async def elsewhere(channel):
    """A key that nobody knows, and a server that is not there."""
    stranger = ActaeClient(endpoint=sys.argv[1], api_key="sk-unknown")
    nowhere = ActaeClient(endpoint="http://127.0.0.1:1", api_key="sk-unknown")
    seen = {
        "an unknown key": await outcome(stranger.replay(channel)),
        "no server": await outcome(nowhere.replay(channel)),
    }
    await stranger.disconnect()
    await nowhere.disconnect()
    return seen


MISSING = "00000000-0000-7000-8000-000000000000"

perform(story)
