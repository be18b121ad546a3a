"""What all commands have in common: the endpoint, the seed, where the report goes, how they end."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from evidence.failures import EvidenceError
from evidence.models.endpoint import EndpointModel
from evidence.origin import Origin

F = TypeVar("F", bound=Callable[..., Any])

API_KEY = "EVIDENCE_API_KEY"

_PRIVATE = {"base_url", "judge_base_url", "out"}

_OPTIONS = (
    click.option(
        "--base-url",
        envvar="EVIDENCE_BASE_URL",
        help=f"An OpenAI-compatible endpoint, up to /v1; its key is in {API_KEY}. Without: a dry run.",
    ),
    click.option("--model", envvar="EVIDENCE_MODEL", help="The model's name there."),
    click.option("--max-tokens", type=click.IntRange(min=1), help="Of an answer; else the endpoint decides."),
    click.option("--temperature", type=click.FloatRange(min=0), default=0.7, show_default=True),
    click.option("--seed", type=int, default=1, show_default=True),
    click.option(
        "--out", type=click.Path(path_type=Path), help="The report's folder; a dry run has one of its own."
    ),
)


def shared_options(command: F) -> F:
    """Where the answers come from, how they are asked for, and where the report goes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def endpoint_of(
    base_url: str, model: str | None, api_key: str | None, *, max_tokens: int | None = None
) -> EndpointModel:
    """The endpoint that was named. Raises `UsageError` when only half of it was."""
    if model is None:
        raise click.UsageError("--base-url needs --model.")
    return EndpointModel(base_url, model, api_key, max_tokens=max_tokens)


def measured_origin() -> Origin:
    """Today, with the command that is being carried out."""
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    return Origin(
        mode="measured",
        command=_command(click.get_current_context()),
        provenance=f"Measured on {today}.",
        facts={"measured_on": today},
    )


def _command(context: click.Context) -> str:
    """As it was given, without addresses and folders: they may hold secrets, and are nobody's business."""
    words = ["python", "-m", "evidence", context.info_name or ""]
    for option in context.command.params:
        name = option.name or ""
        is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if is_given and name not in _PRIVATE:
            value = context.params[name]
            words += [option.opts[0], str(value)] if not isinstance(value, bool) else [_flag(option, value)]
    return shlex.join(words)


def _flag(option: click.Parameter, is_on: bool) -> str:
    return option.opts[0] if is_on else option.secondary_opts[0]


def folder_of(out: Path | None, dry: Path | None = None) -> Path:
    """Where the report goes. Raises `UsageError` when nobody says, so that no committed report is lost."""
    folder = out or dry
    if folder is None:
        raise click.UsageError("A measured run needs --out: the committed reports are kept as they are.")
    tell(f"The report goes to {folder}.")
    return folder


def tell(sentence: str) -> None:
    """How far it has come, for whoever watches."""
    click.echo(sentence, err=True)


@contextmanager
def ending(complaint: str) -> Iterator[Callable[[bool], None]]:
    """Exits with 1 and the complaint when the report, once written, is not good; with an error's own sentence
    when there is none."""
    try:
        verdicts: list[bool] = []
        yield verdicts.append
    except EvidenceError as failure:
        raise click.ClickException(str(failure)) from None
    if not all(verdicts):
        raise click.ClickException(complaint)
