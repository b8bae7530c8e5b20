"""What is asked of databases, statement by statement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, event


@contextmanager
def statements() -> Iterator[list[str]]:
    """What is asked of any database meanwhile, and each commit."""
    found: list[str] = []

    def note(_: object, __: object, statement: str, *more: object) -> None:
        found.append(statement)

    def commits(_: object) -> None:
        found.append("COMMIT")

    event.listen(Engine, "before_cursor_execute", note)
    event.listen(Engine, "commit", commits)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)
        event.remove(Engine, "commit", commits)
