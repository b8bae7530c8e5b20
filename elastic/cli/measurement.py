"""`elasticd measurement`: the windows of paramount iterations that estimates are made from."""

from __future__ import annotations

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.options import JobOption, LimitOption, ListOutputOption, show_items
from elastic.cli.render import Column, ListOutput

app = typer.Typer(help="What was measured of the job's own main loop.", no_args_is_help=True)

COLUMNS = (
    Column("ID", "id", is_number=True, is_extra=True),
    Column("JOB", "job_id"),
    Column("GROUP", "group", render.group),
    Column("PHASE", "window.phase", is_extra=True),
    Column("ITERATION", "window.iteration", figures.count, is_number=True, is_extra=True),
    Column("ITERATIONS", "window.iterations", is_number=True),
    Column("SECONDS", "window.elapsed_s", figures.number, is_number=True),
    Column("COLD", "window.is_cold", lambda is_cold: "cold" if is_cold else "", is_extra=True),
    Column("ENDED", "window.ended_at_s", figures.instant, is_extra=True),
)


@app.command("ls")
def list_measurements(
    context: typer.Context,
    job: JobOption = None,
    limit: LimitOption = None,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List measured windows, newest first."""
    show_items(
        context, "/v1/measurements", COLUMNS, limit=limit, output=output, in_table=50, job=job
    )
