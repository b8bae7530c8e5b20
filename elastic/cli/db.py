"""`elasticd db`: the database, migrated, checked, backed up and restored without a daemon."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elastic.cli.exits import ExitCode
from elastic.figures import instant, size

if TYPE_CHECKING:
    from elastic.config import Settings

_NOT_IN_NAMES = str.maketrans("", "", "-:")

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
    """Say whether the database is sound and up to date, and its ledger adds up; status 1 if not.
    Changes nothing."""
    from elastic.config import load_settings  # these commands alone pay for SQLAlchemy
    from elastic.store import TO_GO_BACK, inspect_store, shown

    url = load_settings().url
    state = inspect_store(url)
    print(f"{shown(url)}: revision {state.revision or 'none'}, newest {state.newest_revision}")
    for title, found in (
        ("damaged", state.damages),
        ("differs", state.differences),
        ("ledger", state.faults),
    ):
        for each in found:
            print(f"{title}: {each}")
    if state.damages:
        print("to fix: restore a backup (elasticd db restore FILE)")
    elif state.revision is None:
        print(
            "it holds nothing; to fix: elasticd db migrate if it is new, elasticd db restore FILE "
            "if a daemon has used it"
        )
    elif state.is_newer:
        print(f"to fix: {TO_GO_BACK}")
    elif state.differences or not state.is_migrated:
        print("to fix: elasticd db migrate")
    elif state.faults:
        print("to fix: elasticd audit compares the ledger with the cloud, where there is one")
    else:
        print("sound; its tables are this version's, and its ledger adds up")
        return
    raise typer.Exit(ExitCode.ERROR)


@app.command("backup")
def backup(
    # Text: a path loses the / at its end.
    to: Annotated[
        str,
        typer.Argument(
            metavar="PATH", help="File to write, or the folder for it; this folder if absent."
        ),
    ] = ".",
) -> None:
    """Copy the database, the secret and the token into one file, which only you can read; the
    daemon may go on."""
    from elastic.clock import SystemClock
    from elastic.config import load_settings  # these commands alone pay for SQLAlchemy
    from elastic.store import back_up

    settings, now_s = load_settings(), SystemClock().now_s()
    path = Path(to)
    # Unlike `Path.is_dir` it has no error of its own for a place that cannot be entered.
    if to.endswith("/") or os.path.isdir(path):
        path /= f"elasticd-{instant(now_s).translate(_NOT_IN_NAMES)}.tar"
    made = back_up(settings.url, _secrets(settings), path, now_s=now_s)
    print(f"{made.path}: {', '.join(made.sizes)}; {size(sum(made.sizes.values()))}")


@app.command("restore")
def restore(
    source: Annotated[Path, typer.Argument(help="A file that `elasticd db backup` has written.")],
    # Text: an empty one would become the path of the working folder.
    data_dir: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Folder to restore into; that of the settings if absent."
        ),
    ] = None,
) -> None:
    """Lay a backup out where the settings have the database; overwrites nothing, and runs beside no
    daemon."""
    from elastic.config import load_settings  # these commands alone pay for SQLAlchemy
    from elastic.store import database_folder, lock, look_into, shown
    from elastic.store import restore as restore_backup

    settings = load_settings(data_dir=data_dir)
    # Before the locks, which make the folders that they are in.
    look_into(source)
    folders = {settings.data_dir.resolve()}
    if (folder := database_folder(settings.url)) is not None:
        folders.add(folder.resolve())
    # Sorted: two commands that take the same locks in another order would wait for each other. Held
    # to the end, so that no daemon starts in the middle.
    held = [lock(each) for each in sorted(folders)]
    try:
        restored = restore_backup(source, settings.url, _secrets(settings))
    finally:
        for each in held:
            os.close(each)
    print(f"{shown(settings.url)}: restored as it was at {restored.made_at}")
    if not settings.checkpoint_root and not settings.job_folder.exists():
        print(
            "checkpoints and outputs are in no backup, and jobs without theirs begin at iteration "
            "0: copy the folder `jobs` of the old data folder to "
            f"{settings.job_folder}, or name it as checkpoint_root, before the daemon starts"
        )


def _secrets(settings: Settings) -> dict[str, Path]:
    """The files that a daemon needs beside its database: its nodes and its user know what is in
    them."""
    return {"secret": settings.data_dir.absolute() / "secret", "token": settings.token_file}
