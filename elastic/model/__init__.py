"""The vocabulary: frozen values that validate themselves, and the tables of their legal moves."""

from elastic.model.hazard import interruptions_per_h
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
from elastic.model.ledger import LedgerRow, Stretch, Tenure, spent_usd, stretches
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
from elastic.model.tier import MODULE_OPTIONS, Tier, choose_tier, is_python

__all__ = [
    "LEGAL_JOB_MOVES",
    "LEGAL_NODE_MOVES",
    "MODULE_OPTIONS",
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
    "Stretch",
    "Switch",
    "Tenure",
    "Tier",
    "TrainingPhase",
    "Unavailable",
    "Window",
    "choose_tier",
    "interruptions_per_h",
    "is_python",
    "move_job",
    "move_node",
    "spent_usd",
    "stretches",
]
