"""Methods of whoever looks at operations, and of whoever says what became of one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine
from typing import Any

from actae_client._async.sender import Sender
from actae_client._calls import ledger
from actae_client._types.executions import ExecutionInfo, Resolution
from actae_client._types.json import Json


class LedgerMethods(Sender):
    """Finding operations, one by one or by what they are about, and resolving what nobody knows."""

    def get_execution(self, execution_id: str) -> Coroutine[Any, Any, ExecutionInfo]:
        """One operation, with what was reported of it too late. Raises ExecutionNotFoundError."""
        return self._send(ledger.get_execution(execution_id))

    def list_executions(
        self, channel_id: str, limit: int = 50, *, offset: int = 0, status: str | None = None
    ) -> Coroutine[Any, Any, list[ExecutionInfo]]:
        """A channel's operations, newest first; `limit` is 1 to 100.

        Where operations are large there are fewer. To read all, ask again after `offset` of them until
        nothing comes. `status` is one of those of `search_executions`.
        """
        return self._send(ledger.list_executions(channel_id, limit=limit, offset=offset, status=status))

    async def search_executions(
        self,
        *,
        status: str | None = None,
        tool_name: str | None = None,
        key_prefix: str | None = None,
        older_than_seconds: int | None = None,
        field: str | None = None,
        value: str | int | float | bool | None = None,
        text: str | None = None,
        page_size: int = 100,
    ) -> AsyncIterator[ExecutionInfo]:
        """The operations of all channels that the key may read, newest first, fetched page by page.

        `status` is `running`, `lapsed`, `ambiguous`, `completed`, `failed` or `cancelled`. `field` and
        `value` look at the top level of the params: an order's number, say. `text` is found anywhere in the
        key, the tool's name, the channel's id, or the params as JSON; case counts.

        Raises InvalidRequestError, PermissionDeniedError.
        """
        after = None
        while True:
            page = await self._send(
                ledger.search_executions(
                    status=status,
                    tool_name=tool_name,
                    key_prefix=key_prefix,
                    older_than_seconds=older_than_seconds,
                    field=field,
                    value=value,
                    text=text,
                    limit=page_size,
                    after=after,
                )
            )
            for execution in page.executions:
                yield execution
            after = page.next_page
            if after is None:
                return

    def resolve_execution(
        self,
        execution_id: str,
        outcome: Resolution,
        *,
        by: str,
        result: Json = None,
        reason: str | None = None,
        evidence: Json = None,
        attempts: int | None = None,
        operation_id: str | None = None,
    ) -> Coroutine[Any, Any, ExecutionInfo]:
        """Say what became of an operation that nobody holds and that is not completed.

        `applied` completes it with the `result`, which every claim replays from then on;
        `not_applied` lets the next claimer have it; `unknown` only notes that somebody looked. `by`
        says who decides, `evidence` is any JSON about what was looked at; all of it is in the log.
        Whoever held the operation is fenced out by the first two. `attempts`, as you saw it, refuses the
        resolution when another attempt has begun since. An `operation_id` is made for each call that names
        none.

        Raises ExecutionInProgressError while its owner's lease is live, ExecutionTerminalError when it
        is completed with another result, ExecutionMovedOnError when `attempts` is not the latest,
        ExecutionNotFoundError, IdempotencyConflictError.
        """
        return self._send(
            ledger.resolve_execution(
                execution_id,
                outcome,
                by=by,
                result=result,
                reason=reason,
                evidence=evidence,
                attempts=attempts,
                operation_id=operation_id,
            )
        )

    def delete_execution(self, execution_id: str) -> Coroutine[Any, Any, bool]:
        """Forget an operation, which frees its key; its events stay. Raises ExecutionNotFoundError."""
        return self._send(ledger.delete_execution(execution_id))
