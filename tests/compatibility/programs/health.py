"""What a server tells of itself, and what it tells a key of the key."""

from performing import outcome, perform


async def story(client, channel):
    may = await client.capabilities()
    return {
        "health": await client.health_check(),
        "readiness": await client.readiness_check(),
        "metrics": await client.get_metrics_json(),
        "metrics_text": await client.get_metrics_text(),
        "patterns": [may.read, may.write, may.delete, may.admin],
        "key": [may.auth_method, may.key_source, may.expires_at, bool(may.key_id)],
        "can": {
            "read": may.can_read(channel),
            "write": may.can_write(channel),
            "publish": may.can_publish(channel),
            "fork": may.can_fork(channel),
            "delete": may.can("delete", channel),
        },
        "me": await outcome(client.get_me("no token")),
    }


perform(story)
