"""`elasticd type`: the kinds of machine on offer."""

from __future__ import annotations

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.options import LimitOption, ListOutputOption, connection_of, limit_of
from elastic.cli.render import Column, ListOutput

app = typer.Typer(help="The kinds of machine on offer.", no_args_is_help=True)

COLUMNS = (
    Column("TYPE", "name"),
    Column("CPU", "cpu", figures.number, is_number=True),
    Column("CORES", "cores", figures.number, is_number=True),
    Column("GIB", "memory_gib", figures.number, is_number=True),
    Column("GPUS", "gpu_count", is_number=True),
    Column("GPU", "gpu_model"),
    Column("COMPUTES IN", "precisions", " ".join),
)


@app.command("ls")
def list_types(
    context: typer.Context, limit: LimitOption = None, output: ListOutputOption = ListOutput.TABLE
) -> None:
    """List node types."""
    with connection_of(context).open() as client:
        render.show_list(
            client.items("/v1/node-types", limit=limit_of(limit, output, in_table=500)),
            COLUMNS,
            output,
        )
