"""How the command line names an endpoint."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from evidence.models.endpoint import EndpointModel

F = TypeVar("F", bound=Callable[..., Any])

API_KEY = "EVIDENCE_API_KEY"
JUDGE_API_KEY = "EVIDENCE_JUDGE_API_KEY"


def endpoint_options(command: F) -> F:
    """Where the answers come from, and where the report goes."""
    for option in (
        click.option(
            "--max-tokens",
            type=click.IntRange(min=1),
            help="Of an answer. Without it the endpoint decides.",
        ),
        click.option("--model", envvar="EVIDENCE_MODEL", help="The model's name there."),
        click.option(
            "--base-url",
            envvar="EVIDENCE_BASE_URL",
            help=f"An OpenAI-compatible endpoint, up to /v1; its key is in {API_KEY}. Without: a dry run.",
        ),
    ):
        command = option(command)
    return command


def endpoint_of(base_url: str, model: str | None, max_tokens: int | None) -> EndpointModel:
    """The endpoint that was named. Raises `UsageError` when only half of it was."""
    if model is None:
        raise click.UsageError("--base-url needs --model.")
    return EndpointModel(base_url, model, os.environ.get(API_KEY), max_tokens=max_tokens)
