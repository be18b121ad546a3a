"""An account: opened, entered, looked at and left."""

from performing import outcome, perform

PASSWORD = "correct horse battery"


async def story(client, channel):
    email = f"{channel}@example.org"
    opened = await client.signup(email, PASSWORD, "Ada")
    nameless = await client.signup(f"{channel}.b@example.org", PASSWORD)
    entered = await client.login(email, PASSWORD)
    me = await client.get_me(entered.token)
    left = await client.logout(entered.token)
    return {
        "email": email,
        "opened": opened,
        "nameless": nameless,
        "entered": entered,
        "me": me,
        "left": left,
        "left_again": await outcome(client.logout(entered.token)),
        "me_after": await outcome(client.get_me(entered.token)),
        "taken": await outcome(client.signup(email, PASSWORD)),
        "wrong": await outcome(client.login(email, "wrong horse battery")),
    }


perform(story)
