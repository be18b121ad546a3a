"""An embedded PostgreSQL under a supervisor that a test can kill, and short questions to any server."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import asyncpg
import pytest

PROGRAM = Path(__file__).with_name("supervising_program.py")


class SupervisorProcess:
    """`supervising_program.py` on a data directory; `python` may be a longer command that ends in one."""

    def __init__(
        self,
        data_dir: Path,
        *,
        python: Sequence[str] = (sys.executable,),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            [*python, PROGRAM, data_dir],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
            env={**os.environ, **(environment or {})},
        )

    def next_line(self) -> dict[str, Any]:
        """What it tells next."""
        line = self.process.stdout.readline()
        assert line, f"the supervisor ended with status {self.process.wait()} and said nothing"
        return json.loads(line)

    def outcome(self) -> dict[str, Any]:
        """What it tells after its progress: a server, or an error."""
        while "progress" in (line := self.next_line()):
            pass
        return line

    def server(self) -> "Server":
        """The server, once it is ready."""
        told = self.outcome()
        assert "pid" in told, told
        return Server(**told)

    def kill(self) -> None:
        """SIGKILL, as the system does when memory runs out."""
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Server:
    """A running server, by what its supervisor told of it."""

    def __init__(self, pid: int, dsn: str) -> None:
        self.pid = pid
        self.dsn = dsn

    def ask(self, *statements: str) -> Any:
        return ask(self.dsn, *statements)


def is_alive(pid: int) -> bool:
    """A zombie is dead: it holds nothing but its number."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def ask(dsn: str, *statements: str) -> Any:
    """Run statements, each in its own transaction; the first value of the last one."""

    async def run() -> Any:
        connection = await asyncpg.connect(dsn)
        try:
            return [await connection.fetchval(statement) for statement in statements][-1]
        finally:
            await connection.close()

    return asyncio.run(run())


def ask_in_vain(dsn: str, *statements: str) -> None:
    """Run statements of which PostgreSQL refuses one."""
    with pytest.raises(asyncpg.PostgresError):
        ask(dsn, *statements)
