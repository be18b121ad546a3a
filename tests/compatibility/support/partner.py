"""A client in a process of its own that does what it is told."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.compatibility.support.programs import Interpreter
from tests.support.server import RunningServer


class Raised(Exception):  # noqa: N818  # not our error, but the report of one
    """The call ended with an error of the client; `kind` is the name of its class."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Partner:
    """Calls methods of one client, whichever it is; records come as JSON values."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, method: str, **arguments: Any) -> Any:
        """What the method returned.

        Raises:
            Raised: the client raised an error.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"method": method, "arguments": arguments}) + "\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        if "raised" in told:
            raise Raised(told["raised"], told["message"])
        return told["returned"]


@contextmanager
def partner(interpreter: Interpreter, server: RunningServer) -> Iterator[Partner]:
    """Runs meanwhile."""
    command = [*interpreter.command("asking"), server.url, server.api_key]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Partner(process)
        assert process.stdin is not None
        process.stdin.close()
    assert process.returncode == 0
