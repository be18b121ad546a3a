"""The same for a script without an event loop."""

import sys

from performing import tell

from actae_client import Actae, ActaeClient

charged = []


def main():
    url, key, channel = sys.argv[1:4]
    actae = Actae(ActaeClient(endpoint=url, api_key=key))

    @actae.effect("charge:{order_id}")
    def charge(order_id):
        charged.append(order_id)
        return f"r-{order_id}"

    receipts = []
    for attempt in (1, 2):
        with actae.run_sync("nightly", channel_id=channel, attempt=attempt) as scope:
            receipts.append(charge("4471"))
            receipts.append(scope.effect_sync("mail", "send", {"to": "ada"}, lambda: "sent"))
            scope.record_sync("noted", {"attempt": attempt})
            with scope.child_sync("child", channel_id=channel, attempt=attempt) as child:
                parent = child.parent_run_id
    with actae.workflow_sync("weekly", channel_id=channel, attempt=1):
        pass
    events = actae.client.replay_sync(channel)
    actae.close_sync()
    with Actae.from_env(endpoint=url, api_key=key) as again:
        cursor = again.client.get_cursor_sync(channel)
    tell(
        {
            "receipts": receipts,
            "charged": charged,
            "parent": parent,
            "events": [event.event_type for event in events],
            "cursor": cursor,
        }
    )


main()
