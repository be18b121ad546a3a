"""`python -m evidence fidelity`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from evidence.commands.dry import dry_fidelity
from evidence.commands.shared import (
    API_KEY,
    ending,
    endpoint_of,
    folder_of,
    measured_origin,
    shared_options,
    tell,
)
from evidence.fidelity.suite import Court
from evidence.fidelity.verdict import Bar
from evidence.harness.agent import Asking
from evidence.judges.embedding_judge import EmbeddingJudge
from evidence.judges.judge import Judge
from evidence.judges.model_judge import ModelJudge
from evidence.local.embedder import packaged_minilm
from evidence.models.model import Model
from evidence.running import BARS, report_fidelity

JUDGE_API_KEY = "EVIDENCE_JUDGE_API_KEY"


@click.command()
@shared_options
@click.option(
    "--judge-base-url",
    envvar="EVIDENCE_JUDGE_BASE_URL",
    help=f"The judge's endpoint, by default the model's; its key is in {JUDGE_API_KEY}.",
)
@click.option("--judge-model", envvar="EVIDENCE_JUDGE_MODEL", help="The judge, by default the model.")
@click.option(
    "--embeddings/--no-embeddings", default=True, show_default=True, help="Seat the offline judge too."
)
@click.option("--decider", type=click.Choice(list(BARS)), default=ModelJudge.name, show_default=True)
@click.option(
    "--samples", type=click.IntRange(min=1), default=3, show_default=True, help="Forks, and controls."
)
@click.option(
    "--threshold",
    type=click.FloatRange(1, 10),
    default=BARS[ModelJudge.name].threshold,
    show_default=True,
    help="Of the model as judge.",
)
@click.option(
    "--embedding-threshold",
    type=click.FloatRange(1, 10),
    default=BARS[EmbeddingJudge.name].threshold,
    show_default=True,
    help="Of the offline judge.",
)
@click.option("--tolerance", type=click.FloatRange(min=0), default=1.0, show_default=True)
def fidelity(
    *,
    base_url: str | None,
    model: str | None,
    max_tokens: int | None,
    temperature: float,
    seed: int,
    out: Path | None,
    samples: int,
    decider: str,
    embeddings: bool,
    judge_base_url: str | None,
    judge_model: str | None,
    threshold: float,
    embedding_threshold: float,
    tolerance: float,
) -> None:
    """Whether the tail of a fork is as good as that of a re-run. Exits with 1 when a scenario fails."""
    if decider == EmbeddingJudge.name and not embeddings:
        raise click.UsageError("The judge by embeddings cannot decide when it has no seat.")
    bars = {
        ModelJudge.name: Bar(threshold=threshold, tolerance=tolerance),
        EmbeddingJudge.name: Bar(threshold=embedding_threshold, tolerance=tolerance),
    }
    asking = Asking(temperature=temperature, seed=seed)
    with ending("The suite fails; the report says where.") as end:
        if base_url is None:
            end(dry_fidelity(out, asking, bars, decider))
        else:
            key = os.environ.get(API_KEY)
            endpoint = endpoint_of(base_url, model, key, max_tokens=max_tokens)
            # The key of one endpoint is never shown to another.
            judge_key = os.environ.get(JUDGE_API_KEY) or (None if judge_base_url else key)
            judge = endpoint_of(judge_base_url or base_url, judge_model or model, judge_key)
            folder = folder_of(out)
            with _judges(judge, embeddings=embeddings) as judges:
                court = Court(judges=judges, decider=decider, bars=bars)
                end(report_fidelity(folder, endpoint, court, measured_origin(), asking, samples, tell))


@contextmanager
def _judges(judge: Model, *, embeddings: bool) -> Iterator[list[Judge]]:
    if not embeddings:
        yield [ModelJudge(judge)]
        return
    with packaged_minilm(tell) as embedder:
        yield [ModelJudge(judge), EmbeddingJudge(embedder)]
