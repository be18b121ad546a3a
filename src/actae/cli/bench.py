"""`actae bench`: how fast it is on this machine, beside raw PostgreSQL on the same disk."""

import os
import sys
from pathlib import Path

import click

from actae.cli.failures import CommandFailed


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def bench(arguments: tuple[str, ...]) -> None:
    """Measure Actae against raw PostgreSQL.

    Needs the source tree; --help shows the options that it has there.
    """
    tree = Path(__file__).parents[3]
    if not (tree / "benchmarks" / "__main__.py").exists():
        raise CommandFailed(
            "The benchmarks are part of the source tree, not of the package. Check the sources out, and run "
            "`make setup` and `make bench` there."
        )
    os.chdir(tree)
    os.execv(sys.executable, [sys.executable, "-m", "benchmarks", *arguments])  # noqa: S606
