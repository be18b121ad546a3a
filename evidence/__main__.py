"""`python -m evidence`: the token report, the fidelity suite, both with a model on this machine, crashes."""

from __future__ import annotations

import signal
import sys

import click

from evidence.commands.crash import crash
from evidence.commands.dry import dry_fidelity, dry_tokens
from evidence.commands.fidelity import fidelity
from evidence.commands.local import local
from evidence.commands.shared import ending
from evidence.commands.tokens import tokens


@click.group(commands=[tokens, fidelity, local, crash], invoke_without_command=True)
@click.pass_context
def main(context: click.Context) -> None:
    """Evidence: what forks save, whether their tails are as good, and what a crash costs.

    Without a command, both dry runs about forks, whatever the environment says.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers are stopped on the way out
    if context.invoked_subcommand is None:
        with ending("A dry run does not come out as it must; its report says where.") as end:
            end(dry_tokens())
            end(dry_fidelity())


if __name__ == "__main__":
    main()
