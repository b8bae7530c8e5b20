"""Guards the members' common work against a signal or an exception that interrupts it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from elastic.workloads.session.membership import HALF_MOVED, SessionEnded, SharedState
from elastic.workloads.session.turns.session_step import Outdated


class TransactionGuard(contextlib.AbstractContextManager["TransactionGuard"]):
    """A context around all that the members do together. A script may go on after an exception.

    Once a sum was begun (`is_exposed`), this rank would pair its next sum with a different one of
    the others. So the round is given up, and the turn is done again in the next one. If the state
    was being moved (`is_moving`), it is no longer the job's state: this process joins again and is
    sent the state. A process that cannot be a member ends at once, whatever the script does: the
    others wait for that.
    """

    def __init__(
        self, shared: SharedState, lose: Callable[[], None], close: Callable[[], None]
    ) -> None:
        self._shared = shared
        self._lose = lose
        self._close = close
        self.is_exposed = False
        self.is_moving = False

    def __enter__(self) -> TransactionGuard:
        self.is_exposed = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, *_: object
    ) -> None:
        if kind is None or issubclass(kind, Outdated) or self._shared.is_closed:
            return
        if self.is_moving:
            self.is_moving = False
            current = self._shared.current
            if current is None or current.group is None:
                self._shared.end = HALF_MOVED  # no other member has the state
            else:
                self._shared.tear()
        if self.is_exposed:
            self._lose()
        if isinstance(error, SessionEnded):
            self._shared.end = self._shared.end or str(error)
            self._close()
