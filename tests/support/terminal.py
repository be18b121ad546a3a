"""A command as a person sees it: on a terminal of 80 columns."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios

from tests.support.command import Ran, environment

_SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")


def on_a_terminal(*arguments: str, **variables: str) -> str:
    """What `actae` writes there, colours and all."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "actae", *arguments],
        env=environment(TERM="xterm-256color", **variables),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    written = b""
    with os.fdopen(ours, "rb", buffering=0) as reader:
        try:
            while part := reader.read(65536):
                written += part
        except OSError:  # Linux says EIO when the other end is closed.
            pass
    assert process.wait(timeout=100) == 0, written.decode()
    return written.decode().replace("\r\n", "\n")


def answered(answer: str, *arguments: str, **variables: str) -> Ran:
    """A command that asks a person at a terminal, who answers with one line."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "actae", *arguments],
        env=environment(**variables),
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(theirs)
    os.write(ours, f"{answer}\n".encode())
    out, err = process.communicate(timeout=60)
    os.close(ours)
    return Ran(process.returncode, out, err)


def plain(written: str) -> str:
    """The same without colours."""
    return _SEQUENCE.sub("", written)


class Terminal:
    """A command at work on a terminal, and a person who watches it; a context manager."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "actae", *arguments],
            env=environment(TERM="xterm", NO_COLOR="1", **variables),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C reaches it
        )
        os.close(theirs)
        self.shown = ""

    def watch_for(self, text: str) -> None:
        """Return when it is to be seen."""
        while text not in self.shown:
            ready, _, _ = select.select([self._ours], [], [], 60)
            assert ready, f"{text!r} is not to be seen:\n{self.shown}"
            self.shown += os.read(self._ours, 65536).decode().replace("\r\n", "\n")

    def press_ctrl_c(self) -> int:
        """As a person does; the exit code."""
        os.write(self._ours, b"\x03")
        return self._process.wait(60)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)
