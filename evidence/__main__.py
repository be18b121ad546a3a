"""`python -m evidence`: the token report, the fidelity suite, and both with a model on this machine."""

from __future__ import annotations

import signal
import sys

import click

from evidence.commands.fidelity import fidelity
from evidence.commands.local import local
from evidence.commands.tokens import tokens


@click.group(commands=[tokens, fidelity, local])
def main() -> None:
    """Evidence about forks: what they save, and whether their tails are as good."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers are stopped on the way out


if __name__ == "__main__":
    main()
