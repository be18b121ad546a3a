# Written by tools/generate_sync.py from _async/test_outcomes.py. Do not edit.
"""Outcomes that nobody knows, with the client: terms, the mark, resolutions, late evidence, the search."""

from typing import Any

import pytest

from actae_client import Claimed, LateEvidence, Reclaimed, Replayed, SyncActaeClient, errors
from tests.support.postgres import Clock


def claimed(actae: SyncActaeClient, channel: str, **terms: Any) -> Claimed:
    """A new operation that is held for ten seconds."""
    claim = actae.claim_execution(channel, "k", "charge", {"order": channel}, lease_seconds=10, **terms)
    assert isinstance(claim, Claimed)
    return claim


def test_an_ambiguous_operation_waits_for_somebody_who_knows(
    actae: SyncActaeClient, server_clock: Clock, channel: str
) -> None:
    """Nobody gets it; what is said about it replays; its old owner is heard, and changes nothing."""
    held = claimed(actae, channel, on_lapse="ambiguous")
    server_clock.advance(11)
    with pytest.raises(errors.ExecutionAmbiguousError) as caught:
        actae.claim_execution(channel, "k", "charge", {"order": channel})
    assert caught.value.details["execution_id"] == held.execution.id
    looked = actae.resolve_execution(held.execution.id, "unknown", by="ada", reason="no answer yet")
    assert (looked.status, looked.on_lapse) == ("ambiguous", "ambiguous")
    said = actae.resolve_execution(
        held.execution.id, "applied", by="ada", result={"charge": "ch_1"}, evidence={"page": "ledger"}
    )
    assert (said.status, said.result) == ("completed", {"charge": "ch_1"})
    replayed = actae.claim_execution(channel, "k", "charge", {"order": channel})
    assert (replayed.status, replayed.result) == ("replayed", {"charge": "ch_1"})
    with pytest.raises(errors.ExecutionNotOwnedError):
        actae.complete_execution(held.execution.id, held.claim_token, {"charge": "ch_2"})
    (late,) = (actae.get_execution(held.execution.id)).late_evidence
    assert isinstance(late, LateEvidence)
    assert (late.says, late.value) == ("completed", {"charge": "ch_2"})
    (event,) = actae.replay(channel, event_type="tool.late_evidence")
    assert (late.cursor, late.event_id, late.recorded_at) == (event.cursor, event.id, event.timestamp)


def test_not_applied_hands_the_operation_out_again(
    actae: SyncActaeClient, server_clock: Clock, channel: str
) -> None:
    """As the next attempt."""
    held = claimed(actae, channel, on_lapse="ambiguous")
    with pytest.raises(errors.ExecutionInProgressError):
        actae.resolve_execution(held.execution.id, "not_applied", by="ada")
    server_clock.advance(11)
    actae.resolve_execution(held.execution.id, "not_applied", by="ada")
    again = actae.claim_execution(channel, "k", "charge", {"order": channel})
    assert isinstance(again, Reclaimed)
    assert (again.execution.attempts, again.unapplied) == (2, True)


def test_what_was_found_out_about_an_attempt_says_nothing_about_the_next(
    actae: SyncActaeClient, server_clock: Clock, channel: str
) -> None:
    """Who names the attempt is refused when it is over."""
    held = claimed(actae, channel, on_lapse="ambiguous")
    server_clock.advance(11)
    actae.resolve_execution(held.execution.id, "not_applied", by="ada", attempts=1)
    actae.claim_execution(channel, "k", "charge", {"order": channel}, on_lapse="ambiguous")
    server_clock.advance(61)
    with pytest.raises(errors.ExecutionMovedOnError) as caught:
        actae.resolve_execution(held.execution.id, "applied", by="bob", attempts=1)
    assert caught.value.details["attempts"] == 2


