"""The command line: one file per concept, loaded when it is asked for.

Exit codes: 0 done; 1 it could not be done, and one line on standard error says why; 2 wrong usage;
3 `actae verify` or `actae crashtest` found something broken; 130 interrupted.
"""

import os
import sys
from importlib import import_module
from typing import Any

import click

from actae import __version__
from actae.cli.failures import CommandFailed, explain
from actae.cli.output import escape_what_cannot_be_written

# The names in the order of the help, and where each is.
COMMANDS = {
    "serve": "serve",
    "demo": "demo",
    "crashtest": "crashtest",
    "verify": "verify",
    "settings": "settings",
    "migrate": "migrate",
    "keys": "keys",
    "users": "users",
    "channels": "channels",
    "events": "events",
    "executions": "executions",
    "approvals": "approvals",
    "undo": "undo",
    "checklist": "checklist",
    "guards": "guards",
    "fork": "fork",
    "forks": "forks",
    "wakeups": "wakeups",
    "groups": "groups",
    "execution-groups": "execution_groups",
    "retention": "retention",
    "sizes": "sizes",
    "backup": "backup",
    "restore": "restore",
    "bench": "bench",
    "serve-worker": "serve_worker",
}


class _Commands(click.Group):
    """Loads a command's file when it is needed, and answers every known failure with one line."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """In the order of use, not of the alphabet."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """The command `X` is called `X` in its file too."""
        if name not in COMMANDS:
            return None
        found: click.Command = getattr(import_module(f"actae.cli.{COMMANDS[name]}"), COMMANDS[name])
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run, and explain what went wrong."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.exit(130)
        except Exception as error:
            sentence = explain(error)
            if sentence is None:
                raise
            raise CommandFailed(sentence) from error


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, message="actae %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Effect history for AI agents: a restart never repeats a side effect."""
    escape_what_cannot_be_written()
    if os.environ.get("NO_COLOR"):
        ctx.color = False
