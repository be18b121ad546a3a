"""Effects whose identity comes from their arguments; tells what they gave and which of them ran."""

from performing import perform

from actae_client import Actae

ran = []


async def story(client, channel):
    actae = Actae(client)

    @actae.effect("charge:{order_id}:{cents}")
    async def charge(order_id, cents, *, currency="EUR", notes=()):
        ran.append("charge")
        return {"order": order_id, "notes": list(notes)}

    @actae.effect(lambda order: f"mail:{order['id']}", name="mail.send", params=lambda order: order)
    def mail(order):
        ran.append("mail")
        return [order, None]

    @actae.effect("volatile:{number}", dedup_fields=["number"])
    async def volatile(number, at):
        ran.append("volatile")
        return at

    async with actae.run("shared", channel_id=channel) as scope:
        results = [
            await charge("é/4471", 4200, notes=["漢", 1.5, True, None]),
            await charge(order_id="4472", cents=1e16, currency="\u2028"),
            mail({"id": 7, "b": {"z": 1, "a": [2**70, -0.0, 1e-7]}, "a": {}}),
            await volatile(1, len(ran)),
            await scope.effect("plain", "tool", [1, {"x": "<&>"}], lambda: ran.append("plain")),
        ]
    return {"results": results, "ran": ran}


perform(story)
