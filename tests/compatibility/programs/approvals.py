"""A person is asked, and answers."""

from performing import outcome, perform


async def story(client, channel):
    asked = await client.request_approval(
        channel, summary="Refund?", details={"cents": 4200}, requester="bot"
    )
    asked_again = await client.request_approval(
        channel, summary="Refund?", request_id=f"{channel} again", timeout_seconds=3600
    )
    expired = await client.wait_for_approval(channel, asked, timeout_seconds=0.05, poll_interval=0.01)
    answer = {"decision": "approved", "actor": "ada", "reason": "fine"}
    decided = await client.decide_approval(channel, asked, **answer)
    decided_again = await client.decide_approval(channel, asked, **answer)
    changed = await client.decide_approval(channel, asked, decision="rejected", actor="ada")
    return {
        "asked": [asked, asked_again],
        "expired": expired,
        "decided": [decided, decided_again, changed],
        "waited": await client.wait_for_approval(channel, asked, timeout_seconds=30),
        "waited_from": await client.wait_for_approval(channel, asked, start_cursor=decided.cursor),
        "maybe": await outcome(client.decide_approval(channel, asked, decision="maybe", actor="ada")),
        "wakeups": await client.list_wakeups(channel_id=channel),
        "events": await client.replay(channel),
    }


perform(story)
