"""`actae serve`: the server, on its own PostgreSQL or on yours."""

import sys
from pathlib import Path

import click

from actae.cli import main


@main.command()
@click.option("--host", help="Address to listen on. [127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes a free one. [8002]")
@click.option("--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Where the embedded PostgreSQL lives. [./actae-data]")
@click.option("--database-url", help="An existing PostgreSQL 15 or newer instead of the embedded one.")
@click.option("--workers", type=click.IntRange(min=1), help="Server processes on this port. [1]")
@click.option("--dev/--no-dev", default=None, help="Accept the well-known development key; loopback only.")
@click.option("--ready-file", type=click.Path(path_type=Path, dir_okay=False), help="Write JSON here once requests are accepted.")
def serve(
    host: str | None,
    port: int | None,
    data_dir: Path | None,
    database_url: str | None,
    workers: int | None,
    dev: bool | None,
    ready_file: Path | None,
) -> None:
    """Run the server. Everything can also be set by ACTAE_* variables; `actae settings` shows them."""
    from actae.settings import SettingsError, read_settings

    try:
        settings = read_settings(
            host=host, port=port, data_dir=data_dir, database_url=database_url, workers=workers, dev=dev, ready_file=ready_file
        )
    except SettingsError as error:
        raise click.ClickException(str(error)) from None
    from actae.cli.serving import run_server

    sys.exit(run_server(settings))
