"""What a channel did, counted."""

from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actae_client.types import EffectCounts


def shown_effects(counts: "EffectCounts") -> str:
    """What is open first: `1 ambiguous, 12 completed`."""
    by_status = {name: count for name, count in asdict(counts).items() if name != "more"}
    order = ("ambiguous", "lapsed", "running", "failed", "cancelled", "completed")
    told = [f"{by_status[name]} {name}" for name in order if by_status[name]]
    return ", ".join(told + ["…"] * counts.more)
