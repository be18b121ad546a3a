"""What a batch must know before it decides: the usual in one read, and what few asks need in others."""

from collections.abc import Sequence

import asyncpg

from actae.domain.view import View
from actae.store.approvals import governed_among, news_among, read_approvals, read_governing_approvals
from actae.store.batch import Lookup, read_view
from actae.store.inheritance import heirs_among, read_inheritance
from actae.store.late_evidence import read_evidence_tokens, strangers_among


async def read_whole_view(connection: asyncpg.Connection, asks: Sequence[Lookup]) -> View:
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
    return view
