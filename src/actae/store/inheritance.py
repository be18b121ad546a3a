"""The batch's second read: what claims on forks inherit. A batch without such claims never runs it."""

from collections.abc import Iterable

import asyncpg

from actae.domain.channels import FENCE_KEY
from actae.domain.executions import Claim
from actae.domain.forks import decode_policies
from actae.domain.inheritance import Inheritance, blocked_identity, told_identity
from actae.domain.view import OperationRow, View
from actae.store.executions import to_execution
from actae.store.queries import query

READ_INHERITANCE = query("read_inheritance")


def heirs_among(view: View, asks: Iterable[object]) -> list[Claim]:
    """The claims whose answer may lie with an ancestor."""
    return [
        ask
        for ask in asks
        if isinstance(ask, Claim)
        and view.head(ask.channel_id).is_fork
        and ask.key_name != FENCE_KEY
        and view.execution(ask.channel_id, ask.key_digest) is None
    ]


async def read_inheritance(connection: asyncpg.Connection, view: View, claims: list[Claim]) -> None:
    """Tell the view what these claims inherit.

    Ancestors are read without a guard: what lies before a boundary is complete, and stays.
    """
    rows = await connection.fetch(
        READ_INHERITANCE.sql,
        [ask.channel_id for ask in claims],
        [ask.key_digest for ask in claims],
        [blocked_identity(ask).operation_digest for ask in claims],
        [told_identity(ask).operation_digest for ask in claims],
    )
    for ask, row in zip(claims, rows, strict=True):
        owner_id = row["owner_id"]
        heir = None if owner_id is None else to_execution(owner_id, row)
        inheritance = Inheritance(
            decode_policies(row["tool_policies"]), heir, row["blocked_event_id"], row["is_of_a_group"]
        )
        view.add_inheritance(ask.channel_id, ask.key_digest, ask.fingerprint, inheritance)
        if row["told_cursor"] is not None:
            told = told_identity(ask)
            view.add_operation(
                OperationRow(
                    ask.channel_id, told.operation_digest, told.content_digest, row["told_cursor"], None
                )
            )
