"""The options that several commands share, each defined once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from elastic.cli import completing, render
from elastic.cli.render import Column, ListOutput, Output
from elastic.client import Connection
from elastic.errors import InvalidInput

OutputOption = Annotated[
    Output, typer.Option("--output", "-o", help="How to print: a table, or the daemon's JSON.")
]
ListOutputOption = Annotated[
    ListOutput,
    typer.Option(
        "--output", "-o", help="How to print: a table, the daemon's JSON, or all of it as CSV."
    ),
]
MOST_ITEMS = 100_000
LimitOption = Annotated[
    int | None,
    typer.Option(
        "--limit",
        "-n",
        min=1,
        max=MOST_ITEMS,
        help="At most this many, newest first; unless given, all in JSON and CSV.",
    ),
]
JobOption = Annotated[
    str | None,
    typer.Option(
        "--job",
        "-j",
        help="Only this job's, by id or name.",
        autocompletion=completing.jobs,
    ),
]
JobArgument = Annotated[
    str, typer.Argument(help="The job's id or name.", autocompletion=completing.jobs)
]
NodeArgument = Annotated[
    str, typer.Argument(help="The node's id.", autocompletion=completing.nodes)
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def limit_of(limit: int | None, output: ListOutput, *, in_table: int) -> int:
    """How many items to ask for: in a table a few are enough, and a program wants them all."""
    if limit is not None:
        return limit
    if output is ListOutput.TABLE:
        return in_table
    return MOST_ITEMS


def show_items(
    context: typer.Context,
    path: str,
    columns: Sequence[Column],
    *,
    limit: int | None,
    output: ListOutput,
    in_table: int,
    **query: str | None,
) -> None:
    """Prints what the daemon lists at `path`, newest first."""
    with connection_of(context).open() as client:
        items = client.items(path, limit=limit_of(limit, output, in_table=in_table), **query)
    render.show_list(items, columns, output)


def connection_of(context: typer.Context) -> Connection:
    """The daemon as the command line names it."""
    found = context.find_object(Connection)
    if found is not None:
        return found
    return Connection()


def confirm(question: str, *, yes: bool, can_ask: bool = True) -> None:
    """Asks, unless it was answered beforehand; aborts at a no. Raises InvalidInput."""
    if yes:
        return
    # A script that waits for an answer would hang.
    if not (can_ask and sys.stdin.isatty()):
        raise InvalidInput(f"{question} There is no terminal to ask on: say --yes")
    # Output may go into a file, where the question would neither be seen nor belong: typer's own
    # writes at least a space there.
    typer.echo(f"{question} [y/N]: ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise typer.Abort
