"""The writer's two statements: what a batch reads, and the one guarded write."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Protocol

import asyncpg
import msgspec

from actae.domain.channels import Head
from actae.domain.executions import Claim, ExecutionRow
from actae.domain.guarding import Guarding
from actae.domain.guards import CallKey, Recall
from actae.domain.view import Changes, OperationRow, View
from actae.store.queries import Query, compose, query, query_of_one_row

READ_BATCH = query("read_batch")
READ_ONE = query_of_one_row("read_batch")
LOCK_HEADS = query("lock_heads")

_SECOND = timedelta(seconds=1)

# Another server moved a head between our read and our write: the guard divided by zero, or the insert met
# the other's row, or the two waited for each other.
_LOST_RACE_STATES = frozenset({"22012", "23505", "40001", "40P01"})


class Lookup(Protocol):
    """What every ask tells of itself."""

    @property
    def channel_id(self) -> str: ...
    @property
    def key_digest(self) -> str | None: ...
    @property
    def operation_digest(self) -> str | None: ...


def is_lost_race(error: asyncpg.PostgresError) -> bool:
    """Whether the write failed because another server was faster; nothing of it stays."""
    return error.sqlstate in _LOST_RACE_STATES


async def read_view(connection: asyncpg.Connection, asks: Sequence[Lookup]) -> View:
    """One query, no lock: the heads and rows that the asks name, and the database's time."""
    channel_ids = [ask.channel_id for ask in asks]
    key_digests = [ask.key_digest for ask in asks]
    operation_digests = [ask.operation_digest for ask in asks]
    has_claims = any(isinstance(ask, Claim) for ask in asks)
    columns: tuple[Sequence[object], ...] = (channel_ids, key_digests, operation_digests)
    if len(asks) == 1:
        rows = await connection.fetch(READ_ONE.sql, has_claims, *(column[0] for column in columns))
    else:
        rows = await connection.fetch(READ_BATCH.sql, has_claims, *map(_sent, columns))
    heads: list[Head] = []
    executions: list[ExecutionRow] = []
    operations: list[OperationRow] = []
    for channel_id, key_digest, operation_digest, row in zip(
        channel_ids, key_digests, operation_digests, rows, strict=True
    ):
        (
            revision, cursor, chain_hash, version, latest_version, latest_version_cursor, latest_step,
            lifecycle, is_fork, has_approvals, key_name, tool_name, fingerprint, status, attempts,
            token_digest, lease_seconds, lease_until, started_cursor, started_event_id, completed_cursor,
            completed_event_id, replay_emitted, created_at, updated_at, completed_at, actor, started_payload,
            completed_payload, on_lapse, expires_at,
            content_digest, known_cursor, known_version, _now, _guards_revision,
        ) = row  # fmt: skip
        if revision is None:
            continue
        heads.append(
            Head(channel_id, revision, cursor, chain_hash, version, latest_version, latest_version_cursor,
                 latest_step, lifecycle, is_fork, has_approvals)
        )  # fmt: skip
        if status is not None and key_digest is not None:
            executions.append(
                ExecutionRow(
                    channel_id, key_digest, key_name, tool_name, fingerprint, status, attempts, token_digest,
                    lease_seconds, lease_until, started_cursor, started_event_id, completed_cursor,
                    completed_event_id, replay_emitted, created_at, updated_at, completed_at,
                    actor or "system", started_payload, completed_payload, on_lapse, expires_at,
                )
            )  # fmt: skip
        if content_digest is not None and operation_digest is not None:
            operations.append(
                OperationRow(channel_id, operation_digest, content_digest, known_cursor, known_version)
            )
    now: datetime = rows[0]["now"]
    view = View(now, heads, executions, operations)
    view.changes.guards_revision = rows[0]["guards_revision"]
    return view


async def lock_heads(connection: asyncpg.Connection, channel_ids: Iterable[str]) -> None:
    """Take the heads' row locks, in id order. Needs an open transaction."""
    await connection.fetch(LOCK_HEADS.sql, list(set(channel_ids)))


# Evaluated, and so locked, in this order: heads by id, budgets and calls by key, the guards.
_COUNTED = ("write_moved", "write_born", "write_uses", "write_recalls", "hold_guards")

_GUARD = """
select 1 / (case when {counted} = :expected::bigint then 1 else 0 end) as nothing_came_between
"""


@cache
def _statement(parts: tuple[str, ...], *, of_one_row: bool) -> Query:
    counted = " + ".join(
        f"(select count(*) from {part})"  # noqa: S608  # names of ours, from the lines above
        for part in parts
        if part in _COUNTED
    )
    return compose("write_batch", parts, _GUARD.format(counted=counted), of_one_row=of_one_row)


