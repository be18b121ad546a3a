"""Asks until it is told to slow down."""

from performing import perform

from actae_client import RateLimitError


async def story(client, channel):
    for asked in range(1000):
        try:
            await client.replay(channel)
        except RateLimitError as error:
            return {"asked": asked, "seconds": error.retry_after_seconds, "message": str(error)}
    return {}


perform(story)
