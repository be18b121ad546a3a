"""`python -m evidence`: the token report, the fidelity suite, and both with a model on this machine."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from evidence.endpoint_options import JUDGE_API_KEY, endpoint_of, endpoint_options
from evidence.failures import EvidenceError
from evidence.fidelity.samples import Sampling
from evidence.fidelity.suite import Court
from evidence.fidelity.verdict import Bar
from evidence.judges.embedding_judge import EmbeddingJudge
from evidence.judges.judge import Judge
from evidence.judges.model_judge import ModelJudge
from evidence.local.embedder import packaged_minilm
from evidence.local.run import run_locally
from evidence.models.endpoint import EndpointModel
from evidence.running import (
    BAR,
    DRY_SAMPLING,
    FOLDER,
    Origin,
    report_fidelity,
    report_tokens,
    scripted_court,
    scripted_model,
)

_out = click.option(
    "--out", type=click.Path(path_type=Path), help="The report's folder. A dry run writes beside its code."
)


@click.group()
def main() -> None:
    """Evidence about forks: what they save, and whether their tails are as good."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers are stopped on the way out


@main.command()
@endpoint_options
@click.option("--temperature", type=click.FloatRange(min=0), default=0.0, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@_out
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
    with _complaining():
        if base_url is None:
            origin = Origin(mode="dry", command="python -m evidence tokens")
            holds = report_tokens(
                _written_to(out or FOLDER / "tokens"),
                scripted_model(),
                origin,
                temperature=temperature,
                seed=seed,
            )
        else:
            endpoint = endpoint_of(base_url, model, max_tokens)
            holds = report_tokens(
                _written_to(_required(out)), endpoint, _measured(), temperature=temperature, seed=seed
            )
    _leave(holds, "A check does not hold; the report says which.")


@main.command()
@endpoint_options
@click.option(
    "--judge-base-url", envvar="EVIDENCE_JUDGE_BASE_URL", help=f"The judge's; its key is in {JUDGE_API_KEY}."
)
@click.option(
    "--judge-model", envvar="EVIDENCE_JUDGE_MODEL", help="The judge's. Both default to the model's own."
)
@click.option(
    "--embeddings/--no-embeddings",
    default=True,
    show_default=True,
    help="The offline judge too.",
)
@click.option("--decider", type=click.Choice(["model", "embeddings"]), default="model", show_default=True)
@click.option(
    "--samples", type=click.IntRange(min=1), default=3, show_default=True, help="Forks and controls each."
)
@click.option("--temperature", type=click.FloatRange(min=0), default=0.7, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--threshold", type=click.FloatRange(1, 10), default=BAR.threshold, show_default=True)
@click.option("--tolerance", type=click.FloatRange(min=0), default=BAR.tolerance, show_default=True)
@_out
def fidelity(
    *,
    base_url: str | None,
    model: str | None,
    max_tokens: int | None,
    judge_base_url: str | None,
    judge_model: str | None,
    embeddings: bool,
    decider: str,
    samples: int,
    temperature: float,
    seed: int,
    threshold: float,
    tolerance: float,
    out: Path | None,
) -> None:
    """Whether the tail of a fork is as good as that of a re-run. Exits with 1 when a scenario fails."""
    if decider == "embeddings" and not embeddings:
        raise click.UsageError("The judge by embeddings cannot decide when it does not sit.")
    bar = Bar(threshold=threshold, tolerance=tolerance)
    with _complaining(), ExitStack() as running:
        if base_url is None:
            origin = Origin(mode="dry", command="python -m evidence fidelity")
            passes = report_fidelity(
                _written_to(out or FOLDER / "fidelity"),
                scripted_model(),
                scripted_court(bar),
                DRY_SAMPLING,
                origin,
                _tell,
            )
        else:
            endpoint = endpoint_of(base_url, model, max_tokens)
            judge = EndpointModel(
                judge_base_url or base_url,
                judge_model or model or "",
                os.environ.get(JUDGE_API_KEY) or os.environ.get("EVIDENCE_API_KEY"),
            )
            judges: list[Judge] = [ModelJudge(judge)]
            if embeddings:
                judges.append(EmbeddingJudge(running.enter_context(packaged_minilm(_tell))))
            court = Court(judges=judges, decider=decider, bar=bar)
            sampling = Sampling(samples=samples, temperature=temperature, seed=seed)
            passes = report_fidelity(
                _written_to(_required(out)), endpoint, court, sampling, _measured(), _tell
            )
    _leave(passes, "The suite fails; the report says where.")


@main.command()
@click.option(
    "--out", type=click.Path(path_type=Path), default=FOLDER / "local", help="Where both reports go."
)
def local(*, out: Path) -> None:
    """Both reports with a real, small model on this machine, and no network once it is installed."""
    with _complaining():
        good = run_locally(_written_to(out), _tell)
    _leave(good, "A check does not hold or a scenario fails; the reports say which.")


def _tell(sentence: str) -> None:
    click.echo(sentence, err=True)


def _written_to(folder: Path) -> Path:
    _tell(f"The report goes to {folder}.")
    return folder


def _required(out: Path | None) -> Path:
    if out is None:
        raise click.UsageError("A measured run needs --out: the committed reports are kept as they are.")
    return out


def _measured() -> Origin:
    return Origin(
        mode="measured",
        command=f"python -m evidence {' '.join(sys.argv[1:])}",
        provenance=f"Measured on {datetime.now(UTC):%Y-%m-%d}.",
        facts={"measured_on": f"{datetime.now(UTC):%Y-%m-%d}"},
    )


@contextmanager
def _complaining() -> Iterator[None]:
    try:
        yield
    except EvidenceError as failure:
        raise click.ClickException(str(failure)) from None


def _leave(is_good: bool, complaint: str) -> None:
    if not is_good:
        raise click.ClickException(complaint)


if __name__ == "__main__":
    main()
