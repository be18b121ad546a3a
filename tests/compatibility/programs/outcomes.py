"""What a program sees that knows nothing of outcomes that nobody knows, on a channel where one is."""

import sys

from performing import outcome, perform


async def story(client, channel):
    ambiguous, expired = sys.argv[4:]
    (listed,) = await client.list_executions(ambiguous)
    return {
        "claim": await outcome(client.claim_execution(ambiguous, "charge", "charge", {"n": 1})),
        "expired": await outcome(client.claim_execution(expired, "charge", "charge", {"n": 1})),
        "listed": listed.status,
        "read": (await client.get_execution(listed.id)).status,
    }


perform(story)
