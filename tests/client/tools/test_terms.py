"""Failures that are replayed, keys that live for a time, and owners that vanish, on the real server."""

from __future__ import annotations

import pytest

from actae_client import ActaeClient, KeyExpiredError, OutcomeUnknownError, RecordedFailureError
from actae_client.tools import ActaeToolExecutor
from tests.client.tools.support.tools import Charge
from tests.support.postgres import Clock


async def test_a_failure_is_replayed_as_it_was_recorded(
    executor: ActaeToolExecutor, client: ActaeClient
) -> None:
    """The first call raises what the tool raised; the next ones what is on record, and call nothing."""

    def decline() -> None:
        raise ValueError("card \u00fc declined \U0001f4b3")

    charge = Charge()
    with pytest.raises(ValueError, match="declined"):
        await executor.execute("k", "charge", {}, decline, on_failure="replay")
    with pytest.raises(RecordedFailureError) as recorded:
        await executor.execute("k", "charge", {}, charge, on_failure="replay")
    stored = (await client.get_execution(recorded.value.execution_id)).error
    assert recorded.value.error == stored
    assert stored == {
        "message": recorded.value.message,
        "error_type": recorded.value.error_type,
        "stack": recorded.value.stack,
    }
    assert (recorded.value.message, recorded.value.error_type) == (
        "card \u00fc declined \U0001f4b3",
        "ValueError",
    )
    assert charge.runs == 0
    assert await executor.execute("k", "charge", {}, charge) == "paid"


async def test_a_key_lives_for_its_time(executor: ActaeToolExecutor, server_clock: Clock) -> None:
    """Its result replays until then; afterwards the key is refused, and the tool not called."""
    charge = Charge()
    for _ in range(2):
        await executor.execute("k", "charge", {}, charge, ttl_seconds=60)
    server_clock.advance(61)
    with pytest.raises(KeyExpiredError):
        await executor.execute("k", "charge", {}, charge, ttl_seconds=60)
    assert charge.runs == 1


@pytest.mark.parametrize("is_marked", [False, True])
async def test_an_owner_that_vanished_before_the_mark_has_not_called_the_tool(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock, is_marked: bool
) -> None:
    """After it, nobody knows."""
    claim = await client.claim_execution(
        executor.channel_id, "k", "charge", {}, on_lapse="ambiguous", dispatches=True
    )
    if is_marked:
        await client.mark_dispatched(claim.execution.id, claim.claim_token)
    server_clock.advance(61)
    charge = Charge()
    if is_marked:
        with pytest.raises(OutcomeUnknownError) as unknown:
            await executor.execute("k", "charge", {}, charge, on_lapse="ambiguous")
        assert (unknown.value.attempt, unknown.value.approval_request_id) == (1, None)
    else:
        assert await executor.execute("k", "charge", {}, charge, on_lapse="ambiguous") == "paid"
    assert charge.runs == (0 if is_marked else 1)
