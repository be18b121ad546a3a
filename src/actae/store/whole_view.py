"""What a batch must know before it decides: the usual in one read, and what few asks need in others."""

from collections.abc import Sequence

import asyncpg

from actae.domain.guarding import Guarding
from actae.domain.view import View
from actae.store.approvals import governed_among, news_among, read_approvals, read_governing_approvals
from actae.store.batch import Lookup, read_view
from actae.store.guarding import GuardMemory, read_calls, read_uses, wanted_by
from actae.store.inheritance import heirs_among, read_inheritance
from actae.store.late_evidence import (
    read_evidence_tokens,
    read_late_results,
    strangers_among,
    unapplied_among,
)


async def read_whole_view(
    connection: asyncpg.Connection, asks: Sequence[Lookup], memory: GuardMemory
) -> View:
    """The view of a batch. Whether anything moved between the reads is found out by the guarded write."""
    view = await read_view(connection, asks)
    if heirs := heirs_among(view, asks):
        await read_inheritance(connection, view, heirs)
    if news := news_among(asks):
        await read_approvals(connection, view, news)
    if governed := governed_among(view, asks):
        await read_governing_approvals(connection, view, governed)
    if strangers := strangers_among(view, asks):
        await read_evidence_tokens(connection, view, strangers)
    if unapplied := unapplied_among(view, asks):
        await read_late_results(connection, view, unapplied)
    await _read_guards(connection, view, asks, memory)
    return view


async def _read_guards(
    connection: asyncpg.Connection, view: View, asks: Sequence[Lookup], memory: GuardMemory
) -> None:
    revision = view.changes.guards_revision
    if revision is None:
        return
    guards = await memory.at(connection, revision)
    view.changes.guards_revision = guards.revision
    if not guards:
        return
    guarding = view.changes.guarding = Guarding(guards)
    wanted = wanted_by(view, guarding, asks)
    if wanted.uses:
        await read_uses(connection, guarding, wanted.uses)
    if wanted.calls:
        await read_calls(connection, guarding, wanted.calls)
