"""The command line as a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Ran(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output, as one document."""
        assert self.code == 0, self
        return json.loads(self.out)

    def json_lines(self) -> list[Any]:
        """Standard output, as a document a line."""
        assert self.code == 0, self
        return [json.loads(line) for line in self.out.splitlines()]


Command = Callable[..., Ran]


def environment(**variables: str) -> dict[str, str]:
    """Ours, without settings that happen to be there, and with these."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("ACTAE_")}
    return {**inherited, **variables}


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
