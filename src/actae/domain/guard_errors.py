"""What guards say to a claim, and to those who look after them. Their place in the tree is in `errors.py`."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

from actae.domain.amounts import write_amount
from actae.domain.errors import ConflictError, MissingError


class ToolFrozenError(ConflictError):
    """Somebody has frozen the tool, here or everywhere: no attempt of it starts."""

    code = "tool_frozen"
    hint = "Do not run the tool. Claim again once whoever froze it lets it run."

    def __init__(
        self, tool_name: str, guard_id: str, *, frozen_by: str, frozen_at: datetime, reason: str | None
    ) -> None:
        why = "" if reason is None else f": {reason}"
        super().__init__(
            f"Tool {tool_name!r} was frozen by {frozen_by} at {frozen_at:%Y-%m-%dT%H:%M:%SZ}{why}.",
            tool_name=tool_name,
            guard_id=guard_id,
            frozen_by=frozen_by,
            frozen_at=frozen_at,
            reason=reason,
        )


class BudgetExceededError(ConflictError):
    """The operation would go past a budget. Nothing of it was counted."""

    code = "budget_exceeded"
    hint = "Do not run the tool. Claim again when the window has ended, or have the budget raised."

    def __init__(
        self,
        tool_name: str,
        guard_id: str,
        *,
        limit: Decimal,
        used: Decimal,
        asked: Decimal,
        window_ends_at: datetime | None,
    ) -> None:
        super().__init__(
            f"Budget {guard_id!r} has {limit:f}, of which {used:f} are used: {asked:f} more for "
            f"{tool_name!r} is too much.",
            tool_name=tool_name,
            guard_id=guard_id,
            limit=write_amount(limit),
            used=write_amount(used),
            asked=write_amount(asked),
            window_ends_at=window_ends_at,
        )


class NearDuplicateError(ConflictError):
    """The same call was claimed under another key not long ago."""

    code = "near_duplicate"
    hint = "Claim under the other key to get its outcome, or have this very call approved."

    def __init__(
        self,
        tool_name: str,
        guard_id: str,
        *,
        action: str,
        execution_id: str | None,
        other_key_name: str | None,
        execution_status: str | None,
        claimed_at: datetime | None,
    ) -> None:
        under = "a key that may not be told" if other_key_name is None else f"key {other_key_name!r}"
        super().__init__(
            f"Tool {tool_name!r} was claimed with the same input under {under}.",
            tool_name=tool_name,
            guard_id=guard_id,
            action=action,
            execution_id=execution_id,
            other_key_name=other_key_name,
            execution_status=execution_status,
            claimed_at=claimed_at,
        )
        self.other_channel_id = None if execution_id is None else execution_id.rpartition("~")[0]

    def shown_to(self, knows_of: Callable[[str], bool]) -> "NearDuplicateError":
        """The refusal without what is on a channel that the caller may not know of."""
        if self.other_channel_id is None or knows_of(self.other_channel_id):
            return self
        tool_name, guard_id, action = (
            str(self.details[name]) for name in ("tool_name", "guard_id", "action")
        )
        return NearDuplicateError(
            tool_name,
            guard_id,
            action=action,
            execution_id=None,
            other_key_name=None,
            execution_status=None,
            claimed_at=None,
        )


class GuardNotFoundError(MissingError):
    """No guard has this id, or none that the caller may look after."""

    code = "guard_not_found"

    def __init__(self, guard_id: str) -> None:
        super().__init__(f"There is no guard {guard_id!r}.", guard_id=guard_id)


class GuardConflictError(ConflictError):
    """The id already names a guard that is not the same."""

    code = "guard_conflict"
    hint = "Choose another id, or remove the guard first."

    def __init__(self, guard_id: str) -> None:
        super().__init__(f"There is another guard {guard_id!r}.", guard_id=guard_id)
