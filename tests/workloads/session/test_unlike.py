"""Two members on processors that calculate otherwise, each a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.workloads.session.running import running_fleet


@pytest.mark.skipif(
    torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"),
    reason="this processor has no unlike kernels",
)
@pytest.mark.slow
def test_they_replace_each_other_with_the_same_bytes_and_nothing_has_to_be_brought_level(
    tmp_path: Path,
) -> None:
    options = ("--pause", "0.01", "--dtype", "float32")
    with running_fleet(tmp_path, *options, capabilities=("avx2", "default")) as fleet:
        members = fleet.start(2)
        fleet.await_world(members, further=20)
        first, second = members
        second.kill()
        fleet.await_world([first])
        (third, *_) = others = fleet.start(2)
        fleet.await_world([first, *others], further=20)
        first.kill()
        fleet.await_world(others, further=20)
        fleet.await_end(others)
        fleet.assert_identical()
        assert sum(event["world_size"] > 1 for event in third.steps()) >= 40
        logs = [member.log.with_suffix(".err").read_text() for member in fleet.members]
    assert not any("differed within rounding" in log for log in logs)
