"""The command line as a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import Command, Ran, environment


@pytest.fixture
def actae(tmp_path: Path) -> Command:
    """Runs `actae` with these arguments in an empty directory."""

    def run(*arguments: str | Path, stdin: str = "", **variables: str) -> Ran:
        ended = subprocess.run(
            [sys.executable, "-m", "actae", *map(str, arguments)],
            cwd=tmp_path,
            env=environment(**variables),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        return Ran(ended.returncode, ended.stdout, ended.stderr)

    return run
