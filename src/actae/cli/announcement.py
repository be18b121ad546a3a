"""What `actae serve` says first: where it is, its console, the key, where the data lies, how to stop it."""

import sys

import click

from actae.settings import DEV_API_KEY, SecretUrl, Settings
from actae.transport.ready import Ready


def announce(settings: Settings, ready: Ready) -> None:
    """Tell programs through the ready file, and people on standard output."""
    if settings.ready_file is not None:
        ready.write(settings.ready_file)
    for line in _lines(settings, ready):
        click.echo(line)
    sys.stdout.flush()


def _lines(settings: Settings, ready: Ready) -> list[str]:
    workers = f", {settings.workers} workers" if settings.workers > 1 else ""
    return [
        f"Actae {ready.version} listens on {click.style(ready.url, bold=True)}{workers}",
        f"  see   {ready.url}/  in a browser",
        f"  key   {_key(ready)}",
        f"  data  {ready.data_dir or SecretUrl(ready.database_url).masked()}",
        f"  stop  {'Ctrl-C' if sys.stdin.isatty() else f'kill {ready.pid}'}",
    ]


def _key(ready: Ready) -> str:
    if ready.api_key is None:
        return "as made before; `actae keys create` makes another"
    shown = click.style(ready.api_key, bold=True)
    if ready.api_key == DEV_API_KEY:
        return f"{shown}  (everybody knows it: for development on this machine)"
    return f"{shown}  (shown this once: keep it)"
