"""A command as a person sees it: on a terminal of 80 columns."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

from tests.support.command import environment

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


def plain(written: str) -> str:
    """The same without colours."""
    return _SEQUENCE.sub("", written)
