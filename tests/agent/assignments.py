"""An assignment for tests of one node."""

from __future__ import annotations

from elastic.protocol import Assignment
from tests.certificates import pem

ONE = Assignment(
    job_id="j",
    generation=1,
    command=("train.py",),
    nnodes_min=1,
    nnodes_max=1,
    nproc_per_node=1,
    threads=1,
    world_size=1,
    rdzv_endpoint="127.0.0.1:1",
    rdzv_id="j-g1",
    certificate=pem(),
    drain_grace_s=30.0,
    checkpoint_dir="c",
    artifact_dir="a",
    max_restarts=1,
)
