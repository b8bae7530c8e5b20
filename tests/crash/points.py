"""Crash points: each write of the store and each call of the cloud is crossed, and at one crossing
the process dies.

Nothing in the product knows of them: the database and the clients of the cloud are watched from
outside.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

from sqlalchemy import Connection

from elastic.store import Database, Store
from elastic.store.engine import Repository


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """The `count`-th crossing of one border in one stage of a job's life, counted from the daemon's
    start.

    `when` is `before` (nothing has happened), `within` (a transaction is open, all of it said) or
    `after` (it is done, and the daemon has not acted on it yet).
    """

    stage: str
    when: str
    what: str
    count: int = 1

    def __str__(self) -> str:
        return f"{self.stage}:{self.when}:{self.what}:{self.count}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads what `str` gives."""
        stage, when, what, count = text.split(":")
        return cls(stage, when, what, int(count))


@dataclass(slots=True)
class Watch:
    """Counts the crossings of one process, and ends it by SIGKILL at the one where it is to die."""

    die_at: Point | None
    stage: str = ""
    method: str = ""
    crossed: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    tell: Callable[[Point], None] | None = None

    def cross(self, when: str, what: str) -> None:
        key = (self.stage, when, what)
        self.crossed[key] += 1
        point = Point(*key, self.crossed[key])
        if self.tell is not None:
            self.tell(point)
        if point == self.die_at:
            os.kill(os.getpid(), signal.SIGKILL)


class WatchedDatabase(Database):
    """Crosses before each writing transaction, within it when all is said, and after its commit."""

    def __init__(self, url: str, watch: Watch) -> None:
        super().__init__(url)
        self._watch = watch

    @contextmanager
    def write(self) -> Iterator[Connection]:
        what = self._watch.method
        self._watch.cross("before", what)
        with super().write() as connection:
            yield connection
            self._watch.cross("within", what)
        self._watch.cross("after", what)


class WatchedStore(Store):
    """Tells the watch which method of which repository is at work."""

    def __init__(self, url: str, watch: Watch) -> None:
        super().__init__(WatchedDatabase(url, watch))
        self._watch = watch
        for name, each in list(vars(self).items()):
            if isinstance(each, Repository):
                setattr(self, name, WatchedRepository(name, each, watch))

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_"):
            object.__getattribute__(self, "_watch").method = name
        return object.__getattribute__(self, name)


class WatchedRepository:
    """One of the store's repositories; the watch is told which of its methods is at work."""

    def __init__(self, name: str, repository: Repository, watch: Watch) -> None:
        self._name = name
        self._repository = repository
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        self._watch.method = f"{self._name}.{name}"
        return getattr(self._repository, name)


def watch_cloud(client: Any, watch: Watch) -> None:
    """Crosses before each call that this client makes, and after its answer has come."""

    def what(model: Any, body: Any) -> str:
        is_dry = isinstance(body, dict) and str(body.get("DryRun", "")).lower() == "true"
        return f"{model.name}{'(DryRun)' if is_dry else ''}"

    asked: list[str] = []

    def before(model: Any, params: Any, **_: Any) -> None:
        asked.append(what(model, params.get("body")))
        watch.cross("before", asked[-1])

    def after(**_: Any) -> None:
        watch.cross("after", asked.pop())

    client.meta.events.register("before-call", before)
    client.meta.events.register("after-call", after)
