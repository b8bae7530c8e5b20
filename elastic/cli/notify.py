"""`elasticd notify`: messages to people, whether they arrived, and a test."""

from __future__ import annotations

from typing import Annotated

import typer

from elastic import figures
from elastic.cli import completing, render
from elastic.cli.options import LimitOption, ListOutputOption, connection_of, limit_of
from elastic.cli.render import Column, ListOutput
from elastic.errors import ElasticError

app = typer.Typer(
    no_args_is_help=True, help="Messages to people: the recipients, what was sent, and a test."
)

COLUMNS = (
    Column("ID", "id", is_number=True, is_extra=True),
    Column("MADE", "made_at_s", figures.instant, is_extra=True),
    Column("TO", "recipient"),
    Column("TOPIC", "topic", is_extra=True),
    Column("DELIVERY", "delivery"),
    Column("TITLE", "title"),
    Column("WHY NOT", "error", is_extra=True),
)
RECIPIENTS = (
    Column("TO", "name"),
    Column("TOPICS", "topics", lambda each: ", ".join(each) or "only what jobs ask for"),
)


@app.command("ls")
def list_messages(
    context: typer.Context,
    limit: LimitOption = None,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List the newest messages to people, newest first."""
    with connection_of(context).open() as client:
        found = client.get("/v1/notifications", limit=limit_of(limit, output, in_table=50))["items"]
    render.show_list(found, COLUMNS, output)


@app.command("recipients")
def list_recipients(context: typer.Context, output: ListOutputOption = ListOutput.TABLE) -> None:
    """List the recipients, and what their messages are about."""
    with connection_of(context).open() as client:
        found = client.get("/v1/recipients")["items"]
    render.show_list(found, RECIPIENTS, output)


@app.command("test")
def send_test(
    context: typer.Context,
    recipient: Annotated[
        str | None,
        typer.Argument(
            help="A name of the setting notify.to; without it, all.",
            autocompletion=completing.recipients,
        ),
    ] = None,
) -> None:
    """Send a message now, and say whether it was taken."""
    with connection_of(context).open() as client:
        names = [recipient] if recipient else _names(client.get("/v1/recipients")["items"])
        failed = False
        for name in names:
            error = client.post(f"/v1/recipients/{name}:test")["error"]
            failed = failed or error is not None
            print(f"{name}: {'taken' if error is None else f'not taken: {error}'}")
    if failed:
        raise typer.Exit(1)


def _names(recipients: list[dict[str, str]]) -> list[str]:
    if not recipients:
        raise ElasticError(
            "there are no recipients: name one in the daemon's setting notify.to, such as "
            'me = "file:/home/me/slack-address", and start the daemon again'
        )
    return [each["name"] for each in recipients]
