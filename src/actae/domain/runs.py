"""What a list of runs shows of each channel: where it stands, and what it did, in numbers."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from actae.domain.channels import Lifecycle
from actae.domain.spending import Bill, Figure


class EffectCounts(msgspec.Struct, frozen=True):
    """Operations by how they stand, each counted once; a session's own lock is none."""

    running: int
    lapsed: Annotated[int, Meta(description="Running past their lease; the next claimer gets them.")]
    ambiguous: Annotated[int, Meta(description="Running past their lease; nobody knows their outcome.")]
    completed: int
    failed: int
    cancelled: int
    more: Annotated[bool, Meta(description="Only some of the operations were counted.")]


class Tokens(msgspec.Struct, frozen=True):
    """What the newest events say was spent."""

    input: Figure
    output: Figure
    cost: Figure
    partial: Annotated[bool, Meta(description="There are older events, which were not looked at.")]


class LastEvent(msgspec.Struct, frozen=True):
    """The newest event, without its content."""

    cursor: int
    event_type: str
    actor: str
    recorded_at: datetime


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One channel as a list shows it."""

    channel_id: str
    display_name: str | None
    lifecycle: Lifecycle
    outcome: str | None
    created_at: datetime
    active_at: datetime
    cursor: int
    version: int
    latest_step: int
    source_channel_id: Annotated[str | None, Meta(description="Of a fork: what it was forked from.")]
    forks: Annotated[int, Meta(description="At most 100.")]
    effects: EffectCounts
    tokens: Annotated[Tokens | None, Meta(description="Null where no event says.")] = None
    last_event: LastEvent | None


def tokens_of(bill: Bill, *, partial: bool) -> Tokens | None:
    """What a bill says of tokens and money; None where it says nothing of them."""
    spent = bill.total()
    if spent.input_tokens is None and spent.output_tokens is None and spent.cost is None:
        return None
    return Tokens(spent.input_tokens, spent.output_tokens, spent.cost, partial)
