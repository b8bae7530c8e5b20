"""`elasticd db`: the database, migrated and checked without a daemon."""

from __future__ import annotations

import typer

from elastic.cli.exits import ExitCode

app = typer.Typer(help="The database.", no_args_is_help=True)


@app.command("migrate")
def migrate() -> None:
    """Bring the database to this version's tables; makes it if there is none."""
    # Imported here, since SQLAlchemy is slow to import and other commands do not need it.
    from elastic.config import load_settings
    from elastic.store import open_store, shown

    url = load_settings().url
    open_store(url).close()
    print(f"{shown(url)}: migrated")


@app.command("check")
def check() -> None:
    """Say whether the database is sound and up to date; status 1 if not. Changes nothing."""
    from elastic.config import load_settings
    from elastic.store import inspect_store, shown

    url = load_settings().url
    state = inspect_store(url)
    print(f"{shown(url)}: revision {state.revision or 'none'}, newest {state.newest_revision}")
    for damage in state.damages:
        print(f"damaged: {damage}")
    if state.damages or not state.is_migrated:
        print("to fix: restore a copy" if state.damages else "to fix: elasticd db migrate")
        raise typer.Exit(ExitCode.ERROR)
