"""One worker of a consumer group. A process, and one of them is killed as one.

    ACTAE_URL=… ACTAE_API_KEY=… python consumer.py CHANNEL GROUP CONSUMER LEASE_SECONDS [BATCHES]

It joins, waits for a line, and begins. It tells, as a line of JSON each, what it was handed and what it
acknowledged, and ends when everything is done. With BATCHES it takes one batch more than that many, and then
does nothing for ever.
"""

import json
import sys
import time

from actae_client import SyncActaeClient

LIMIT = 20


def tell(**what: object) -> None:
    """At once: what is not told before a kill is lost."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Take, acknowledge the first half, then the rest, and take again."""
    channel_id, group_id, consumer_id, lease_seconds, *rest = sys.argv[1:]
    batches_left = int(rest[0]) if rest else None
    with SyncActaeClient.from_env() as client:
        client.join_group(group_id, consumer_id, lease_seconds=int(lease_seconds))
        tell(joined=True)
        sys.stdin.readline()
        while True:
            cursors = [event.cursor for event in client.claim_work(group_id, consumer_id, limit=LIMIT).events]
            tell(handed=cursors)
            if batches_left == 0 and cursors:
                sys.stdin.read()
            if cursors:
                for half in (cursors[: len(cursors) // 2], cursors[len(cursors) // 2 :]):
                    if half:
                        client.ack_work(group_id, consumer_id, half[-1])
                        tell(acked=half)
                batches_left = None if batches_left is None else batches_left - 1
            else:
                [group] = client.list_groups(channel_id=channel_id)
                if group.watermark == group.latest_cursor:
                    return
                time.sleep(0.05)


if __name__ == "__main__":
    main()
