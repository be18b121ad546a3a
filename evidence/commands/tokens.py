"""`python -m evidence tokens`."""

from __future__ import annotations

from pathlib import Path

import click

from evidence.commands.shared import ending, endpoint_of, folder_of, measured_origin, shared_options
from evidence.harness.agent import Asking
from evidence.origin import Origin
from evidence.running import FOLDER, report_tokens, scripted_model


@click.command()
@shared_options
def tokens(
    *,
    base_url: str | None,
    model: str | None,
    max_tokens: int | None,
    temperature: float,
    seed: int,
    out: Path | None,
) -> None:
    """What a fork does not pay for again. Exits with 1 when a check does not hold."""
    asking = Asking(temperature=temperature, seed=seed)
    with ending("A check does not hold; the report says which.") as end:
        if base_url is None:
            origin = Origin(mode="dry", command="python -m evidence tokens")
            end(report_tokens(folder_of(out, FOLDER / "tokens"), scripted_model(), origin, asking))
        else:
            endpoint = endpoint_of(base_url, model, max_tokens=max_tokens)
            end(report_tokens(folder_of(out), endpoint, measured_origin(), asking))
