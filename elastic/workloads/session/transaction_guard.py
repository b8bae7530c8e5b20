"""Guards the members' common work against a signal or an error that breaks it off."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from elastic.workloads.session.session_step import Outdated
from elastic.workloads.session.shared_state import HALF_MOVED, SessionEnded, SharedState


class TransactionGuard(contextlib.AbstractContextManager["TransactionGuard"]):
    """A context around all that the members do together.

    A script may go on after an exception. Once a sum was begun, `is_exposed`, this rank would pair
    its next one with another of the others': the round is given up, and the turn done again in
    the next one. Where the state was being moved, `is_moving`, what is held here is no state of the
    job: this process joins again and is sent it. A process that can be no member ends at once,
    whatever the script does now: the others wait for that.
    """

    def __init__(
        self, shared: SharedState, lose: Callable[[], None], close: Callable[[], None]
    ) -> None:
        self._shared = shared
        self._lose = lose
        self._close = close
        self.is_exposed = self.is_moving = False

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
