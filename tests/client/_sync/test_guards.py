# Written by tools/generate_sync.py from _async/test_guards.py. Do not edit.
"""Guards, on a real server: added, obeyed, listed, removed."""

from decimal import Decimal
from uuid import uuid4

import pytest

from actae_client import (
    BudgetExceededError,
    GuardError,
    NearDuplicateError,
    SyncActaeClient,
    ToolFrozenError,
)
from actae_client.errors import GuardConflictError, InvalidRequestError


@pytest.fixture
def tool() -> str:
    """A tool of this test's own: its guards look at nobody else's claims."""
    return f"tool-{uuid4().hex[:8]}"


def test_a_tool_is_frozen_and_thawed(actae: SyncActaeClient, channel: str, tool: str) -> None:
    """The error says who, when and why."""
    frozen = actae.freeze_tool(tool, reason="no more")
    assert (frozen.kind, frozen.tool_name, frozen.channel_pattern) == ("freeze", tool, None)
    with pytest.raises(ToolFrozenError, match="no more") as refused:
        actae.claim_execution(channel, "a", tool)
    assert refused.value.guard_id == frozen.guard_id
    assert refused.value.details["frozen_at"] == frozen.created_at
    assert actae.remove_guard(frozen.guard_id)
    assert not actae.remove_guard(frozen.guard_id)
    again = [actae.freeze_tool(tool, channel_pattern=each) for each in (None, channel)]
    assert actae.unfreeze_tool(tool) == [each.guard_id for each in again]
    assert actae.unfreeze_tool(tool) == []
    assert (actae.claim_execution(channel, "a", tool)).status == "claimed"


def test_a_budget_is_exact(actae: SyncActaeClient, channel: str, tool: str) -> None:
    """However it is written; and it shows what is used."""
    limit = Decimal("0.300000000000000000000000000001")
    guard = actae.guards.add_budget(limit, field="amount", window_seconds=86_400, tool_name=tool)
    for number in range(3):
        actae.claim_execution(channel, f"k{number}", tool, {"amount": 0.1})
    with pytest.raises(BudgetExceededError) as spent:
        actae.claim_execution(channel, "more", tool, {"amount": 1e-29})
    assert spent.value.window_ends_at is not None
    actae.claim_execution(channel, "less", tool, {"amount": 1e-30})
    with pytest.raises(InvalidRequestError) as missing:
        actae.claim_execution(channel, "none", tool, {})
    assert missing.value.details["field"] == "params.amount"
    (listed,) = [each for each in actae.list_guards() if each.guard_id == guard.guard_id]
    (use,) = listed.uses
    assert (use.channel_id, use.window_ends_at) == (None, spent.value.window_ends_at)
    actae.remove_guard(guard.guard_id)


def test_near_duplicates_are_told_of_or_refused(actae: SyncActaeClient, channel: str, tool: str) -> None:
    """The other operation is named."""
    warning = actae.guard_near_duplicates(600, action="warn", tool_name=tool)
    first = actae.claim_execution(channel, "first", tool, {"to": "ada"})
    assert first.status == "claimed"
    assert first.warnings == ()
    second = actae.claim_execution(channel, "second", tool, {"to": "ada"})
    assert second.status == "claimed"
    (similar,) = second.warnings
    assert (similar.guard_id, similar.execution_id) == (warning.guard_id, first.execution.id)
    blocking = actae.guard_near_duplicates(600, tool_name=tool, channel_pattern=f"{channel}*")
    actae.claim_execution(channel, "third", tool, {"to": "eve"})
    with pytest.raises(NearDuplicateError) as refused:
        actae.claim_execution(channel, "fourth", tool, {"to": "eve"})
    assert (refused.value.guard_id, refused.value.other_key_name) == (blocking.guard_id, "third")
    assert refused.value.execution_id is not None
    assert isinstance(refused.value, GuardError)
    for guard in (warning, blocking):
        actae.remove_guard(guard.guard_id)


def test_an_id_names_one_guard(actae: SyncActaeClient, tool: str) -> None:
    """The same again is the same; another one is refused."""
    guard_id = f"g-{uuid4().hex[:8]}"
    first = actae.add_budget(3, tool_name=tool, per_channel=True, guard_id=guard_id)
    assert actae.add_budget(Decimal(3), tool_name=tool, per_channel=True, guard_id=guard_id) == first
    with pytest.raises(GuardConflictError):
        actae.add_budget(4, tool_name=tool, per_channel=True, guard_id=guard_id)
    actae.remove_guard(guard_id)
