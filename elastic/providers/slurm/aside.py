"""A question that is asked in a thread of its own, so that no tick waits long for its answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from typing import Generic, TypeVar

T = TypeVar("T")


class Aside(Generic[T]):
    """Asks once at a time. What takes longer than a caller waits is there for a later call."""

    def __init__(self, ask: Callable[[], T]) -> None:
        self._ask = ask
        self._asked: Future[T] | None = None

    def answer(self, *, within_s: float) -> T | None:
        """The answer, None if there is none yet. Raises what the question raised."""
        if self._asked is None:
            self._asked = Future()
            # A daemon thread keeps no process from ending.
            threading.Thread(target=self._run, args=(self._asked,), daemon=True).start()
        try:
            found = self._asked.result(within_s)
        except NotYet:
            return None
        except Exception:
            # The next call asks again.
            self._asked = None
            raise
        self._asked = None
        return found

    def drop(self) -> None:
        """Lets no later call see the answer that is on its way: the world has changed."""
        self._asked = None

    def _run(self, asked: Future[T]) -> None:
        try:
            found = self._ask()
        except Exception as error:  # noqa: BLE001
            # Whatever it is: a question without an answer would be waited for for ever.
            asked.set_exception(error)
        else:
            asked.set_result(found)
