"""`elasticd audit`: compares the ledger with the cloud's list of machines."""

from __future__ import annotations

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.exits import ExitCode
from elastic.cli.options import OutputOption, connection_of
from elastic.cli.render import Column, Output

COLUMNS = (
    Column("DIFFERENCE", "difference"),
    Column("MACHINE", "provider_id"),
    Column("NODE", "node_id"),
    Column("FOUND", "found", can_wrap=True),
    Column("USD OFF", "off_usd", figures.usd, is_number=True),
    Column("DO", "advice", can_wrap=True),
)


def audit(context: typer.Context, output: OutputOption = Output.TABLE) -> None:
    """Compare the ledger with the cloud, machine by machine; status 1 if they differ."""
    with connection_of(context).open() as client:
        found = client.get("/v1/audit")
    if output is Output.JSON:
        render.show_json(found)
    elif found["findings"]:
        render.show_list(found["findings"], COLUMNS, output)
    else:
        compared = found["compared"]
        render.show(
            f"ledger and cloud agree about {compared} {'machine' if compared == 1 else 'machines'}"
        )
    if found["findings"]:
        # For a job of cron: its mail comes when a command fails.
        raise typer.Exit(ExitCode.ERROR)
