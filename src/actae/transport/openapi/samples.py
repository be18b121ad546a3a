"""An instance of each error, to show what one looks like."""

import inspect
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from actae.domain import errors, guard_errors
from actae.domain.errors import ActaeError

_BY_NAME: Final[Mapping[str, Any]] = {
    "action": "block",
    "approval_request_id": "refund-88",
    "approval_status": "approved",
    "at_cursor": 4,
    "boundary": "0199c4a1-9d20-7e14-8a6b-2c1d0e9f8a7b",
    "channel_id": "run-7f2a",
    "parent_channel_id": "run-7f2a",
    "consumer_id": "worker-1",
    "current_cursor": 12,
    "current_generation": 3,
    "current_version": 3,
    "attempts": 2,
    "asked": Decimal("49.90"),
    "claimed_at": datetime(2026, 8, 5, 12, tzinfo=UTC),
    "decided_cursor": 9,
    "event_id": "0199c4a1-7b52-7cc3-9d0e-5a4f3b2c1d0e",
    "execution_id": "run-7f2a~9f86d081884c7d659a2feaa0c55ad015",
    "execution_status": "completed",
    "expires_at": datetime(2026, 9, 5, 12, tzinfo=UTC),
    "field": "metadata.actor",
    "first_claimed_at": datetime(2026, 8, 5, 12, tzinfo=UTC),
    "fork_group_id": "crew-7-what-if",
    "forks": ["run-7f2a-retry"],
    "frozen_at": datetime(2026, 8, 5, 12, tzinfo=UTC),
    "frozen_by": "user:ada",
    "governing_request_id": "refund-88-again",
    "group_id": "0199c4a1-8c14-7d02-b6f3-3e5d7c9b1a2f",
    "guard_id": "daily-refunds",
    "held_status": "completed",
    "key_id": "key_0f704252aa",
    "key_name": "charge:order-1001",
    "lease_until": datetime(2026, 8, 5, 12, 1, tzinfo=UTC),
    "limit": 16_777_216,
    "member_id": "planner",
    "message_id": "run-7f2a~12",
    "pattern": "run-*",
    "other_key_name": "charge:order-1000",
    "policy": "block",
    "reason": "the tool must not run here",
    "tool_name": "charge_customer",
    "operation_id": "b7a0c0de-5f1e-4a52-8a4e-1d2c3b4a5f60",
    "retry_after_seconds": 2,
    "step_number": 4,
    "wakeup_id": "run-7f2a~0199c4a18e337f4fb2a61c0d9e8f7a6b",
    "wakeup_status": "done",
    "used": Decimal("480.00"),
    "window_ends_at": datetime(2026, 8, 6, tzinfo=UTC),
    "why": "its lease has lapsed",
}
_SENTENCES: Final[Mapping[type[ActaeError], str]] = {
    errors.InvalidRequestError: "Expected `str`, got `int`, at 'metadata.actor'.",
    errors.InvalidJsonError: "The body is not JSON: Input data was truncated.",
    errors.UnauthorizedError: "The request carries no API key.",
    errors.CounterfactualBlockedError: (
        "Channel 'crew-7-what-if:planner' belongs to a frozen member of a group fork and takes no writes."
    ),
    errors.ForbiddenError: "This credential may not write channel 'run-7f2a'.",
    errors.RouteNotFoundError: "There is no route GET /api/v1/nothing.",
    errors.MethodNotAllowedError: "/healthz does not take POST.",
    errors.UnavailableError: "The database cannot be reached.",
    errors.InternalError: "The server met a defect; its log has the details under this request id.",
}
# Where one name stands for different values, or a sentence reads better with others.
_BY_ERROR: Final[Mapping[type[ActaeError], Mapping[str, Any]]] = {
    guard_errors.BudgetExceededError: {"limit": Decimal("500.00")},
    guard_errors.ToolFrozenError: {"reason": "the provider double-charges"},
}
_BY_TYPE: Final[Mapping[Any, Any]] = {int: 1, float: 1.0, bool: False}


def sample(error: type[ActaeError]) -> ActaeError:
    """The error with plausible values; one that takes any sentence may say the first of its docstring."""
    if error.__init__ is ActaeError.__init__:
        return error(_sentence(error))
    values: dict[str, Any] = {}
    own = _BY_ERROR.get(error, {})
    for name, parameter in list(inspect.signature(error).parameters.items()):
        if name == "message":
            values[name] = _sentence(error)
        elif name in own:
            values[name] = own[name]
        elif name in _BY_NAME:
            values[name] = _BY_NAME[name]
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            values[name] = _BY_TYPE.get(parameter.annotation, name)
    return error(**values)


def _sentence(error: type[ActaeError]) -> str:
    first = " ".join((error.__doc__ or error.code).split()).split(". ")[0].rstrip(".") + "."
    return _SENTENCES.get(error, first)