def compose_all(*, of_one_row: bool) -> Query:
    """The write with every part in it, as the query-plan test reads it."""
    return _statement(
        (
            "write_moved",
            "write_born",
            "write_channels",
            "write_events",
            "write_states",
            "write_operations",
            "write_steps",
            "write_claims",
            "write_settlements",
            "write_evidence",
            "write_approvals",
            "write_uses",
            "write_recalls",
            "hold_guards",
        ),
        of_one_row=of_one_row,
    )


class _Write:
    """The statement of one batch, put together part by part.

    Only the tables that the batch touches take part: an idle part costs as much as a small write.
    """

    def __init__(self, now: datetime) -> None:
        self._parts: list[str] = []
        self._values: dict[str, object] = {"now": now}
        self._columns: dict[str, Sequence[object]] = {}
        self._expected = 0

    def add(self, part: str, names: Sequence[str | None], rows: Iterable[Sequence[object]]) -> None:
        """A part and its rows. Rows may be longer than the names; the rest is not stored here."""
        self._parts.append(part)
        columns = zip(names, zip(*rows, strict=True), strict=False)
        self._columns.update({name: column for name, column in columns if name is not None})

    def add_alone(self, part: str, **values: object) -> None:
        """A part that brings no rows."""
        self._parts.append(part)
        self._values |= values

    def expect(self, rows: int) -> None:
        """So many more rows must be counted in the end, or nothing is written."""
        self._expected += rows

    async def execute(self, connection: asyncpg.Connection) -> None:
        of_one_row = all(len(column) == 1 for column in self._columns.values())
        sent = _only if of_one_row else _sent
        values = {name: sent(column) for name, column in self._columns.items()}
        values |= self._values
        values["expected"] = self._expected
        statement = _statement(tuple(self._parts), of_one_row=of_one_row)
        await connection.execute(statement.sql, *statement.arguments(values))


async def write_changes(connection: asyncpg.Connection, changes: Changes, now: datetime) -> None:
    """Write everything, or nothing if a head is no longer where it was read, or the guards have changed."""
    write = _Write(now)
    if changes.moved:
        # In id order, so that two servers which move the same heads lock them in the same order.
        moved = sorted(changes.moved.values(), key=_by_channel)
        write.add("write_moved", _MOVED_COLUMNS, map(msgspec.structs.astuple, moved))
        write.expect(len(moved))
    if changes.born:
        born = sorted(changes.born.values(), key=_by_channel)
        write.add("write_born", _BORN_COLUMNS, map(msgspec.structs.astuple, born))
        write.add_alone("write_channels")
        write.expect(len(born))
    if changes.events:
        write.add("write_events", _EVENT_COLUMNS, changes.events)
    if changes.states:
        write.add("write_states", _STATE_COLUMNS, changes.states)
    if changes.operations:
        write.add("write_operations", _OPERATION_COLUMNS, changes.operations)
    if changes.steps:
        write.add("write_steps", _STEP_COLUMNS, changes.steps)
    if changes.claims:
        claims = changes.claims.values()
        write.add("write_claims", _CLAIM_COLUMNS, [_claim_row(row, now) for row in claims])
    if changes.settlements:
        settlements = changes.settlements.values()
        write.add("write_settlements", _SETTLEMENT_COLUMNS, [_settled_row(row, now) for row in settlements])
    if changes.evidence:
        write.add("write_evidence", _EVIDENCE_COLUMNS, changes.evidence)
    if changes.approvals:
        approvals = changes.approvals.values()
        write.add("write_approvals", _APPROVAL_COLUMNS, map(msgspec.structs.astuple, approvals))
    if changes.guarding is not None:
        _add_guarding(write, changes.guarding)
    if changes.claims and changes.guards_revision is not None:
        write.add_alone("hold_guards", guards_revision=changes.guards_revision)
        write.expect(1)
    await write.execute(connection)


def _add_guarding(write: _Write, guarding: Guarding) -> None:
    if guarding.uses:
        uses = sorted(guarding.uses.items())
        rows = ((*key, use.window_end, use.taken, use.limit) for key, use in uses)
        write.add("write_uses", _USE_COLUMNS, rows)
        write.expect(len(uses))
    if guarding.recalls:
        recalls = sorted(guarding.recalls.items())
        write.add("write_recalls", _RECALL_COLUMNS, (_recall_row(key, recall) for key, recall in recalls))
        write.expect(len(recalls))


def _by_channel(head: Head) -> str:
    return head.channel_id


def _only(column: Sequence[object]) -> object:
    return column[0]


def _sent(column: Sequence[object]) -> Sequence[object] | None:
    """A column of nulls is not sent: `unnest` fills it up, and the driver looks at each element."""
    if column[0] is None and column.count(None) == len(column):
        return None
    return column


