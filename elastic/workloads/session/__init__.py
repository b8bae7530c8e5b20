"""Sessions: members join, leave and crash without a restart, and the training stays the same."""

from elastic.workloads.session.attendance import Attendance
from elastic.workloads.session.membership import SessionEnded
from elastic.workloads.session.optimizers import optimizer_units
from elastic.workloads.session.session import Session
from elastic.workloads.session.settings import SessionSettings
from elastic.workloads.session.state import StateCopy
from elastic.workloads.session.turns import CommittedStep, SessionStep

__all__ = [
    "Attendance",
    "CommittedStep",
    "Session",
    "SessionEnded",
    "SessionSettings",
    "SessionStep",
    "StateCopy",
    "optimizer_units",
]
