"""A session's member under elasticd: it reports turns, and leaves when asked to stop."""

from __future__ import annotations

from elastic.worker import hook
from elastic.workloads.session.rounds import Round
from elastic.workloads.session.session import Session


class Attendance:
    """Connects a session to the node's agent; without an agent it does nothing."""

    def __init__(self, session: Session, *, worker: hook.Worker | None = None) -> None:
        """`worker` speaks with the agent; None for the one that the environment describes."""
        self._session = session
        self._worker = worker or hook.worker()
        self._worker.is_complete = lambda: session.is_complete
        self._tell_of(session.round)

    def turned(self, *, phase: str = "main") -> bool:
        """Reports that a turn has been run; True if this process must stop.

        If the agent or `leave` asks it to stop while other members are there, it leaves them at the
        end of a step: call `run` until `is_member` is False. If it is alone, it must keep the job's
        state and stop.
        """
        session = self._session
        if session.turned_in is not None:
            # Count by who was rank 0 when the turn was run: others may have joined or left since.
            self._tell_of(session.turned_in)
            must_stop = self._worker.turn(session.step, phase)
        else:
            # No turn: the members may wait long for others to join.
            must_stop = self._worker.is_asked_to_stop
        if not session.is_member:
            return False
        self._tell_of(session.round)
        if must_stop:
            session.leave()
        return session.must_stop

    def _tell_of(self, round_: Round) -> None:
        self._worker.regroup(
            rank=round_.rank or 0, world_size=round_.world_size, number=round_.number
        )
