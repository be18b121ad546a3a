"""Looking whether what a channel did is safe to be started again."""

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

import msgspec

from actae.domain.canonical_json import PLAIN_NUMBER_CHARS_MAX
from actae.domain.checklist import Checklist, SeenOperation, make_checklist
from actae.domain.claims import dedup_fields_of
from actae.domain.errors import ChannelNotFoundError
from actae.domain.executions import ExecutionRow, params_of, show
from actae.domain.late_evidence import first_unrecorded
from actae.domain.provider_keys import client_idempotency_key
from actae.operations.aside import aside
from actae.store import checklist as store
from actae.store import executions as executions_store
from actae.store.channels import get_heads
from actae.store.database import Database, Transaction, story
from actae.store.late_evidence import list_late_evidence
from actae.store.verification import hold_one_snapshot

OPERATIONS_MAX: Final = 1_000
SNAPSHOTS_MAX: Final = 1_000

_LOOKED_INTO_BYTES_MAX: Final = 16 * 1024  # of params; larger ones are payloads, not identities
_COPIED_VERSION: Final = 1


class Checklists(NamedTuple):
    """Those of some channels, and the last one if there are more."""

    checklists: list[Checklist]
    next_after: str | None


@story
async def check_channel(tx: Transaction, channel_id: str) -> Checklist:
    """The checklist of a channel, all of one moment.

    Raises:
        ChannelNotFoundError
    """
    await hold_one_snapshot(tx)
    heads = await get_heads(tx, channel_id)
    if not heads:
        raise ChannelNotFoundError(channel_id)
    operations, has_more = await _see_operations(tx, channel_id)
    snapshots = await store.list_snapshots(tx, channel_id, most=SNAPSHOTS_MAX + 1)
    if heads[0].is_fork:  # it begins with a copy, which nobody of its run has stored
        snapshots = [each for each in snapshots if each.version > _COPIED_VERSION]
    return await aside(
        len(operations) * _LOOKED_INTO_BYTES_MAX,
        make_checklist,
        channel_id,
        operations,
        snapshots[:SNAPSHOTS_MAX],
        truncated=has_more or len(snapshots) > SNAPSHOTS_MAX,
    )


async def check_channels(
    db: Database, pattern: str, *, readable: list[str] | None, after: str, most: int
) -> Checklists:
    """Those of the channels that match a LIKE pattern, by their ids, each of a moment of its own."""
    found = await store.list_channels_like(db, pattern, readable=readable, after=after, most=most + 1)
    checklists = [await check_channel(db, channel_id) for channel_id in found[:most]]
    return Checklists(checklists, found[most - 1] if len(found) > most else None)


async def _see_operations(tx: Transaction, channel_id: str) -> tuple[list[SeenOperation], bool]:
    """The newest operations, without the session fence, and whether there are more."""
    lapsed = await store.list_lapsed_keys(tx, channel_id)
    evidence = await store.list_keys_with_evidence(tx, channel_id)
    seen: list[SeenOperation] = []
    skip, has_more = 0, True
    while has_more and skip < OPERATIONS_MAX:
        page = await executions_store.list_executions(
            tx, channel_id, status=None, skip=skip, most=OPERATIONS_MAX - skip
        )
        skip += len(page.rows)
        size = sum(len(row.started_payload or b"") + len(row.completed_payload or b"") for row in page.rows)
        unrecorded = await _list_unrecorded(tx, [row for row in page.rows if row.key_digest in evidence])
        seen += await aside(size, _see, page.rows, lapsed, evidence, unrecorded)
        has_more = page.was_cut
    more = await executions_store.list_executions(tx, channel_id, status=None, skip=skip, most=1)
    return seen, bool(more.rows)


async def _list_unrecorded(tx: Transaction, rows: list[ExecutionRow]) -> dict[str, int]:
    """Of the operations that were reported on too late: where an effect was that the record does not hold."""
    found = {}
    for row in rows:
        report = first_unrecorded(await list_late_evidence(tx, row.channel_id, row.key_digest), row)
        if report is not None:
            found[row.key_digest] = report.cursor
    return found


def _see(
    rows: list[ExecutionRow], lapsed: set[str], evidence: Mapping[str, int], unrecorded: Mapping[str, int]
) -> list[SeenOperation]:
    return [_seen(row, lapsed, evidence, unrecorded) for row in rows if row.started_cursor is not None]


def _seen(
    row: ExecutionRow, lapsed: set[str], evidence: Mapping[str, int], unrecorded: Mapping[str, int]
) -> SeenOperation:
    params, shown = bytes(params_of(row)), show(row)
    is_done = row.status == "completed"
    result = bytes(shown.result)
    keys = (shown.id.encode(), client_idempotency_key(row.channel_id, row.key_name).encode())
    assert row.started_cursor is not None, "the fence is left out"
    return SeenOperation(
        execution_id=shown.id,
        key_name=row.key_name,
        tool_name=row.tool_name,
        fingerprint=row.fingerprint,
        status=row.status,
        attempts=row.attempts,
        called_at=row.created_at,
        started_cursor=row.started_cursor,
        completed_cursor=row.completed_cursor,
        params=_decoded(params),
        compared=dedup_fields_of(row),
        result=_kind_of(result) if is_done else None,
        mentions_its_key=any(key in text for key in keys for text in (params, result)),
        is_lapsed=row.key_digest in lapsed,
        late_evidence_cursor=evidence.get(row.key_digest),
        unrecorded_cursor=unrecorded.get(row.key_digest),
    )


def _kind_of(result: bytes) -> Literal["present", "null", "omitted"]:
    if result.strip() == b"null":
        return "null"
    return "omitted" if result.startswith(b'{"$omitted"') else "present"


def _decoded(params: bytes) -> Any:
    """None for what is too large to be looked into."""
    if len(params) > _LOOKED_INTO_BYTES_MAX:
        return None
    try:
        return msgspec.json.decode(params)
    except msgspec.DecodeError:  # half of a surrogate pair, or an endless number
        return _patient_decoder.decode(params.decode())


def _whole(literal: str) -> int | str:
    return int(literal) if len(literal) <= PLAIN_NUMBER_CHARS_MAX else literal


_patient_decoder = json.JSONDecoder(parse_int=_whole)
