"""The ledger: claim an operation, settle it, look at it."""

from typing import Final, NamedTuple, cast

import msgspec

from actae.domain.access import Permissions
from actae.domain.answers import Refused
from actae.domain.business_fields import has_field, has_text, sieve
from actae.domain.errors import ChannelHasForksError, ExecutionNotFoundError, ExecutionNotOwnedError
from actae.domain.executions import (
    Cancel,
    Claim,
    ClaimAnswer,
    Complete,
    Dispatch,
    Execution,
    ExecutionRow,
    Fail,
    Heartbeat,
    Reclaimed,
    Settled,
    execution_id,
    params_of,
    show,
)
from actae.domain.late_evidence import LateEvidence
from actae.domain.resolutions import Resolve
from actae.observations import LeaseTakenOver, Observer, StaleOwnerRefused
from actae.operations.writer import Writer
from actae.store import approvals as approvals_store
from actae.store import channels as channels_store
from actae.store import executions as store
from actae.store import forks as forks_store
from actae.store.database import Database, Transaction, story
from actae.store.executions import Place, Wanted
from actae.store.late_evidence import list_late_evidence

_HEIRS_TOLD_MAX = 10


async def claim(writer: Writer, ask: Claim, observe: Observer) -> ClaimAnswer:
    """Who may run the operation, or its recorded outcome.

    Raises:
        IdempotencyKeyMismatchError, KeyExpiredError, ExecutionAmbiguousError, ApprovalPendingError,
        ApprovalRejectedError, ApprovalExpiredError, ApprovalMismatchError, ApprovalNotFoundError,
        ForkToolBlockedError, ToolFrozenError, BudgetExceededError, NearDuplicateError, InvalidRequestError,
        ChannelClosedError, ChannelDeletedError
    """
    answer = await writer.submit(ask)
    if isinstance(answer, Refused):
        raise answer.error
    if isinstance(answer, Reclaimed):
        observe(LeaseTakenOver(answer.execution.id, answer.execution.attempts))
    return cast(ClaimAnswer, answer)


Settlement = Complete | Fail | Heartbeat | Cancel | Dispatch | Resolve

# Those of an owner, as they are called.
_CALLS: Final[dict[type, str]] = {
    Complete: "complete", Fail: "fail", Heartbeat: "heartbeat", Cancel: "cancel", Dispatch: "dispatched"
}  # fmt: skip


async def settle(writer: Writer, ask: Settlement, observe: Observer) -> Settled:
    """Complete, fail, extend, give up, mark or resolve; how the operation stands afterwards.

    Raises:
        ExecutionNotFoundError, ExecutionNotOwnedError, ExecutionTerminalError, ExecutionInProgressError,
        ExecutionMovedOnError, IdempotencyConflictError
    """
    answer = await writer.submit(ask)
    if isinstance(answer, Refused):
        if isinstance(answer.error, ExecutionNotOwnedError):
            observe(StaleOwnerRefused(execution_id(ask.channel_id, ask.key_digest), _CALLS[type(ask)]))
        raise answer.error
    return cast(Settled, answer)


async def get(db: Database, channel_id: str, key_digest: str) -> Execution:
    """One operation.

    Raises:
        ExecutionNotFoundError
    """
    row = await store.get_execution(db, channel_id, key_digest)
    if row is None:
        raise ExecutionNotFoundError(execution_id(channel_id, key_digest))
    return show(row)


async def get_evidence(db: Database, channel_id: str, key_digest: str) -> list[LateEvidence]:
    """What was reported of an operation after it had passed to another worker, or had ended."""
    return await list_late_evidence(db, channel_id, key_digest)


class Found(NamedTuple):
    """One page of a search, and where the next one begins; None where there is none."""

    executions: list[Execution]
    next_place: Place | None


async def search(
    db: Database, wanted: Wanted, *, field: str | None, value: str | None, after: Place | None, most: int
) -> Found:
    """Operations of all channels, newest first. `field` and `value` look at the top level of the params.

    A page may be short, and even empty, with more to come.
    """
    if field is not None and value is not None:
        wanted = msgspec.structs.replace(wanted, pattern=sieve(field, value))
    rows, place = await store.search_executions(db, wanted, after=after, most=most)
    if field is not None and value is not None:
        rows = [row for row in rows if has_field(params_of(row), field, value)]
    if wanted.text is not None:
        rows = [row for row in rows if _mentions(row, wanted, wanted.text)]
    return Found([show(row) for row in rows], place)


def _mentions(row: ExecutionRow, wanted: Wanted, text: str) -> bool:
    return (
        text in row.key_name
        or text in row.tool_name
        or text in row.channel_id
        or (wanted.searches_params and has_text(params_of(row), text))
    )


async def list_newest(
    db: Database,
    channel_id: str,
    *,
    status: str | None,
    tool_name: str | None = None,
    key_prefix: str | None = None,
    skip: int,
    most: int,
) -> tuple[list[Execution], bool]:
    """The operations of a channel, newest first, and whether there are more; an unknown channel has none.

    A page ends early where its params and results are large.
    """
    page = await store.list_executions(
        db,
        channel_id,
        status=status,
        tool_name=tool_name,
        key_prefix=key_prefix,
        skip=skip,
        most=most + 1,
    )
    return [show(row) for row in page.rows[:most]], page.was_cut or len(page.rows) > most


@story
async def delete(tx: Transaction, channel_id: str, key_digest: str, *, permissions: Permissions) -> None:
    """Free a key. Events already appended stay; an approval of the operation was for this once, and expires.

    `permissions` say of which forks the refusal may speak.

    Raises:
        ExecutionNotFoundError, ChannelHasForksError: a fork inherits it, and would run it again.
    """
    await channels_store.lock_heads(tx, channel_id)
    heirs = await forks_store.list_inheriting_forks(tx, channel_id, key_digest, most=_HEIRS_TOLD_MAX)
    if heirs:
        raise ChannelHasForksError(channel_id, permissions.observed_of(heirs))
    if not await store.delete_execution(tx, channel_id, key_digest):
        raise ExecutionNotFoundError(execution_id(channel_id, key_digest))
    await approvals_store.expire_approvals(tx, channel_id, key_digest)
    await channels_store.touch_head(tx, channel_id)
