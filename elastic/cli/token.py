"""`elasticd token` and `elasticd certificate`: what opens the daemon, and what it is known by."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from elastic.cli.options import connection_of
from elastic.client.connection import default_token_file, read_token
from elastic.data_folder import make_data_folder
from elastic.errors import Conflict, NotFound, cannot_write
from elastic.figures import count

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
        from elastic.client.strangers import is_there  # ssl is slow to import

        token = read_token(file)
        # The browser that opens the link gives the token to what listens there.
        is_there(connection.address(), owner=file.stat().st_uid)
        print(f"{connection.address()}/login?token={token}")
    else:
        print(file if path else read_token(file))


@app.command("rotate")
def rotate(context: typer.Context) -> None:
    """Write a new token; a running daemon keeps the old one until it is started again."""
    file = connection_of(context).token_file or default_token_file()
    write_token(file, secrets.token_urlsafe(_TOKEN_BYTES))
    print(f"{file}: new token written; start the daemon again to put it in force")


def write_token(path: Path, token: str) -> None:
    """Replaces the token in `path` at once, readable by its owner only. Raises InvalidInput."""
    make_data_folder(path.parent)
    try:
        # A folder has no name to write beside, if it is the working folder.
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "Is a directory")
        _replace(path, token)
    except OSError as error:
        raise cannot_write(
            path, error, wanted="a file for the token", advice="name another with --token-file"
        ) from error


def _replace(path: Path, token: str) -> None:
    # Written beside and renamed: a crash leaves the old token or the new one, never half of one.
    new = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{token}\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


certificates = typer.Typer(help="What nodes and users know the daemon by.", no_args_is_help=True)


@certificates.command("show")
def show_certificate(
    path: Annotated[
        bool, typer.Option("--path", help="Print the file that holds it, not the certificate.")
    ] = False,
) -> None:
    """Print the certificate that --ca-file takes on other machines. It is no secret."""
    from elastic.client.connection import default_certificate_file

    file = default_certificate_file()
    if not file.exists():
        raise NotFound(f"{file}: no certificate yet; `elasticd serve` makes it")
    print(file if path else file.read_text().strip())


@certificates.command("rotate")
def rotate_secret() -> None:
    """Give the daemon a new secret, and with it a new authority; it must not run meanwhile.

    Nodes know the old one, so none may live. Secrets of jobs that have ended are lost.
    """
    from elastic.config import load_settings  # these commands alone pay for SQLAlchemy
    from elastic.reconciler import renew_secret
    from elastic.store import database_folder, lock, open_store

    settings = load_settings()
    folders = {settings.data_dir.resolve()}
    if (folder := database_folder(settings.url)) is not None:
        folders.add(folder.resolve())
    held = [lock(each) for each in sorted(folders)]
    store = open_store(settings.url)
    try:
        # A node trusts one authority for its life: it could never speak with this daemon again.
        nodes = len(store.nodes.listed())
        if nodes:
            raise Conflict(
                f"wanted no node, found {count(nodes)} that know the daemon by its certificate: "
                "start it, stop their jobs, and rotate once `elasticd node ls` lists none"
            )
        sealed = [each for each in store.jobs.unfinished() if each.spec.sealed]
        if sealed:
            names = ", ".join(each.spec.name for each in sealed)
            raise Conflict(
                f"wanted no job with secrets that goes on, found {count(len(sealed))} ({names}): "
                "only the old secret opens them. Stop such jobs first, and submit them again later"
            )
        path = settings.data_dir.absolute() / "secret"
        renew_secret(store, "secret", path)
    finally:
        store.close()
        for each in held:
            os.close(each)
    print(f"{path}: a new secret; the next start makes the certificate that follows from it")
