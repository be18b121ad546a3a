"""`python -m evidence tokens`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from evidence.commands.dry import dry_tokens
from evidence.commands.shared import API_KEY, ending, endpoint_of, folder_of, measured_origin, shared_options
from evidence.harness.agent import Asking
from evidence.running import report_tokens


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
            end(dry_tokens(out, asking))
        else:
            endpoint = endpoint_of(base_url, model, os.environ.get(API_KEY), max_tokens=max_tokens)
            end(report_tokens(folder_of(out), endpoint, measured_origin(), asking))
