"""`elasticd plan`: what a job would cost and when it would be done, before it is submitted."""

from __future__ import annotations

from typing import Annotated

import typer

from elastic.cli import job_pages, render
from elastic.cli.job import read_spec
from elastic.cli.options import OutputOption, connection_of
from elastic.cli.render import Output


def plan(
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="The job's YAML or JSON; - reads standard input.")],
    has_all: Annotated[bool, typer.Option("--all", "-a", help="Print every candidate.")] = False,
    output: OutputOption = Output.TABLE,
) -> None:
    """Print what a job would begin with, its cost against its finish time, and its goals.

    Submits nothing.
    """
    spec, code = read_spec(file)
    with connection_of(context).open() as client:
        # The daemon weighs it: only there are prices, and what earlier runs have measured.
        priced = client.post("/v1/jobs:plan", spec)
    if output is Output.JSON:
        render.show_json(priced)
    else:
        job_pages.show_plan(priced, has_all=has_all, code=code)
