"""The ledger: claim an operation, settle it, look at it."""

from typing import cast

from actae.domain.answers import Refused
from actae.domain.errors import ExecutionNotFoundError, ExecutionNotOwnedError
from actae.domain.executions import (
    Cancel,
    Claim,
    ClaimAnswer,
    Complete,
    Execution,
    Fail,
    Heartbeat,
    Reclaimed,
    Settled,
    execution_id,
    show,
)
from actae.observations import LeaseTakenOver, Observer, StaleOwnerRefused
from actae.operations.writer import Writer
from actae.store import approvals as approvals_store
from actae.store import channels as channels_store
from actae.store import executions as store
from actae.store.database import Database, Transaction, story


async def claim(writer: Writer, ask: Claim, observe: Observer) -> ClaimAnswer:
    """Who may run the operation, or its recorded outcome.

    Raises:
        IdempotencyKeyMismatchError, ApprovalPendingError, ApprovalRejectedError, ApprovalExpiredError,
        ApprovalMismatchError, ApprovalNotFoundError, ForkToolBlockedError, ChannelClosedError,
        ChannelDeletedError
    """
    answer = await writer.submit(ask)
    if isinstance(answer, Refused):
        raise answer.error
    if isinstance(answer, Reclaimed):
        observe(LeaseTakenOver(answer.execution.id, answer.execution.attempts))
    return cast(ClaimAnswer, answer)


async def settle(writer: Writer, ask: Complete | Fail | Heartbeat | Cancel, observe: Observer) -> Settled:
    """Complete, fail, extend or give up; how the operation stands afterwards.

    Raises:
        ExecutionNotFoundError, ExecutionNotOwnedError, ExecutionTerminalError
    """
    answer = await writer.submit(ask)
    if isinstance(answer, Refused):
        if isinstance(answer.error, ExecutionNotOwnedError):
            observe(
                StaleOwnerRefused(execution_id(ask.channel_id, ask.key_digest), type(ask).__name__.lower())
            )
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


async def list_newest(
    db: Database, channel_id: str, *, status: str | None, skip: int, most: int
) -> tuple[list[Execution], bool]:
    """The operations of a channel, newest first, and whether there are more; an unknown channel has none.

    A page ends early where its params and results are large.
    """
    page = await store.list_executions(db, channel_id, status=status, skip=skip, most=most + 1)
    return [show(row) for row in page.rows[:most]], page.was_cut or len(page.rows) > most


@story
async def delete(tx: Transaction, channel_id: str, key_digest: str) -> None:
    """Free a key. Events already appended stay; an approval of the operation was for this once, and expires.

    Raises:
        ExecutionNotFoundError
    """
    await channels_store.lock_heads(tx, channel_id)
    if not await store.delete_execution(tx, channel_id, key_digest):
        raise ExecutionNotFoundError(execution_id(channel_id, key_digest))
    await approvals_store.expire_approvals(tx, channel_id, key_digest)
    await channels_store.touch_head(tx, channel_id)
