"""The classifier as a user starts it: two nodes by torchrun, and the second resumed from the first's checkpoint."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workloads.session.running import running_fleet

pytestmark = pytest.mark.slow


def test_two_nodes_come_to_one_state(tmp_path: Path) -> None:
    with running_fleet(tmp_path) as fleet:
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "-m", "examples.classifier"]
        environment = {**fleet.environment, "PYTHONPATH": os.getcwd()}
        nodes = []
        for name in ("one", "two"):
            folder = {"ELASTICD_CHECKPOINT_DIR": str(tmp_path / name)}
            with (tmp_path / f"{name}.err").open("wb") as errors:
                arguments = [*command, "--steps", "150"]
                nodes.append(subprocess.Popen(arguments, env={**environment, **folder}, stderr=errors))
        try:
            statuses = [node.wait(timeout=90) for node in nodes]
        finally:
            for node in nodes:
                node.kill()
                node.wait()
    said = [(tmp_path / f"{name}.err").read_text() for name in ("one", "two")]
    assert 0 in statuses, said
    finished = [re.search(r"finished: (\S+) % right, state (\w+)", text) for text in said]
    # A node that was warm only when the other had finished is sent away, with another status.
    states = {match[2] for match in finished if match}
    assert len(states) == 1 and all(float(match[1]) > 90 for match in finished if match), said
