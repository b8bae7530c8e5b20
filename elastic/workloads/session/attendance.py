"""A session's member under elasticd: turns are told to the agent, and who is asked to stop leaves,
or ends the job."""

from __future__ import annotations

from elastic.worker import hook
from elastic.workloads.session.round import Round
from elastic.workloads.session.session import Session


class Attendance:
    """Stands between a session and the node's agent; without one, all of it does nothing."""

    def __init__(self, session: Session, *, worker: hook.Worker | None = None) -> None:
        """`worker` speaks with the agent; None for the one that this process's environment
        describes."""
        self._session = session
        self._worker = worker or hook.worker()
        self._worker.is_complete = lambda: session.is_complete
        self._tell_of(session.generation)

    def turned(self, *, phase: str = "main") -> bool:
        """Says that a turn has been run; True if this process is to stop: nobody is left to go on
        without it.

        Asked to stop, by the agent or by `leave`, while others are there, it leaves them at a
        step's end: go on with `run` until `is_member` is False. Asked to stop alone, it must keep
        what the job has come to.
        """
        session = self._session
        if session.turned_in is not None:
            # Counted by who was first when it was run: by the time it is, others may have come in
            # or left.
            self._tell_of(session.turned_in)
            must_stop = self._worker.turn(session.step, phase)
        else:  # the members may wait, for long, for others to come
            must_stop = self._worker.is_asked_to_stop
        if not session.is_member:
            return False
        self._tell_of(session.generation)
        if must_stop:
            session.leave()
        return session.must_stop

    def _tell_of(self, generation: Round) -> None:
        self._worker.regroup(
            rank=generation.rank or 0, world_size=generation.world_size, number=generation.number
        )
