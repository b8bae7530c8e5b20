"""The vocabulary: frozen values that validate themselves, and the tables of their legal moves."""

from elastic.model.job import (
    LEGAL_JOB_MOVES,
    CapacityChoice,
    Goal,
    Job,
    JobPhase,
    JobSpec,
    Objective,
    TrainingPhase,
    move_job,
)
from elastic.model.ledger import LedgerRow, spent_usd
from elastic.model.measurement import Group, Sample, Series, Window
from elastic.model.node import (
    LEGAL_NODE_MOVES,
    AgentState,
    Exit,
    Generation,
    Node,
    NodePhase,
    Notice,
    NoticeKind,
    Outcome,
    move_node,
)
from elastic.model.offering import Capacity, NodeType, Obstacle, Offering, Price, Unavailable
from elastic.model.plan import Action, Candidate, Decision, Interval, Plan, Reason
from elastic.model.snapshot import Change, Limits, Snapshot, Switch

__all__ = [
    "LEGAL_JOB_MOVES",
    "LEGAL_NODE_MOVES",
    "Action",
    "AgentState",
    "Candidate",
    "Capacity",
    "CapacityChoice",
    "Change",
    "Decision",
    "Exit",
    "Generation",
    "Goal",
    "Group",
    "Interval",
    "Job",
    "JobPhase",
    "JobSpec",
    "LedgerRow",
    "Limits",
    "Node",
    "NodePhase",
    "NodeType",
    "Notice",
    "NoticeKind",
    "Objective",
    "Obstacle",
    "Offering",
    "Outcome",
    "Plan",
    "Price",
    "Reason",
    "Sample",
    "Series",
    "Snapshot",
    "Switch",
    "TrainingPhase",
    "Unavailable",
    "Window",
    "move_job",
    "move_node",
    "spent_usd",
]
