"""What a server tells of itself, and what it tells a key of the key."""

from performing import outcome, perform, plain


async def story(client, channel):
    may = await client.capabilities()
    return {
        "health": await client.health_check(),
        "readiness": await client.readiness_check(),
        "metrics": await client.get_metrics_json(),
        "metrics_text": await client.get_metrics_text(),
        "capabilities": {name: plain(getattr(may, name)) for name in NAMES},
        "can": {
            "read": may.can_read(channel),
            "write": may.can_write(channel),
            "publish": may.can_publish(channel),
            "fork": may.can_fork(channel),
            "delete": may.can("delete", channel),
        },
        "me": await outcome(client.get_me("no token")),
    }


NAMES = ("read", "write", "delete", "admin", "auth_method", "key_id", "key_source", "expires_at")

perform(story)
