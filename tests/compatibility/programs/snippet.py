"""The first thing that a reader of the documentation runs; the same text for both clients."""

import asyncio
import json
import sys

URL, KEY, CHANNEL, TROUBLE = sys.argv[1:5]

charges = []


async def charge_customer(params):
    charges.append(params)
    if TROUBLE == "trouble" and len(charges) == 1:
        raise OSError("the provider hung up")
    return {"receipt": "r-1", "charges": len(charges)}


async def main():
    from actae_client import ActaeClient

    async with ActaeClient(endpoint=URL, api_key=KEY) as client:
        claim = await client.claim_execution(
            channel_id=CHANNEL,
            key_name="charge_customer:order-4471",
            tool_name="charge_customer",
            params={"order_id": "4471", "amount_cents": 4200},
            dedup_fields=["order_id"],
            lease_seconds=120,
        )
        if claim.status == "replayed":
            result = claim.result
        else:
            try:
                result = await charge_customer(claim.execution.params)
                await client.complete_execution(claim.execution.id, claim.claim_token, result=result)
            except Exception as exc:
                await client.fail_execution(claim.execution.id, str(exc), claim_token=claim.claim_token)
                raise
    return claim.status, result


async def repeat():
    runs = []
    for _ in range(2):
        try:
            runs.append(await main())
        except OSError as error:
            runs.append(("failed", str(error)))
    return {"runs": runs, "charges": charges}


json.dump(asyncio.run(repeat()), sys.stdout)