def test_only_a_lapse_after_the_mark_is_ambiguous(
    actae: SyncActaeClient, server_clock: Clock, channel: str
) -> None:
    """Before it, the tool was not called."""
    claimed(actae, channel, on_lapse="ambiguous", dispatches=True)
    server_clock.advance(11)
    again = actae.claim_execution(
        channel, "k", "charge", {"order": channel}, lease_seconds=10, on_lapse="ambiguous", dispatches=True
    )
    assert isinstance(again, Reclaimed)
    assert again.unapplied
    assert (actae.mark_dispatched(again.execution.id, again.claim_token)).status == "running"
    server_clock.advance(11)
    with pytest.raises(errors.ExecutionAmbiguousError):
        actae.claim_execution(channel, "k", "charge", {"order": channel})


def test_who_does_not_know_says_so(actae: SyncActaeClient, channel: str) -> None:
    """The operation is ambiguous at once; its owner may still learn what happened."""
    held = claimed(actae, channel)
    given_up = actae.fail_execution(
        held.execution.id, "no answer", claim_token=held.claim_token, outcome_unknown=True
    )
    assert given_up.status == "ambiguous"
    with pytest.raises(errors.ExecutionAmbiguousError):
        actae.claim_execution(channel, "k", "charge", {"order": channel})
    done = actae.complete_execution(held.execution.id, held.claim_token, "done after all")
    assert done.status == "completed"


def test_a_failure_replays_for_who_asks(actae: SyncActaeClient, channel: str) -> None:
    """With the error as it was recorded; for anybody else the tool runs again."""
    held = claimed(actae, channel)
    actae.fail_execution(
        held.execution.id, "no\0funds", claim_token=held.claim_token, error_type="Declined", stack="…"
    )
    replayed = actae.claim_execution(channel, "k", "charge", {"order": channel}, on_failure="replay")
    assert isinstance(replayed, Replayed)
    assert replayed.execution.status == "failed"
    assert replayed.error == {"message": "no\0funds", "error_type": "Declined", "stack": "…"}
    again = actae.claim_execution(channel, "k", "charge", {"order": channel})
    assert isinstance(again, Reclaimed)
    assert not again.unapplied


def test_what_was_resolved_as_not_applied_is_no_failure_to_replay(
    actae: SyncActaeClient, channel: str
) -> None:
    """The tool did not fail; it is to be called."""
    held = claimed(actae, channel)
    actae.fail_execution(held.execution.id, "?", claim_token=held.claim_token, outcome_unknown=True)
    actae.resolve_execution(held.execution.id, "not_applied", by="ada")
    again = actae.claim_execution(channel, "k", "charge", {"order": channel}, on_failure="replay")
    assert isinstance(again, Reclaimed)


def test_a_key_lives_for_its_time(actae: SyncActaeClient, server_clock: Clock, channel: str) -> None:
    """Then it names nothing any more, and its record can still be read."""
    held = claimed(actae, channel, ttl_seconds=60)
    assert held.execution.expires_at is not None
    actae.complete_execution(held.execution.id, held.claim_token, 1)
    server_clock.advance(61)
    with pytest.raises(errors.KeyExpiredError) as caught:
        actae.claim_execution(channel, "k", "charge", {"order": channel})
    assert caught.value.details["execution_status"] == "completed"
    assert (actae.get_execution(held.execution.id)).result == 1


def test_a_search_goes_on_over_all_pages(actae: SyncActaeClient, channel: str) -> None:
    """Newest first, on all channels, by what the params say."""
    for number in range(5):
        params = {"order": channel, "part": number, "urgent": number == 3}
        actae.claim_execution(f"{channel}.{number}", "k", "charge", params)
    search = actae.executions.search_executions
    found = search(field="order", value=channel, page_size=2)
    assert [each.params["part"] for each in found] == [4, 3, 2, 1, 0]
    prefixed = search(key_prefix="k", field="order", value=channel)
    assert [each.params["part"] for each in prefixed] == [4, 3, 2, 1, 0]
    described = search(text='"part":3,"urgent":true', key_prefix="k")
    assert [each.channel_id for each in described if each.params["order"] == channel] == [f"{channel}.3"]
    urgent = search(field="urgent", value=True, tool_name="charge")
    assert [each.channel_id for each in urgent if each.params["order"] == channel] == [f"{channel}.3"]
    assert [each.id for each in search(status="ambiguous", key_prefix=channel)] == []
