"""How many workers a node runs, and on how many threads each: what a job asks for, and what a node
type makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from elastic.model.offering import NodeType


class PerNode(StrEnum):
    """Numbers of workers that follow the node type.

    `auto` is a worker for each GPU, and one for all cores where there is no GPU; `gpu` insists on
    GPUs.
    """

    AUTO = "auto"
    GPU = "gpu"


# One number for every node, or one for each node type: `auto` for those that the map does not name.
WorkersWanted = int | PerNode
NprocPerNode = WorkersWanted | Mapping[str, WorkersWanted]


@dataclass(frozen=True, slots=True)
class Workers:
    """What runs on one node: so many processes, each computing with so many threads.

    >>> str(Workers(1, 4)), str(Workers(8, 1))
    ('1 x 4 threads', '8 x 1 thread')
    """

    processes: int
    threads: int

    def __str__(self) -> str:
        return f"{self.processes} x {self.threads} thread{'' if self.threads == 1 else 's'}"


# What every node ran by default before its cores were counted, and a small one runs now.
ONE_WORKER = Workers(1, 1)


def wanted_on(asked: NprocPerNode, node_type: str) -> WorkersWanted:
    """What a job asks for on nodes of this type."""
    if isinstance(asked, Mapping):
        return asked.get(node_type, PerNode.AUTO)
    return asked


def workers_on(asked: NprocPerNode, node_type: NodeType) -> Workers:
    """The workers of a node of this type.

    All of its cores compute, and no more threads than there are cores: a quota stops those that
    have used it up, and the others wait for them.

    >>> large = NodeType("large", cpu=8, memory_gib=16, physical_cores=4)
    >>> workers_on(PerNode.AUTO, large), workers_on({"large": 2}, large)
    (Workers(processes=1, threads=4), Workers(processes=2, threads=2))
    >>> workers_on(PerNode.AUTO, NodeType("share", cpu=0.5, memory_gib=1))
    Workers(processes=1, threads=1)
    """
    wanted = wanted_on(asked, node_type.name)
    if isinstance(wanted, int):
        processes = wanted
    else:
        processes = max(1, node_type.gpu_count)
    return Workers(processes, threads=max(1, int(node_type.cores / processes)))


def unfit(asked: NprocPerNode, node_type: NodeType) -> str | None:
    """Why nodes of this type cannot run what is asked for, for a person; None if they can.

    >>> unfit(PerNode.GPU, NodeType("c5.large", cpu=2, memory_gib=4))
    'c5.large has no GPU, and nproc_per_node: gpu asks for one'
    >>> unfit(4, NodeType("g4dn.xlarge", cpu=4, memory_gib=16, gpu_count=1, gpu_model="T4"))
    'g4dn.xlarge has 1 GPU, and nproc_per_node asks for 4 workers'
    """
    wanted = wanted_on(asked, node_type.name)
    gpus = node_type.gpu_count
    if wanted is PerNode.GPU and gpus == 0:
        return f"{node_type.name} has no GPU, and nproc_per_node: gpu asks for one"
    if isinstance(wanted, int) and 0 < gpus < wanted:
        return (
            f"{node_type.name} has {gpus} GPU{'' if gpus == 1 else 's'}, and nproc_per_node asks "
            f"for {wanted} workers"
        )
    return None
