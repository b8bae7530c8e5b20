"""Opens a past database again and again, each time in a process that kills itself one step later.

Run: python -m tests.store.dying_migration SCRIPT FOLDER EVERY. A step is a statement that changes
something, a commit, a connection that is closed, a file that is opened or renamed. It prints a JSON
object: how many steps there are, and for each kill what the database held then (old, new, or
neither) and after the next start. Kills that leave the same files are followed by the same start:
that one is made once.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Pool, event

from elastic.store import open_store
from tests.store.past_databases import dump, lay_out_past


def main(script: Path, folder: Path, every: int) -> None:
    """Plays every so-many-th kill, and the last start, which nobody kills."""
    old, new = _states(script, folder)
    template = folder / "template.db"
    lay_out_past(script, template)
    kills: list[dict[str, Any]] = []
    outcomes: dict[frozenset[tuple[str, bytes]], dict[str, str]] = {}
    step = 1
    while True:
        path = folder / f"{step}" / "elasticd.db"
        path.parent.mkdir()
        shutil.copy(template, path)
        url = f"sqlite:///{path}"
        if not _is_killed(url, step):
            break
        left = _files(path.parent)
        if left not in outcomes:
            then = _name(dump(path), old, new)
            open_store(url).close()
            outcomes[left] = {"then": then, "later": _name(dump(path), old, new)}
        kills.append({"step": step, **outcomes[left]})
        step += every
    print(json.dumps({"steps": step, "kills": kills}))


def _states(script: Path, folder: Path) -> tuple[str, str]:
    path = folder / "whole" / "elasticd.db"
    path.parent.mkdir()
    url = lay_out_past(script, path)
    old = dump(path)
    open_store(url).close()
    return old, dump(path)


def _files(folder: Path) -> frozenset[tuple[str, bytes]]:
    """What a kill has left, but for the index of SQLite's log, which the next process makes again."""
    return frozenset(
        (str(each.relative_to(folder)), hashlib.sha256(each.read_bytes()).digest())
        for each in folder.rglob("*")
        if each.is_file() and each.suffix != ".db-shm"
    )


def _name(found: str, old: str, new: str) -> str:
    return "old" if found == old else "new" if found == new else "neither"


def _is_killed(url: str, step: int) -> bool:
    child = os.fork()
    if child == 0:
        _die_at(step)
        open_store(url).close()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status) == signal.SIGKILL
    assert os.WEXITSTATUS(status) == 0
    return False


def _die_at(step: int) -> None:
    """Kills this process at its step of that number."""
    left = step

    def count(*_: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def statement(_c: Any, _cursor: Any, text: str, *_: Any) -> None:
        if not text.lstrip().upper().startswith(("SELECT", "PRAGMA")):
            count()

    def audit(name: str, arguments: tuple[Any, ...]) -> None:
        is_written = name == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
        if name in ("os.rename", "sqlite3.connect") or is_written:
            count()

    event.listen(Engine, "before_cursor_execute", statement)
    event.listen(Engine, "commit", count)
    event.listen(Pool, "close", count)
    sys.addaudithook(audit)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
