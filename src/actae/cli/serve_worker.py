"""One worker of `actae serve --workers N`; started by that command, not by people."""

import click


@click.command("serve-worker", hidden=True)
@click.argument("listener", type=int)
@click.argument("memory", type=int)
@click.argument("row", type=int)
@click.argument("rows", type=int)
@click.argument("parent", type=int)
@click.argument("database_kind")
def serve_worker(listener: int, memory: int, row: int, rows: int, parent: int, database_kind: str) -> None:
    """Serve on an inherited socket, and count in an inherited block of memory."""
    from actae.cli.one_worker import run
    from actae.settings import read_settings
    from actae.transport.tally import Share

    run(read_settings(), listener, Share(memory, row, rows), parent, database_kind)
