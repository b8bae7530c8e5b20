"""`elasticd certificate`: what nodes and users know this machine's daemon by."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from elastic.errors import Conflict, NotFound
from elastic.figures import count

app = typer.Typer(help="What nodes and users know the daemon by.", no_args_is_help=True)


@app.command("show")
def show(
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


@app.command("rotate")
def rotate() -> None:
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