# In the order of the fields of Head, EventRow, StateRow, OperationRow, StepRow and ApprovalRow, and of the
# rows below.
_MOVED_COLUMNS = (
    "head_channel_ids", "head_revisions", "head_cursors", "head_chain_hashes", "head_versions",
    "head_latest_versions", "head_latest_version_cursors", "head_latest_steps", None, None,
    "head_has_approvals",
)  # fmt: skip
_BORN_COLUMNS = (
    "born_channel_ids", None, "born_cursors", "born_chain_hashes", "born_versions", "born_latest_versions",
    "born_latest_version_cursors", "born_latest_steps", None, None, "born_has_approvals",
)  # fmt: skip
_EVENT_COLUMNS = (
    "event_channel_ids", "event_cursors", "event_ids", "event_types", "event_actors", "event_agent_ids",
    "event_user_ids", "event_payloads", "event_metadatas", "event_depends_on", "event_dependencies",
    "event_chain_hashes",
)  # fmt: skip
_STATE_COLUMNS = (
    "state_channel_ids",
    "state_versions",
    "state_cursors",
    "state_states",
    "state_dependencies",
)
_OPERATION_COLUMNS = (
    "operation_channel_ids", "operation_operation_digests", "operation_content_digests", "operation_cursors",
    "operation_versions",
)  # fmt: skip
_STEP_COLUMNS = (
    "step_channel_ids", "step_numbers", "step_cursors", "step_event_ids", "step_latest_steps",
)  # fmt: skip
_CLAIM_COLUMNS = (
    "claim_channel_ids", "claim_key_digests", "claim_key_names", "claim_tool_names", "claim_fingerprints",
    "claim_statuses", "claim_attempts", "claim_token_digests", "claim_lease_seconds", "claim_lease_left",
    "claim_started_cursors", "claim_started_event_ids", "claim_completed_cursors",
    "claim_completed_event_ids", "claim_replay_emitted", "claim_on_lapses", "claim_life_left",
)  # fmt: skip
_SETTLEMENT_COLUMNS = (
    "settled_channel_ids", "settled_key_digests", "settled_statuses", "settled_lease_left",
    "settled_completed_cursors", "settled_completed_event_ids", "settled_replay_emitted", "settled_ends",
    "settled_on_lapses",
)  # fmt: skip
_APPROVAL_COLUMNS = (
    "approval_channel_ids", "approval_request_digests", "approval_request_ids", "approval_key_digests",
    "approval_fingerprints", "approval_statuses", "approval_requested_cursors",
    "approval_requested_event_ids", "approval_expires_at", "approval_decided_cursors",
)  # fmt: skip
_USE_COLUMNS = (
    "use_channel_ids", "use_guard_ids", "use_window_starts", "use_window_ends", "use_taken", "use_limits",
)  # fmt: skip
_RECALL_COLUMNS = (
    "recall_channel_ids", "recall_guard_ids", "recall_fingerprints", "recall_called_channel_ids",
    "recall_called_key_digests", "recall_claimed_at", "recall_repeats", "recall_forgotten_at",
    "recall_before_channel_ids", "recall_before_key_digests",
)  # fmt: skip


_EVIDENCE_COLUMNS = (
    "evidence_channel_ids",
    "evidence_key_digests",
    "evidence_token_digests",
    "evidence_cursors",
)


def _claim_row(row: ExecutionRow, now: datetime) -> tuple[object, ...]:
    return (
        row.channel_id, row.key_digest, row.key_name, row.tool_name, row.fingerprint, row.status,
        row.attempts, row.token_digest, row.lease_seconds, _seconds_until(row.lease_until, now),
        row.started_cursor, row.started_event_id, row.completed_cursor, row.completed_event_id,
        row.replay_emitted, row.on_lapse, _seconds_until(row.expires_at, now),
    )  # fmt: skip


def _settled_row(row: ExecutionRow, now: datetime) -> tuple[object, ...]:
    return (
        row.channel_id, row.key_digest, row.status, _seconds_until(row.lease_until, now),
        row.completed_cursor, row.completed_event_id, row.replay_emitted, row.completed_at == now,
        row.on_lapse,
    )  # fmt: skip


def _recall_row(key: CallKey, recall: Recall) -> tuple[object, ...]:
    call = recall.call
    return (
        *key, call.channel_id, call.key_digest, call.claimed_at, call.repeats, recall.forgotten_at,
        *(recall.before or (None, None)),
    )  # fmt: skip


def _seconds_until(moment: datetime | None, now: datetime) -> float | None:
    """Exact to the microsecond: a lease that only goes on is written as it was."""
    return None if moment is None else (moment - now) / _SECOND
