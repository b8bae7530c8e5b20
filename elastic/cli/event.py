"""`elasticd event`: what happened, in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.options import JobOption, LimitOption, ListOutputOption, connection_of, limit_of
from elastic.cli.outlet import has_reader
from elastic.cli.render import Column, ListOutput
from elastic.log_line import plain_lines

if TYPE_CHECKING:
    from elastic.client.rest import Client, JsonObject

# What one answer holds at most.
_PAGE_SIZE = 500

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
    limit: LimitOption = None,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List the newest events, oldest first; with --follow, print new ones until Ctrl-C."""
    with connection_of(context).open() as client:
        if follow:
            _follow(client, after=after, job=job, output=output)
        else:
            most = limit_of(limit, output, in_table=100)
            render.show_list(_listed(client, after=after, job=job, most=most), COLUMNS, output)


def _listed(
    client: Client, *, after: int | None, job: str | None, most: int
) -> Sequence[Mapping[str, Any]]:
    """The newest events, or the first ones after an id; at most `most`, oldest first."""
    if after is None and most <= _PAGE_SIZE:
        found: list[Mapping[str, Any]] = client.get("/v1/events", limit=most, job=job)["items"]
        return found
    found = []
    at = after or 0
    while after is None or len(found) < most:
        page = client.get("/v1/events", after=at, limit=_PAGE_SIZE, job=job)["items"]
        found += page
        if len(page) < _PAGE_SIZE:
            break
        at = page[-1]["id"]
    if after is None:
        return found[-most:]
    return found[:most]


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
    text = plain_lines(event["text"])
    return f"{figures.instant(event['at_s'])}  {event['kind']:<12}  {text}"
