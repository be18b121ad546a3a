"""Guards, on a real server: added, obeyed, listed, removed."""

from decimal import Decimal
from uuid import uuid4

import pytest

from actae_client import (
    ActaeClient,
    BudgetExceededError,
    GuardError,
    NearDuplicateError,
    ToolFrozenError,
)
from actae_client.errors import GuardConflictError, InvalidRequestError


@pytest.fixture
def tool() -> str:
    """A tool of this test's own: its guards look at nobody else's claims."""
    return f"tool-{uuid4().hex[:8]}"


async def test_a_tool_is_frozen_and_thawed(actae: ActaeClient, channel: str, tool: str) -> None:
    """The error says who, when and why."""
    frozen = await actae.freeze_tool(tool, reason="no more")
    assert (frozen.kind, frozen.tool_name, frozen.channel_pattern) == ("freeze", tool, None)
    with pytest.raises(ToolFrozenError, match="no more") as refused:
        await actae.claim_execution(channel, "a", tool)
    assert refused.value.guard_id == frozen.guard_id
    assert refused.value.details["frozen_at"] == frozen.created_at
    assert await actae.remove_guard(frozen.guard_id)
    assert not await actae.remove_guard(frozen.guard_id)
    again = [await actae.freeze_tool(tool, channel_pattern=each) for each in (None, channel)]
    assert await actae.unfreeze_tool(tool) == [each.guard_id for each in again]
    assert await actae.unfreeze_tool(tool) == []
    assert (await actae.claim_execution(channel, "a", tool)).status == "claimed"


async def test_a_budget_is_exact(actae: ActaeClient, channel: str, tool: str) -> None:
    """However it is written; and it shows what is used."""
    limit = Decimal("0.300000000000000000000000000001")
    guard = await actae.guards.add_budget(limit, field="amount", window_seconds=86_400, tool_name=tool)
    for number in range(3):
        await actae.claim_execution(channel, f"k{number}", tool, {"amount": 0.1})
    with pytest.raises(BudgetExceededError) as spent:
        await actae.claim_execution(channel, "more", tool, {"amount": 1e-29})
    assert spent.value.window_ends_at is not None
    await actae.claim_execution(channel, "less", tool, {"amount": 1e-30})
    with pytest.raises(InvalidRequestError) as missing:
        await actae.claim_execution(channel, "none", tool, {})
    assert missing.value.details["field"] == "params.amount"
    (listed,) = [each for each in await actae.list_guards() if each.guard_id == guard.guard_id]
    (use,) = listed.uses
    assert (use.channel_id, use.window_ends_at) == (None, spent.value.window_ends_at)
    await actae.remove_guard(guard.guard_id)


async def test_near_duplicates_are_told_of_or_refused(actae: ActaeClient, channel: str, tool: str) -> None:
    """The other operation is named."""
    warning = await actae.guard_near_duplicates(600, action="warn", tool_name=tool)
    first = await actae.claim_execution(channel, "first", tool, {"to": "ada"})
    assert first.status == "claimed"
    assert first.warnings == ()
    second = await actae.claim_execution(channel, "second", tool, {"to": "ada"})
    assert second.status == "claimed"
    (similar,) = second.warnings
    assert (similar.guard_id, similar.execution_id) == (warning.guard_id, first.execution.id)
    blocking = await actae.guard_near_duplicates(600, tool_name=tool, channel_pattern=f"{channel}*")
    await actae.claim_execution(channel, "third", tool, {"to": "eve"})
    with pytest.raises(NearDuplicateError) as refused:
        await actae.claim_execution(channel, "fourth", tool, {"to": "eve"})
    assert (refused.value.guard_id, refused.value.other_key_name) == (blocking.guard_id, "third")
    assert refused.value.execution_id is not None
    assert isinstance(refused.value, GuardError)
    for guard in (warning, blocking):
        await actae.remove_guard(guard.guard_id)


async def test_an_id_names_one_guard(actae: ActaeClient, tool: str) -> None:
    """The same again is the same; another one is refused."""
    guard_id = f"g-{uuid4().hex[:8]}"
    first = await actae.add_budget(3, tool_name=tool, per_channel=True, guard_id=guard_id)
    assert await actae.add_budget(Decimal(3), tool_name=tool, per_channel=True, guard_id=guard_id) == first
    with pytest.raises(GuardConflictError):
        await actae.add_budget(4, tool_name=tool, per_channel=True, guard_id=guard_id)
    await actae.remove_guard(guard_id)
