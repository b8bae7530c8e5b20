"""The classifier as a user starts it: two nodes by torchrun, and the second resumed from the
first's checkpoint."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.workloads.session.running import Fleet, running_fleet, wait_until

pytestmark = pytest.mark.slow

AWAITING_ANOTHER = """
import sys, time
from examples.classifier.__main__ import Classifier, main

compute = Classifier.compute

def awaiting_another(self, turn):
    time.sleep(0.5 if turn.world_size == 1 else 0.0)
    return compute(self, turn)

Classifier.compute = awaiting_another
sys.exit(main(sys.argv[1:]))
"""

SLOW_TO_KEEP = """
import sys, time
from elastic.workloads.checkpoint import Checkpoints
from examples.classifier.__main__ import Classifier, main

compute, save = Classifier.compute, Checkpoints.save

def awaiting_another(self, turn):
    if turn.step == 1:
        print("trains", file=sys.stderr, flush=True)
    time.sleep(0.5 if turn.world_size == 1 else 0.0)
    return compute(self, turn)

def hanging_at_last(self, iteration, state):
    if iteration == 60:
        print("keeps the last one", file=sys.stderr, flush=True)
        time.sleep(600)
    return save(self, iteration, state)

Classifier.compute, Checkpoints.save = awaiting_another, hanging_at_last
sys.exit(main(sys.argv[1:]))
"""

WITHOUT_A_FIRST_MINUTE = """
import sys
from elastic.workloads import rhythm
rhythm.MINUTE_S = 0.0
from examples.classifier.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def _node(fleet: Fleet, name: str, *start: str) -> Iterator[subprocess.Popen[bytes]]:
    own = {"PYTHONPATH": os.getcwd(), "ELASTICD_CHECKPOINT_DIR": str(fleet.folder / "kept")}
    with (fleet.folder / f"{name}.err").open("wb") as errors:
        node = subprocess.Popen(
            [sys.executable, *start], env=fleet.environment | own, stderr=errors
        )
    try:
        yield node
    finally:
        node.kill()
        node.wait()


def _said(fleet: Fleet, name: str) -> str:
    return (fleet.folder / f"{name}.err").read_text()


def _kept(fleet: Fleet) -> list[int]:
    return sorted(
        int(each.stem.rpartition("-")[2]) for each in (fleet.folder / "kept").glob("*.pt")
    )


def test_two_nodes_come_to_one_state(tmp_path: Path) -> None:
    script = tmp_path / "classifier.py"
    script.write_text(AWAITING_ANOTHER)
    with running_fleet(tmp_path) as fleet:
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", str(script)]
        environment = {**fleet.environment, "PYTHONPATH": os.getcwd()}
        nodes = []
        for name in ("one", "two"):
            folder = {"ELASTICD_CHECKPOINT_DIR": str(tmp_path / name)}
            with (tmp_path / f"{name}.err").open("wb") as errors:
                arguments = [*command, "--steps", "150"]
                nodes.append(
                    subprocess.Popen(arguments, env={**environment, **folder}, stderr=errors)
                )
        try:
            statuses = [node.wait(timeout=90) for node in nodes]
        finally:
            for node in nodes:
                node.kill()
                node.wait()
    said = [(tmp_path / f"{name}.err").read_text() for name in ("one", "two")]
    assert statuses == [0, 0], said
    finished = [re.search(r"finished: (\S+) % right, state (\w+)", text) for text in said]
    assert any("2 ranks" in text for text in said), said
    states = {match[2] for match in finished if match}
    assert all(finished) and len(states) == 1, said
    assert all(float(match[1]) > 90 for match in finished if match), said


def test_a_node_that_dies_over_the_last_checkpoint_leaves_it_to_the_other_and_who_comes_late_is_sent_away(
    tmp_path: Path,
) -> None:
    steps, start = ("--steps", "60", "--checkpoint-interval", "50"), ("-m", "examples.classifier")
    with (
        running_fleet(tmp_path) as fleet,
        _node(fleet, "first", "-c", SLOW_TO_KEEP, *steps) as first,
    ):
        wait_until(lambda: "trains" in _said(fleet, "first"), "the first")
        with _node(fleet, "other", *start, *steps) as other:
            wait_until(lambda: "keeps the last one" in _said(fleet, "first"), "the end")
            assert "2 ranks" in _said(fleet, "first") and _kept(fleet) == [50]
            with pytest.raises(subprocess.TimeoutExpired):
                other.wait(timeout=2.0)
            first.kill()
            assert other.wait(timeout=60) == 0, _said(fleet, "other")
        assert "finished: " in _said(fleet, "other") and _kept(fleet) == [50, 60]
        with _node(fleet, "late", *start, *steps) as late:
            assert late.wait(timeout=60) == 0, _said(fleet, "late")
        assert _said(fleet, "late").endswith("classifier: the job is complete\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_last_node_keeps_what_it_has_come_to_when_it_is_asked_to_end(
    number: signal.Signals, tmp_path: Path
) -> None:
    with (
        running_fleet(tmp_path) as fleet,
        _node(fleet, "only", "-m", "examples.classifier", "--steps=100000") as only,
    ):
        wait_until(lambda: "step 20," in _said(fleet, "only"), "some steps")
        only.send_signal(number)
        assert only.wait(timeout=30) == 0, _said(fleet, "only")
        stopped = re.search(r"stopped after step (\d+)", _said(fleet, "only"))
        assert stopped is not None and _kept(fleet)[-1] == int(stopped[1])


def test_a_node_that_is_lost_often_keeps_its_state_more_often_than_it_must(tmp_path: Path) -> None:
    steps = ("--steps=100000", "--checkpoint-interval=100000")
    with running_fleet(tmp_path) as fleet:
        fleet.environment["ELASTICD_SESSION_LOSSES_PER_H"] = "1000000"
        with _node(fleet, "only", "-c", WITHOUT_A_FIRST_MINUTE, *steps):
            wait_until(lambda: bool(_kept(fleet)), "a checkpoint", timeout_s=30.0)
