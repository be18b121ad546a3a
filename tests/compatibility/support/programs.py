"""Runs the programs of this folder with the published client, or with ours."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.server import RunningServer

PROGRAMS = Path(__file__).parent.parent / "programs"

_SECONDS = 60


class Interpreter:
    """One Python, and with it one of the two clients."""

    def __init__(self, python: Path) -> None:
        self.python = python

    def run(
        self,
        program: str,
        server: RunningServer,
        *arguments: str,
        api_key: str = "",
        seconds: float = _SECONDS,
    ) -> Any:
        """What a program told of this server; its arguments follow the URL and the key."""
        command = [*self.command(program), server.url, api_key or server.api_key, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        assert done.returncode == 0, f"{program} ended with {done.returncode}:\n{done.stderr}\n{done.stdout}"
        return json.loads(done.stdout)

    def command(self, program: str) -> list[str]:
        """How a program is started; PYTHON* variables do not reach it, so it sees its own packages only."""
        return [str(self.python), "-E", "-s", str(PROGRAMS / f"{program}.py")]


OURS = Interpreter(Path(sys.executable))
