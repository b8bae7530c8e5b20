"""How many workers and threads a node type runs."""

from __future__ import annotations

import pytest

from elastic.model import NodeType, NprocPerNode, PerNode, Workers, unfit, workers_on
from tests.builders import node_type

GPUS = node_type("gpus", 32, gpu_count=4, gpu_model="T4", physical_cores=16)
CPUS = node_type("cpus", 16, physical_cores=8)


@pytest.mark.parametrize(
    ("asked", "of", "workers"),
    [
        (PerNode.AUTO, GPUS, Workers(4, 4)),
        (PerNode.AUTO, CPUS, Workers(1, 8)),
        (PerNode.AUTO, node_type("local.two", 2.0), Workers(1, 2)),
        (PerNode.AUTO, node_type("local.half", 0.5), Workers(1, 1)),
        (PerNode.AUTO, node_type("local.more", 1.99), Workers(1, 1)),
        (PerNode.GPU, GPUS, Workers(4, 4)),
        (2, GPUS, Workers(2, 8)),
        (3, CPUS, Workers(3, 2)),
        (16, CPUS, Workers(16, 1)),
        ({"cpus": 2}, CPUS, Workers(2, 4)),
        ({"cpus": 2}, GPUS, Workers(4, 4)),
        ({"gpus": PerNode.GPU, "cpus": PerNode.AUTO}, CPUS, Workers(1, 8)),
    ],
)
def test_a_node_computes_with_all_it_has_and_no_more(
    asked: NprocPerNode, of: NodeType, workers: Workers
) -> None:
    assert workers_on(asked, of) == workers
    assert unfit(asked, of) is None


@pytest.mark.parametrize(
    ("asked", "of", "why"),
    [
        (PerNode.GPU, CPUS, "cpus has no GPU"),
        ({"cpus": PerNode.GPU}, CPUS, "cpus has no GPU"),
        (5, GPUS, "gpus has 4 GPUs, and nproc_per_node asks for 5 workers"),
        ({"gpus": 8}, GPUS, "gpus has 4 GPUs"),
    ],
)
def test_a_type_that_cannot_run_what_is_asked_for_says_why(
    asked: NprocPerNode, of: NodeType, why: str
) -> None:
    said = unfit(asked, of)
    assert said is not None
    assert why in said
