"""`elasticd status`: what is wrong now."""

from __future__ import annotations

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.exits import ExitCode
from elastic.cli.options import ListOutputOption, connection_of
from elastic.cli.render import Column, ListOutput

COLUMNS = (
    Column("ALARM", "kind"),
    Column("SINCE", "since_s", figures.instant),
    Column("WHAT IS WRONG", "text", can_wrap=True),
)


def status(context: typer.Context, output: ListOutputOption = ListOutput.TABLE) -> None:
    """List the alarms that stand; status 1 if there are any."""
    with connection_of(context).open() as client:
        alarms = client.get("/v1/alarms")["items"]
    if not alarms and output is ListOutput.TABLE:
        print("no alarm stands")
        return
    render.show_list(alarms, COLUMNS, output)
    if alarms:
        raise typer.Exit(ExitCode.ERROR)
