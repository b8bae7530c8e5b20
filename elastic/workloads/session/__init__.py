"""Sessions: training whose members come, go and die without a restart, and without changing what is trained."""

from elastic.workloads.session.attendance import Attendance
from elastic.workloads.session.desk import SessionEnded
from elastic.workloads.session.optimizers import optimizer_units
from elastic.workloads.session.session import Session
from elastic.workloads.session.settings import Settings
from elastic.workloads.session.state import Snapshot
from elastic.workloads.session.turn import Outcome, Turn

__all__ = ["Attendance", "Outcome", "Session", "SessionEnded", "Settings", "Snapshot", "Turn", "optimizer_units"]
