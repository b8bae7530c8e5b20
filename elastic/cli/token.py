"""`elasticd token`: the secret that opens this machine's daemon."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from elastic.cli.options import connection_of
from elastic.client.connection import default_token_file, read_token

app = typer.Typer(help="The secret that opens this machine's daemon.", no_args_is_help=True)

_TOKEN_BYTES = 32


@app.command("show")
def show(
    context: typer.Context,
    path: Annotated[
        bool, typer.Option("--path", help="Print the file that holds it, not the token.")
    ] = False,
    link: Annotated[
        bool, typer.Option("--link", help="Print the address that opens the dashboard with it.")
    ] = False,
) -> None:
    """Print the token."""
    connection = connection_of(context)
    file = connection.token_file or default_token_file()
    if link:
        print(f"{connection.address()}/login?token={read_token(file)}")
    else:
        print(file if path else read_token(file))


@app.command("rotate")
def rotate(context: typer.Context) -> None:
    """Write a new token; a running daemon keeps the old one until it is started again."""
    file = connection_of(context).token_file or default_token_file()
    write_token(file, secrets.token_urlsafe(_TOKEN_BYTES))
    print(f"{file}: new token written; start the daemon again to put it in force")


def write_token(path: Path, token: str) -> None:
    """Replaces the token in `path` at once, readable by its owner only."""
    # Written beside and renamed: a crash leaves the old token or the new one, never half of one.
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(f"{token}\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
