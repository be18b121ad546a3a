"""The evidence's own command line, as a process."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def run_evidence(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`python -m evidence …` from the root of the repository."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("EVIDENCE_")}
    return subprocess.run(
        [sys.executable, "-m", "evidence", *arguments],
        cwd=Path(__file__).parents[3],
        env={**plain, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def figures(folder: Path) -> Any:
    """A report as programs read it."""
    return json.loads((folder / "report.json").read_text("utf-8"))
