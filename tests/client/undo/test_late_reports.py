"""Effects that a worker reported too late to be on record: they stay, and an undo says so."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from actae_client import Actae, ActaeClient, Claimed, Reclaimed
from actae_client.errors import ExecutionNotOwnedError
from actae_client.undo import NotUndone
from tests.client.undo.trip import Trip, reasons
from tests.support.postgres import Clock


async def test_an_effect_that_was_reported_too_late_stays(
    actae: Actae, client: ActaeClient, server_clock: Clock, channel: str
) -> None:
    """The record says that it did not happen, or holds another one; a worker says that it did."""
    trip = Trip(actae)

    async def claim(place: str, **terms: Any) -> Claimed | Reclaimed:
        given = {"place": place}
        claim = await client.claim_execution(
            channel, f"book:{place}", "book", given, lease_seconds=10, attempt_id=uuid4().hex, **terms
        )
        assert isinstance(claim, Claimed | Reclaimed)
        return claim

    async def report(claim: Claimed | Reclaimed, result: str) -> None:
        await client.complete_execution(claim.execution.id, claim.claim_token, result)

    denied = await claim("Rome", on_lapse="ambiguous")
    first = {place: await claim(place) for place in ("Oslo", "Lima")}
    server_clock.advance(11)
    await client.resolve_execution(denied.execution.id, "not_applied", by="ada")
    for late in first.values():
        await report(await claim(late.execution.key_name.partition(":")[2]), "ticket 2")
    cursor = await client.get_cursor(channel)
    assert cursor is not None
    assert (await actae.undo_plan(channel_id=channel, to_cursor=0)).not_undone == ()
    for late, result in ((denied, "ticket 1"), (first["Oslo"], "ticket 1"), (first["Lima"], "ticket 2")):
        with pytest.raises(ExecutionNotOwnedError):
            await report(late, result)
    assert sorted(each.key_name for each in (await _not_undone(actae, channel, cursor))) == [
        "book:Oslo",
        "book:Rome",
    ]
    assert await _not_undone(actae, channel, cursor + 3) == ()
    undone = await actae.undo(channel_id=channel, to_cursor=0)
    assert not undone.is_complete
    assert sorted(each.key_name for each in undone.undone) == ["book:Lima", "book:Oslo"]
    assert sorted(reasons(undone)) == [("book:Oslo", "late_evidence"), ("book:Rome", "late_evidence")]
    await client.delete_execution(denied.execution.id)
    async with actae.run("r", channel_id=channel):
        await trip.book("Rome")
    assert reasons(await actae.undo(channel_id=channel, to_cursor=0)) == [("book:Oslo", "late_evidence")]


@pytest.mark.parametrize("ends", ["complete", "fail", "cancel"])
async def test_a_late_report_is_told_whatever_the_next_attempt_does(
    actae: Actae, client: ActaeClient, server_clock: Clock, channel: str, ends: str
) -> None:
    """The effect that was reported is still in the world, and still not on record."""
    Trip(actae)

    async def claim(**terms: Any) -> Claimed | Reclaimed:
        claim = await client.claim_execution(channel, "book:Rome", "book", {"place": "Rome"}, **terms)
        assert isinstance(claim, Claimed | Reclaimed)
        return claim

    first = await claim(on_lapse="ambiguous", lease_seconds=10)
    server_clock.advance(11)
    await client.resolve_execution(first.execution.id, "not_applied", by="ada")
    with pytest.raises(ExecutionNotOwnedError):
        await client.complete_execution(first.execution.id, first.claim_token, "ticket 1")
    second = await claim()
    if ends == "complete":
        await client.complete_execution(second.execution.id, second.claim_token, "ticket 2")
    elif ends == "fail":
        await client.fail_execution(second.execution.id, "no", claim_token=second.claim_token)
    else:
        await client.cancel_execution(second.execution.id, second.claim_token)
    for _ in range(2):
        report = await actae.undo(channel_id=channel, to_cursor=0)
        assert [each.result for each in report.undone] == ["released Rome"] * (ends == "complete")
        assert (report.is_complete, reasons(report)) == (False, [("book:Rome", "late_evidence")])
    noted = await client.query(channel_ids=[channel], event_type="effects.undone")
    assert noted[0].payload["not_undone"] == [{"key_name": "book:Rome", "reason": "late_evidence"}]


async def _not_undone(actae: Actae, channel: str, to_cursor: int) -> tuple[NotUndone, ...]:
    return (await actae.undo_plan(channel_id=channel, to_cursor=to_cursor)).not_undone
