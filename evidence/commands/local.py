"""`python -m evidence local`."""

from __future__ import annotations

from pathlib import Path

import click

from evidence.commands.shared import ending, folder_of, tell
from evidence.local.run import run_locally
from evidence.running import FOLDER


@click.command()
@click.option("--out", type=click.Path(path_type=Path), help="The folder of both reports.")
def local(*, out: Path | None) -> None:
    """Both reports with a small model on this machine.

    It needs no network once the model is installed. Exits with 1 when a check does not hold or a scenario
    fails.
    """
    with ending("A check does not hold or a scenario fails; the reports say which.") as end:
        end(run_locally(folder_of(out, FOLDER / "local"), tell))
