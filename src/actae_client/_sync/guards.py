# Written by tools/generate_sync.py from _async/guards.py. Do not edit.
"""Methods about guards."""

from __future__ import annotations

from decimal import Decimal

from actae_client._calls import guards
from actae_client._sync.sender import Sender
from actae_client._types.guards import Guard


class GuardMethods(Sender):
    """What may start at all, how much of it, and what happens to calls that were made before.

    Each guard looks at the claims of one tool, of the channels that a pattern matches (exactly, or a
    prefix and `*`), of both, or of everything. They need admin permission on the whole pattern. Once
    one is added or removed, every claim on every server obeys.

    The `guard_id` is made for each call unless it is given; the same guard under the same id is one
    guard, another one is a GuardConflictError.
    """

    def freeze_tool(
        self,
        tool_name: str | None = None,
        *,
        channel_pattern: str | None = None,
        reason: str | None = None,
        guard_id: str | None = None,
    ) -> Guard:
        """Let no attempt start; what has begun may finish. Claims get ToolFrozenError with the reason."""
        return self._send(
            guards.add_guard(
                "freeze",
                tool_name=tool_name,
                channel_pattern=channel_pattern,
                guard_id=guard_id,
                reason=reason,
            )
        )

    def unfreeze_tool(self, tool_name: str) -> list[str]:
        """Remove every freeze of the tool that the key may look after, whatever its channels; their ids.

        Nothing was frozen where none comes. A freeze of every tool is removed by its id.
        """
        guards = self.list_guards()
        frozen = [each for each in guards if (each.kind, each.tool_name) == ("freeze", tool_name)]
        return [each.guard_id for each in frozen if self.remove_guard(each.guard_id)]

    def add_budget(
        self,
        limit: int | float | Decimal,
        *,
        field: str | None = None,
        window_seconds: int | None = None,
        tool_name: str | None = None,
        channel_pattern: str | None = None,
        per_channel: bool = False,
        guard_id: str | None = None,
    ) -> Guard:
        """Let at most `limit` new operations start, or so much as `field` of their params adds up to.

        Operations are counted in whole numbers. In each window of `window_seconds`, or once and for
        all; all channels together, or each `per_channel`. Claims past it get BudgetExceededError, and
        those whose field is not a number of 0 or more InvalidRequestError.
        """
        return self._send(
            guards.add_guard(
                "budget",
                tool_name=tool_name,
                channel_pattern=channel_pattern,
                guard_id=guard_id,
                limit=guards.amount(limit, field),
                field=field,
                window_seconds=window_seconds,
                per_channel=per_channel,
            )
        )

    def guard_near_duplicates(
        self,
        window_seconds: int,
        *,
        action: str = "block",
        tool_name: str | None = None,
        channel_pattern: str | None = None,
        across_channels: bool = False,
        guard_id: str | None = None,
    ) -> Guard:
        """Look out for the same call under another key within `window_seconds`.

        `warn` lets it go on, with `warnings` in the answer; `block` refuses it with NearDuplicateError;
        `ask` refuses it until somebody has approved that very call. Compared with the calls of the same
        channel, or `across_channels` of the pattern.
        """
        return self._send(
            guards.add_guard(
                "near_duplicate",
                tool_name=tool_name,
                channel_pattern=channel_pattern,
                guard_id=guard_id,
                window_seconds=window_seconds,
                action=action,
                across_channels=across_channels,
            )
        )

    def list_guards(self) -> list[Guard]:
        """The guards that the key may look after, the oldest first; budgets with what is used now."""
        return self._send(guards.list_guards())

    def remove_guard(self, guard_id: str) -> bool:
        """Let claims go on without it; False if there is none that the key may look after.

        Where the answer was lost, and it is not there when that is asked for again, it counts as removed.
        """
        return self._send(guards.remove_guard(guard_id))
