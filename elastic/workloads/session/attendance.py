"""A session's member under elasticd: turns are told to the agent, and whoever is asked to stop leaves the session."""

from __future__ import annotations

from elastic.worker import paramount, regrouped
from elastic.workloads.session.session import Session


class Attendance:
    """Stands between a session and the node's agent; without one, all of it does nothing."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._look()

    def turned(self, *, phase: str = "main") -> bool:
        """Says that a turn has been run; asked to stop, the session is left at a step's end: go on until it is.

        True if nobody else is there: this process may then stop at once as well, and keep what the job has come to.
        """
        if self._session.is_member:
            self._look()
        elif not self.keeps_the_state:
            return False  # who is first from now on tells of this turn
        if not paramount(self._session.step, phase=phase):
            return False
        self._session.leave()
        return self._session.generation.world_size <= 1

    @property
    def keeps_the_state(self) -> bool:
        """Whether what the job has come to is this process's to save: it is the first, or was the last to leave."""
        session = self._session
        return session.is_first if session.is_member else not session.generation.members

    def _look(self) -> None:
        generation = self._session.generation
        regrouped(rank=generation.rank or 0, world_size=generation.world_size)
