"""`python -m evidence crash`."""

from __future__ import annotations

from pathlib import Path

import click

from evidence.commands.shared import ending, folder_of, tell
from evidence.crash.figures import crash_figures
from evidence.crash.measuring import measure_crashes
from evidence.crash.page import crash_page
from evidence.origin import Origin
from evidence.running import FOLDER
from evidence.writing import write_report


@click.command()
@click.option("--out", type=click.Path(path_type=Path), help="The report's folder; else the committed one.")
def crash(*, out: Path | None) -> None:
    """What a crash costs an agent. Takes minutes; exits with 1 when a check does not hold."""
    origin = Origin(mode="measured", command="python -m evidence crash")
    with ending("A check does not hold; the report says which.") as end:
        folder = folder_of(out, FOLDER / "crash")
        report = measure_crashes(tell)
        write_report(folder, crash_page(report, origin), crash_figures(report, origin))
        end(report.holds)
