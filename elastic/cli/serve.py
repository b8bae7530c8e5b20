"""`elasticd serve`: the daemon, in the foreground."""

from __future__ import annotations

import gc
from typing import Annotated

import typer


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address the API listens on; loopback unless you say so.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port the API listens on.")
    ] = None,
    # Text: an empty one would become the path of the working folder.
    data_dir: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Folder of the database, the token and the nodes."),
    ] = None,
    database_url: Annotated[
        str | None, typer.Option(help="SQLAlchemy URL, instead of SQLite in the data folder.")
    ] = None,
    provider: Annotated[str | None, typer.Option(help="Where nodes come from.")] = None,
    tick_s: Annotated[
        float | None, typer.Option(help="Seconds between two looks at the world.")
    ] = None,
    take_over: Annotated[
        bool,
        typer.Option(
            "--take-over", help="Take the cluster's machines from a daemon that still holds them."
        ),
    ] = False,
    standby: Annotated[
        bool,
        typer.Option(
            "--standby",
            help="Wait until no other daemon has the database (PostgreSQL), then take over.",
        ),
    ] = False,
    price_trace: Annotated[
        str | None, typer.Option(metavar="PATH", help="CSV or JSON of price changes to replay.")
    ] = None,
) -> None:
    """Run the daemon until SIGTERM or Ctrl-C; nodes live on, and the next start adopts them."""
    # Until all modules are loaded, collections find nothing, and take a tenth of the start.
    gc.disable()
    try:
        # Imported here, since other commands do not need the daemon's modules.
        from elastic.config import load_settings
        from elastic.daemon import serve as serve_daemon

        settings = load_settings(
            host=host,
            port=port,
            data_dir=data_dir,
            database_url=database_url,
            provider=provider,
            tick_s=tick_s,
            price_trace=price_trace,
        )
        serve_daemon(settings, takes_over=take_over, is_standby=standby)
    finally:
        gc.enable()
