"""A process's membership, kept by a thread of its own from the first round to the job's end."""

from elastic.workloads.session.membership.ending import EndOfJob
from elastic.workloads.session.membership.membership import SessionMember
from elastic.workloads.session.membership.recording import OnRound
from elastic.workloads.session.membership.shared_state import (
    COMPLETE,
    HALF_MOVED,
    NOBODY_WHOLE,
    SessionEnded,
    SharedState,
)

__all__ = [
    "COMPLETE",
    "HALF_MOVED",
    "NOBODY_WHOLE",
    "EndOfJob",
    "OnRound",
    "SessionEnded",
    "SessionMember",
    "SharedState",
]
