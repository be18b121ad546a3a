"""Why a claim was refused by people or by a guard. Their place in the tree is in `errors.py`."""

from __future__ import annotations

from actae_client._base_error import ActaeError


class ApprovalError(ActaeError):
    """The operation needs somebody's approval, and the claim does not have it; the tool must not run."""

    @property
    def approval_request_id(self) -> str | None:
        """The request that the answer is about; it outlives this process."""
        return self.details.get("approval_request_id")


class ApprovalPendingError(ApprovalError):
    """Nobody has answered yet. Claim again once somebody has, from this process or from a later one."""

    code: str | None = "approval_pending"


class ApprovalRejectedError(ApprovalError):
    """The answer is no, or the approval was withdrawn."""

    code: str | None = "approval_rejected"

    @property
    def decided_cursor(self) -> int | None:
        """Where the event stands that says who decided, and perhaps why."""
        return self.details.get("decided_cursor")


class ApprovalExpiredError(ApprovalError):
    """Nobody answered in time, or what was approved has been deleted since; ask again."""

    code: str | None = "approval_expired"


class ApprovalMismatchError(ApprovalError):
    """Somebody was asked about this key with other input; `details["differing_fields"]` says where."""

    code: str | None = "approval_mismatch"


class ApprovalNotFoundError(ApprovalError):
    """The claim insists on an approval, and nobody was asked, or not under the id that it names."""

    code: str | None = "approval_not_found"


class GuardError(ActaeError):
    """A guard lets the operation not start; the tool must not run. `details` has the guard's values."""

    status_code: int | None = 409

    @property
    def guard_id(self) -> str | None:
        """Which guard."""
        return self.details.get("guard_id")


class ToolFrozenError(GuardError):
    """Somebody has frozen the tool: `details` says who, when and why."""

    code: str | None = "tool_frozen"


class BudgetExceededError(GuardError):
    """The operation would go past a budget; nothing of it was counted."""

    code: str | None = "budget_exceeded"

    @property
    def window_ends_at(self) -> str | None:
        """When there is more again; None if never."""
        return self.details.get("window_ends_at")


class NearDuplicateError(GuardError):
    """The same call was claimed under another key not long ago; claim that key to get its outcome."""

    code: str | None = "near_duplicate"

    @property
    def execution_id(self) -> str | None:
        """The other operation; None if the key may not read its channel."""
        return self.details.get("execution_id")

    @property
    def other_key_name(self) -> str | None:
        """Its key."""
        return self.details.get("other_key_name")
