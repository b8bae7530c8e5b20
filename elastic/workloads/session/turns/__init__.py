"""A turn on the training thread: what it sums, and that all members end it in the same state."""

from elastic.workloads.session.turns.buffers import Buffers, GradientMessage, without_gradients
from elastic.workloads.session.turns.control_values import ControlValues, RankValues
from elastic.workloads.session.turns.leveling import Leveling, ended
from elastic.workloads.session.turns.round_start import Meeting, TooOld
from elastic.workloads.session.turns.session_step import (
    CommittedStep,
    Compute,
    Outdated,
    SessionStep,
)
from elastic.workloads.session.turns.sums import Sums
from elastic.workloads.session.turns.transaction_guard import TransactionGuard

__all__ = [
    "Buffers",
    "CommittedStep",
    "Compute",
    "ControlValues",
    "GradientMessage",
    "Leveling",
    "Meeting",
    "Outdated",
    "RankValues",
    "SessionStep",
    "Sums",
    "TooOld",
    "TransactionGuard",
    "ended",
    "without_gradients",
]
