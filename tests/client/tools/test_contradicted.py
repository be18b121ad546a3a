"""A worker reports a result after somebody has said that there was none: nobody calls the tool on a guess."""

from __future__ import annotations

from typing import Any

import pytest

from actae_client import ActaeClient, ExecutionAmbiguousError, ExecutionNotOwnedError, OutcomeUnknownError
from actae_client.reconcile import NotApplied, witnessed
from actae_client.tools import ActaeToolExecutor
from tests.client.tools.support.tools import Asked, Charge
from tests.support.postgres import Clock

PARAMS = {"order": 4471}


async def deny_and_hear(client: ActaeClient, clock: Clock, channel_id: str) -> tuple[str, int]:
    """Somebody says that it was not applied, and then its worker reports a result: its id, and where."""
    claim = await client.claim_execution(channel_id, "k", "charge", PARAMS, on_lapse="ambiguous")
    clock.advance(61)
    await client.resolve_execution(claim.execution.id, "not_applied", by="ada")
    with pytest.raises(ExecutionNotOwnedError):
        await client.complete_execution(claim.execution.id, claim.claim_token, "ch_1")
    (evidence,) = (await client.get_execution(claim.execution.id)).late_evidence
    return claim.execution.id, evidence.cursor


async def test_a_report_that_comes_after_not_applied_keeps_the_tool_from_being_called(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock
) -> None:
    """The error names the report, and its probe is asked where there is one."""
    id_, cursor = await deny_and_hear(client, server_clock, executor.channel_id)
    charge = Charge()
    with pytest.raises(
        OutcomeUnknownError, match=f"reported a result too late, at cursor {cursor}"
    ) as unknown:
        await executor.execute("k", "charge", PARAMS, charge, on_lapse="ambiguous")
    assert isinstance(unknown.value.__cause__, ExecutionAmbiguousError)
    result = await executor.execute(
        "k", "charge", PARAMS, charge, on_lapse="ambiguous", reconcile=witnessed()
    )
    assert (result, charge.runs) == ("ch_1", 0)
    assert (await client.get_execution(id_)).status == "completed"


async def test_a_probe_that_knows_of_the_report_may_deny_it(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock
) -> None:
    """Then the tool is called, once: the provider knows better than a worker."""
    await deny_and_hear(client, server_clock, executor.channel_id)
    asked, charge = Asked(NotApplied()), Charge()
    for _ in range(2):
        paid = await executor.execute("k", "charge", PARAMS, charge, on_lapse="ambiguous", reconcile=asked)
        assert paid == "paid"
    assert (charge.runs, len(asked.about)) == (1, 1)
    assert [report.value for report in asked.about[0].late_evidence] == ["ch_1"]


async def test_who_said_yes_before_the_report_is_asked_anew(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock
) -> None:
    """Their yes was to another question."""
    channel_id, charge = executor.channel_id, Charge()
    claim = await client.claim_execution(channel_id, "k", "charge", PARAMS, on_lapse="ambiguous")
    server_clock.advance(61)
    options: Any = {"on_lapse": "ambiguous", "ask": "Again?"}

    async def ask_and_say_yes() -> None:
        with pytest.raises(OutcomeUnknownError) as unknown:
            await executor.execute("k", "charge", PARAMS, charge, **options)
        request_id = unknown.value.approval_request_id
        assert request_id is not None
        await client.decide_approval(channel_id, request_id, decision="approved", actor="ada")

    await ask_and_say_yes()
    await client.resolve_execution(claim.execution.id, "not_applied", by="ada")
    with pytest.raises(ExecutionNotOwnedError):
        await client.complete_execution(claim.execution.id, claim.claim_token, "ch_1")
    await ask_and_say_yes()
    asked = await client.list_approvals(channel_id=channel_id)
    assert ["late_evidence_cursor" in each.details for each in asked] == [True, False]
    assert await executor.execute("k", "charge", PARAMS, charge, **options) == "paid"
    assert charge.runs == 1


@pytest.mark.parametrize("reports", ["a result", "an error", "nothing"])
async def test_a_witness_is_heard_who_comes_after_the_resolution(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock, reports: str
) -> None:
    """Somebody has said that there was no effect, and could not know of the report."""
    lost = await client.claim_execution(executor.channel_id, "k", "charge", PARAMS, on_lapse="ambiguous")
    server_clock.advance(61)
    await client.resolve_execution(lost.execution.id, "not_applied", by="ada")
    if reports == "a result":
        with pytest.raises(ExecutionNotOwnedError):
            await client.complete_execution(lost.execution.id, lost.claim_token, "ch_1")
    if reports == "an error":
        with pytest.raises(ExecutionNotOwnedError):
            await client.fail_execution(lost.execution.id, "declined", claim_token=lost.claim_token)
    charge = Charge()
    found = await executor.execute("k", "charge", PARAMS, charge, reconcile=witnessed())
    assert (found, charge.runs) == (("ch_1", 0) if reports == "a result" else ("paid", 1))
