"""`actae demo`: see an agent die between a payment and its record, and what that costs."""

import sys
from pathlib import Path

import click

from actae.cli.output import json_option


@click.command()
@click.option("--keep", is_flag=True, help="Keep the database and the logs, and say where.")
@click.option(
    "--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Put them here; they stay."
)
@json_option
def demo(keep: bool, data_dir: Path | None, as_json: bool) -> None:
    """See an agent die between a payment and its record.

    Three ways of remembering what was done, on real parts, and how often the customer pays with each.
    """
    from actae.demo import run_demo

    sys.exit(run_demo(as_json=as_json, keep=keep, data_dir=data_dir))
