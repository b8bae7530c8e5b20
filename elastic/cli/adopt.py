"""`elasticd adopt`: jobs that the database does not know, since it lost them."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.options import ListOutputOption, YesOption, connection_of
from elastic.cli.render import Column, ListOutput


def _cost(job: dict[str, Any]) -> str:
    if job["least_usd"] is None:
        return render.UNKNOWN
    return figures.span(job["least_usd"], job["most_usd"], figures.usd)


COLUMNS = (
    Column("JOB", "job_id"),
    Column("NAME", "name"),
    Column("MACHINES", "machines", lambda each: str(len(each)), is_number=True),
    Column("HEARD", "is_heard", lambda each: "yes" if each else "no"),
    Column("END BY THEMSELVES", "ends_by_s", figures.instant),
    Column("RECORDED", "recorded_at_s", figures.instant),
    Column("ITERATION", "iteration", is_number=True),
    Column("COST BEFORE", "cost"),
)


def adopt(
    context: typer.Context,
    job: Annotated[
        str | None, typer.Argument(help="The job's id or name; without it, they are listed.")
    ] = None,
    end: Annotated[
        bool, typer.Option("--end", help="End its machines and drop its record instead.")
    ] = False,
    yes: YesOption = False,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """Go on with a job that the database does not know, or end its machines; alone, list those
    jobs."""
    with connection_of(context).open() as client:
        if job is None:
            found = [{**each, "cost": _cost(each)} for each in client.get("/v1/held-jobs")["items"]]
            render.show_list(found, COLUMNS, output)
            return
        what = "end" if end else "adopt"
        # Both ways are for good: one may cost dollars, the other loses what is not saved.
        if not yes:
            question = "end the machines of" if end else "go on with"
            typer.confirm(f"{question} {job}?", abort=True, err=True)
        settled = client.post(f"/v1/held-jobs/{quote(job, safe='')}:{what}")
    print(f"{settled['job_id']}: {'its machines are ended' if end else 'adopted'}")
