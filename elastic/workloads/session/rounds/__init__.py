"""A round: its members by rank, and the process group that carries their sums and can be cut."""

from elastic.workloads.session.rounds.c10d import Branch
from elastic.workloads.session.rounds.gloo import (
    DEVICES,
    FLOATS,
    LEFT_OUT,
    TYPES,
    Gloo,
    Plug,
    RoundLost,
)
from elastic.workloads.session.rounds.nccl import Gpu, prepare_nccl
from elastic.workloads.session.rounds.round import Round

__all__ = [
    "DEVICES",
    "FLOATS",
    "LEFT_OUT",
    "TYPES",
    "Branch",
    "Gloo",
    "Gpu",
    "Plug",
    "Round",
    "RoundLost",
    "prepare_nccl",
]
