"""`elasticd event`: what happened, in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.options import JobOption, LimitOption, ListOutputOption, connection_of
from elastic.cli.outlet import has_reader
from elastic.cli.render import Column, ListOutput

if TYPE_CHECKING:
    from elastic.client.rest import Client, JsonObject

app = typer.Typer(help="What happened, in words.", no_args_is_help=True)

COLUMNS = (
    Column("EVENT", "id", is_number=True, is_extra=True),
    Column("AT", "at_s", figures.instant),
    Column("JOB", "job_id"),
    Column("KIND", "kind", is_extra=True),
    Column("WHAT", "text", can_wrap=True),
)


@app.command("ls")
def list_events(
    context: typer.Context,
    job: JobOption = None,
    after: Annotated[
        int | None,
        typer.Option(min=0, help="The first events after this one's id, instead of the newest."),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Stay, and print events as they happen.")
    ] = False,
    limit: LimitOption = 100,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List the newest events, oldest first; with --follow, print new ones until Ctrl-C."""
    with connection_of(context).open() as client:
        if follow:
            _follow(client, after=after, job=job, output=output)
        else:
            found = client.get("/v1/events", after=after, limit=min(limit, 500), job=job)["items"]
            render.show_list(found, COLUMNS, output)


def _follow(client: Client, *, after: int | None, job: str | None, output: ListOutput) -> None:
    try:
        for event in client.events(after=after, job=job):
            print(line_of(event) if output is ListOutput.TABLE else json.dumps(event), flush=True)
            if not has_reader():  # as after `| head`
                return
    except KeyboardInterrupt:
        return


def line_of(event: JsonObject) -> str:
    """Writes an event as one line."""
    return f"{figures.instant(event['at_s'])}  {event['kind']:<12}  {event['text']}"
