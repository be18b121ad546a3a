"""A verification finds what was damaged behind the server's back, and says which promise that breaks."""

import pytest

from actae.operations.verification import verify
from actae.store.database import Database
from tests.support import asks
from tests.support.damage import damage, invariants
from tests.support.everything import fill, fill_approvals, fill_outcomes
from tests.support.writers import writing

DONE = f"key_digest = '{asks.claim('done').key_digest}'"
BUSY = f"key_digest = '{asks.claim('running').key_digest}'"

DAMAGES: dict[str, tuple[str, str]] = {
    "an event is missing": ("delete from events where cursor = 2", "cursors_have_no_gap"),
    "the last event is missing": (
        "delete from events where cursor = (select max(cursor) from events)",
        "head_is_where_the_log_ends",
    ),
    "a payload was changed": ("update events set payload = '2' where cursor = 1", "chain_is_whole"),
    "an actor was changed": ("update events set actor = 'eve' where cursor = 1", "chain_is_whole"),
    "the head is ahead": ("update channel_heads set cursor = cursor + 1", "head_is_where_the_log_ends"),
    "the head has another hash": ("update channel_heads set chain_hash = 'x'", "head_is_where_the_log_ends"),
    "a snapshot was added": (
        "insert into states select channel_id, 99, cursor, state, null, saved_at from states limit 1",
        "snapshots_were_numbered_by_the_head",
    ),
    "the latest snapshot is gone": ("delete from states where version = 2", "head_names_the_latest_snapshot"),
    "a step points elsewhere": (
        "update steps set cursor = 2 where step_number = 1",
        "steps_point_at_their_events",
    ),
    "a step is gone": ("delete from steps where step_number = 2", "head_names_the_highest_step"),
    "an operation id names nothing": (
        "update operations set cursor = 99 where cursor = 1",
        "operations_name_what_they_wrote",
    ),
    "two operation ids name one event": (
        "update operations set cursor = 1 where cursor = 2",
        "operations_write_one_event_each",
    ),
    "a result was taken back": (
        f"update executions set status = 'failed' where {DONE}",
        "ledger_agrees_with_the_log",
    ),
    "a running operation counts as failed": (
        f"update executions set (status, lease_until, completed_at) = ('failed', null, now()) where {BUSY}",
        "ledger_agrees_with_the_log",
    ),
    "an attempt was not counted": (
        "update executions set attempts = 1 where attempts = 2",
        "ledger_agrees_with_the_log",
    ),
    "a replay was forgotten": (
        f"update executions set replay_emitted = false where {DONE}",
        "ledger_agrees_with_the_log",
    ),
    "a start points elsewhere": (
        f"update executions set started_cursor = 1 where {BUSY}",
        "ledger_agrees_with_the_log",
    ),
    "a key was renamed": (f"update executions set key_name = 'other' where {DONE}", "ledger_row_is_sound"),
    "an end has no moment": (
        f"update executions set completed_at = null where {DONE}",
        "ledger_row_is_sound",
    ),
    "a ledger row moved to a channel that is not there": (
        f"update executions set channel_id = 'nowhere' where {DONE}",
        "rows_belong_to_a_channel",
    ),
    "the head is gone": ("delete from channel_heads", "rows_belong_to_a_channel"),
    "the channel is gone": ("delete from channels", "channels_agree_with_their_heads"),
    "a closed channel is open": ("update channels set closed_at = now()", "channels_agree_with_their_heads"),
    "a deleted channel is still full": (
        "update channels set deleted_at = now(); update channel_heads set lifecycle = 'deleted', cursor = 0",
        "head_is_where_the_log_ends",
    ),
    "what has ended would be ambiguous": (
        f"update executions set on_lapse = 'ambiguous' where {DONE}",
        "ledger_row_is_sound",
    ),
    "a late report is elsewhere": (
        "update late_evidence set cursor = 1",
        "late_evidence_agrees_with_the_log",
    ),
    "a late report is about another operation": (
        f"update late_evidence set key_digest = '{asks.claim('done').key_digest}'",
        "late_evidence_agrees_with_the_log",
    ),
    "a late report has outlived its operation": (
        f"delete from executions where key_digest = '{asks.claim('said applied').key_digest}'",
        "late_evidence_agrees_with_the_log",
    ),
    "an answer was forgotten": (
        "update approvals set status = 'pending' where status = 'approved'",
        "approvals_agree_with_the_log",
    ),
    "an answer was made up": (
        "update approvals set status = 'approved' where status = 'pending'",
        "approvals_agree_with_the_log",
    ),
    "an answer is another event": (
        "update approvals set decided_cursor = 1 where status = 'rejected'",
        "approvals_agree_with_the_log",
    ),
    "a request was superseded by nothing": (
        "update approvals set status = 'superseded' where status = 'rejected'",
        "approvals_agree_with_the_log",
    ),
    "a request never expires": (
        "update approvals set expires_at = null, decided_cursor = null where status = 'expired'",
        "approvals_agree_with_the_log",
    ),
    "a request was never asked": (
        "update approvals set requested_cursor = 1",
        "approvals_agree_with_the_log",
    ),
    "a request was renamed": ("update approvals set request_id = 'r'", "approvals_agree_with_the_log"),
    "the head knows of no approvals": (
        "update channel_heads set has_approvals = false",
        "head_knows_of_approvals",
    ),
    "the bound requests are gone": (
        "delete from approvals where key_digest is not null",
        "head_knows_of_approvals",
    ),
    "an event id is used twice": (
        "update events set event_id = (select event_id from events where cursor = 2) where cursor = 1",
        "event_ids_are_unique",
    ),
}


@pytest.mark.parametrize("what", DAMAGES)
async def test_damage_is_found(db: Database, database_url: str, what: str) -> None:
    """By the invariant that it breaks."""
    async with writing(database_url) as (writer, _):
        await fill(writer)
        await fill_approvals(writer)
        await fill_outcomes(writer)
    statement, invariant = DAMAGES[what]
    await damage(database_url, statement)
    report = await verify(db)
    assert not report.is_whole
    assert invariant in invariants(report)
