"""A channel that holds something of everything."""

from typing import Any

from actae.domain.executions import Claimed
from actae.operations.writer import Writer
from tests.support import asks


async def fill(writer: Writer, channel_id: str = "run-1") -> None:
    """Something of everything, and every way in which an operation can stand."""
    for number in (1, 2):
        await writer.submit(asks.record(channel_id=channel_id, operation_id=f"o{number}", step_number=number))
    await writer.submit(asks.transition(channel_id=channel_id, operation_id="t1"))
    await writer.submit(asks.save_state(channel_id=channel_id, operation_id="s1", cursor=3))
    done = await claim_token(writer, "done", channel_id)
    await writer.submit(asks.complete(done, "done", channel_id=channel_id))
    await writer.submit(asks.claim("done", channel_id=channel_id, emit_replay_event=True))
    failed = await claim_token(writer, "failed", channel_id)
    await writer.submit(asks.fail(failed, "failed", channel_id=channel_id))
    await claim_token(writer, "failed", channel_id)
    given_up = await claim_token(writer, "cancelled", channel_id)
    await writer.submit(asks.cancel(given_up, "cancelled", channel_id=channel_id))
    await claim_token(writer, "running", channel_id)
    await claim_token(writer, "__session_lock__", channel_id)


async def fill_approvals(writer: Writer, channel_id: str = "run-1") -> None:
    """Every way in which a request for approval can stand, bound and unbound."""
    for key_name in ("asked", None):
        for status in ("pending", "approved", "rejected", "expired"):
            request_id = f"{status} {key_name}"
            asked = asks.request(
                request_id,
                channel_id=channel_id,
                key_name=key_name and f"{key_name} {status}",
                timeout_seconds=600,
            )
            await writer.submit(asked)
            if status != "pending":
                await writer.submit(asks.answer(status, request_id, channel_id=channel_id))
    await writer.submit(asks.request("anew", channel_id=channel_id, key_name="asked pending"))
    await claim_token(writer, "asked approved", channel_id)


async def fill_outcomes(writer: Writer, channel_id: str = "run-1") -> None:
    """Every way in which an outcome that nobody knew can stand, and what comes too late for each."""
    for said in ("nothing", "applied", "not_applied", "unknown"):
        key_name = f"said {said}"
        token = await claim_token(writer, key_name, channel_id, on_lapse="after_dispatch")
        await writer.submit(asks.dispatch(token, key_name, channel_id=channel_id))
        await writer.submit(asks.fail(token, key_name, channel_id=channel_id, outcome_unknown=True))
        if said != "nothing":
            await writer.submit(asks.resolve(said, key_name, channel_id=channel_id))
        await writer.submit(asks.complete(token, key_name, channel_id=channel_id))
    token = await claim_token(writer, "failed, then applied", channel_id)
    await writer.submit(asks.fail(token, "failed, then applied", channel_id=channel_id))
    await writer.submit(asks.resolve("applied", "failed, then applied", channel_id=channel_id))


async def claim_token(writer: Writer, key_name: str, channel_id: str = "run-1", **terms: Any) -> str:
    """Claim, and the token."""
    answer: Claimed = await writer.submit(asks.claim(key_name, channel_id=channel_id, **terms))
    return answer.claim_token
