"""The command line as a process of its own."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
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


@pytest.fixture
def actae_on_a_terminal(tmp_path: Path) -> Command:
    """Runs `actae` where a person looks, 80 columns wide; both streams are in `out`."""

    def run(*arguments: str | Path, **variables: str) -> Ran:
        terminal, seen_by_us = pty.openpty()
        fcntl.ioctl(seen_by_us, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        inherited = environment(**{"NO_COLOR": "1", "TERM": "xterm", **variables})
        process = subprocess.Popen(
            [sys.executable, "-m", "actae", *map(str, arguments)],
            cwd=tmp_path,
            env={name: value for name, value in inherited.items() if name not in {"COLUMNS", "LINES"}},
            stdin=subprocess.DEVNULL,
            stdout=seen_by_us,
            stderr=seen_by_us,
        )
        os.close(seen_by_us)
        shown = b"".join(iter(lambda: _read(terminal), b""))
        os.close(terminal)
        return Ran(process.wait(60), shown.decode().replace("\r\n", "\n"), "")

    return run


def _read(terminal: int) -> bytes:
    """What comes next; nothing once the other side is closed, which a terminal reports as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
