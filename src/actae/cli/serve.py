"""`actae serve`: the server, on its own PostgreSQL or on yours."""

import os
from pathlib import Path

import click

_DIRECTORY = click.Path(path_type=Path, file_okay=False)
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.option("--host", help="Address to listen on.  [127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes a free one.  [8002]")
@click.option("--data-dir", type=_DIRECTORY, help="Where the embedded PostgreSQL lives.  [./actae-data]")
@click.option("--database-url", help="An existing PostgreSQL 15 or newer instead of the embedded one.")
@click.option("--workers", type=click.IntRange(min=1), help="Server processes on this port.  [1]")
@click.option("--dev/--no-dev", default=None, help="Accept the well-known development key; loopback only.")
@click.option("--ready-file", type=_FILE, help="Write JSON here once requests are accepted.")
@click.option(
    "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help="From where on.  [info]"
)
@click.option(
    "--log-format", type=click.Choice(["json", "text", "auto"]), help="auto: text on a terminal.  [auto]"
)
def serve(
    host: str | None,
    port: int | None,
    data_dir: Path | None,
    database_url: str | None,
    workers: int | None,
    dev: bool | None,
    ready_file: Path | None,
    log_level: str | None,
    log_format: str | None,
) -> None:
    """Run the server until Ctrl-C or SIGTERM.

    What was accepted by then is finished. Everything can also be set by ACTAE_* variables, of which
    `actae settings` shows all.
    """
    from actae.cli.serving import run_server
    from actae.settings import read_settings

    if data_dir is not None and database_url is not None:
        raise click.UsageError("Choose one of --database-url and --data-dir.")
    environment = dict(os.environ)
    if data_dir is not None:
        for each in ("ACTAE_DATABASE_URL", "ACTAE_LISTEN_URL"):
            environment.pop(each, None)  # what was asked for here goes before it
    run_server(
        read_settings(
            environment,
            host=host,
            port=port,
            data_dir=data_dir,
            database_url=database_url,
            workers=workers,
            dev=dev,
            ready_file=ready_file,
            log_level=log_level,
            log_format=log_format,
        )
    )
