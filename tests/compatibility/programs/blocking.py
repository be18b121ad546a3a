"""The blocking half: a script without an event loop."""

import sys

from performing import tell

from actae_client import ActaeClient


def main():
    url, key, channel = sys.argv[1:4]
    client = ActaeClient(endpoint=url, api_key=key)
    empty = [client.get_cursor_sync(channel), client.latest_state_sync(channel), client.replay_sync(channel)]
    recorded = client.record_sync(channel, "note", {"n": 1}, actor="agent", operation_id="one")
    moved = client.transition_sync(channel, "moved", None, {"at": 1}, expected_version=0)
    seen = {
        "empty": empty,
        "recorded": recorded,
        "moved": moved,
        "replayed": client.replay_sync(channel, cursor=0, limit=10),
        "found": client.query_sync(channel_ids=[channel], event_type="note"),
        "cursor": client.get_cursor_sync(channel),
        "state": client.latest_state_sync(channel),
        "version": client.save_state_sync(channel, 2, {"at": 2}, expected_version=1, expected_cursor=2),
    }
    client.disconnect_sync()
    tell(seen)


main()
