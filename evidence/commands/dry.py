"""The dry runs, whose reports are committed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evidence.commands.shared import folder_of, tell
from evidence.fidelity.verdict import Bar
from evidence.harness.agent import Asking
from evidence.judges.model_judge import ModelJudge
from evidence.origin import Origin
from evidence.running import (
    BARS,
    DRY_SAMPLES,
    FOLDER,
    report_fidelity,
    report_tokens,
    scripted_court,
    scripted_model,
)

ASKING: Final = Asking(temperature=0.7, seed=1)  # what a measured run takes unless told otherwise


def dry_tokens(out: Path | None = None, asking: Asking = ASKING) -> bool:
    """Write the token report; whether all of its checks hold. Raises `EvidenceError`."""
    origin = Origin(mode="dry", command="python -m evidence tokens")
    return report_tokens(folder_of(out, FOLDER / "tokens"), scripted_model(), origin, asking)


def dry_fidelity(
    out: Path | None = None,
    asking: Asking = ASKING,
    bars: Mapping[str, Bar] = BARS,
    decider: str = ModelJudge.name,
) -> bool:
    """Write the fidelity report; whether every scenario passes. Raises `EvidenceError`."""
    origin = Origin(mode="dry", command="python -m evidence fidelity")
    folder, court = folder_of(out, FOLDER / "fidelity"), scripted_court(bars, decider)
    return report_fidelity(folder, scripted_model(), court, origin, asking, DRY_SAMPLES, tell)
