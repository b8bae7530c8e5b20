"""`elasticd price`: what offerings cost, now and before."""

from __future__ import annotations

from typing import Annotated

import typer

from elastic.cli import render
from elastic.cli.options import LimitOption, OutputOption, connection_of
from elastic.cli.render import Column, Output

app = typer.Typer(help="What offerings cost, and cost before.", no_args_is_help=True)

COLUMNS = (
    Column("PRICE", "id", is_number=True),
    Column("OFFERING", "offering", render.offering),
    Column("USD/H", "usd_per_h", render.price, is_number=True),
    Column("VALID FROM", "valid_from_s", render.instant),
    Column("HEARD", "observed_at_s", render.instant),
    Column("STALE", "is_stale", lambda is_stale: "yes" if is_stale else "no"),
    Column("BLOCKED", "unavailable", render.blocks),
    Column("SOURCE", "source"),
)


@app.command("ls")
def list_prices(
    context: typer.Context,
    is_current: Annotated[bool, typer.Option("--current", "-c", help="Only those in force now.")] = False,
    limit: LimitOption = 50,
    output: OutputOption = Output.TABLE,
) -> None:
    """List prices, newest first."""
    with connection_of(context).open() as client:
        render.show_list(
            client.items("/v1/prices", limit=limit, current="true" if is_current else None), COLUMNS, output
        )
