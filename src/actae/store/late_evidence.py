"""What workers report too late: rows to records, and what a batch must know before it keeps another one."""

from collections.abc import Iterable, Sequence
from uuid import UUID

import asyncpg

from actae.domain.executions import Claim, Complete, ExecutionRow, Fail
from actae.domain.late_evidence import LateEvidence, read_evidence
from actae.domain.resolutions import Resolve
from actae.domain.tokens import digest_token
from actae.domain.view import View
from actae.store.database import Session
from actae.store.queries import query

_READ_TOKENS = query("read_evidence_tokens")
_READ_REPORTS = query("read_late_reports")
_LIST = query("list_late_evidence")


def strangers_among(view: View, asks: Iterable[object]) -> list[Complete | Fail]:
    """Those who report on an operation that they do not own."""
    return [ask for ask in asks if isinstance(ask, Complete | Fail) and _is_stranger(view, ask)]


def _is_stranger(view: View, ask: Complete | Fail) -> bool:
    row = view.execution(ask.channel_id, ask.key_digest)
    if row is None or ask.claim_token is None:
        return False
    return digest_token(ask.claim_token) != row.token_digest


async def read_evidence_tokens(
    connection: asyncpg.Connection, view: View, strangers: Sequence[Complete | Fail]
) -> None:
    """Tell the view whose reports are kept already."""
    operations = list({(ask.channel_id, ask.key_digest) for ask in strangers})
    rows = await connection.fetch(
        _READ_TOKENS.sql, [channel_id for channel_id, _ in operations], [digest for _, digest in operations]
    )
    for channel_id, key_digest, token_digest in rows:
        view.evidence(channel_id, key_digest.replace("-", "")).add(token_digest)


def unapplied_among(view: View, asks: Iterable[object]) -> list[ExecutionRow]:
    """The operations that are claimed or resolved after somebody has said that they had no effect."""
    held = (
        view.execution(ask.channel_id, ask.key_digest) for ask in asks if isinstance(ask, Claim | Resolve)
    )
    return [row for row in held if row is not None and row.is_resolved_as_not_applied]


async def read_late_results(connection: asyncpg.Connection, view: View, rows: Iterable[ExecutionRow]) -> None:
    """Tell the view who has reported a result since these operations were resolved."""
    resolved = {(row.channel_id, row.key_digest): row.completed_cursor for row in rows}
    reports = await connection.fetch(
        _READ_REPORTS.sql,
        [channel_id for channel_id, _ in resolved],
        [digest for _, digest in resolved],
        list(resolved.values()),
    )
    for channel_id, key_digest, *report in reports:
        evidence = read_evidence(*report)
        if evidence.says == "completed":
            view.tell_late_result(channel_id, key_digest.replace("-", ""), evidence.cursor)


async def list_late_evidence(session: Session, channel_id: str, key_digest: str) -> list[LateEvidence]:
    """The reports on one operation, oldest first."""
    rows = await session.fetch(_LIST, channel_id=channel_id, key_digest=UUID(key_digest))
    return [read_evidence(*row) for row in rows]
