"""ESRGAN in a session: a node comes, the first one is killed, and the job ends as one process would
have ended it."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from elastic.workloads.checkpoint import Checkpoints
from elastic.workloads.esrgan.in_session import train_in_session
from elastic.workloads.esrgan.networks import random_features
from elastic.workloads.esrgan.training import Places, TrainingProgress, options_digest
from elastic.workloads.session import CommittedStep, Session
from elastic.workloads.session.turns import Compute
from tests.workloads.esrgan.builders import TINY, tiny_options, write_photographs
from tests.workloads.session.running import Fleet, running_fleet, wait_until
from tests.workloads.session.stores import serve_store, session_settings

ITERATIONS = 60
# It would be through with its few turns before another one has imported torch: alone it takes its
# time over the later.
SLOW_ALONE = f"""
import sys, time
from elastic.workloads.checkpoint import Checkpoints
from elastic.workloads.esrgan.__main__ import main
from elastic.workloads.session import Session

run = Session.run

def slow_run(self, compute):
    if self.round.world_size == 1 and self.step >= {ITERATIONS} // 2:
        time.sleep(1.0)
    return run(self, compute)

Session.run = slow_run
"""
TELLING = """
import sys
from elastic.workloads.esrgan.training import training
from elastic.workloads.esrgan.__main__ import main
from elastic.workloads.esrgan.training.step import Passes
from elastic.workloads.session import Session

generate, join, judge = Passes._generate, Session.join, training.judge

def say(text):
    print(text, file=sys.stderr, flush=True)

def telling(self, low):
    say(f"computes {len(low)} samples")
    return generate(self, low)

def joined(*arguments, **options):
    session = join(*arguments, **options)
    say("is a member")
    return session

def judged(*arguments):
    say("judges")
    return judge(*arguments)

Passes._generate, Session.join, training.judge = telling, joined, judged
"""
AS_IT_IS = "sys.exit(main(sys.argv[1:]))"
HANGING_AT_LAST = f"""
save = Checkpoints.save

def hanging(self, iteration, state):
    if iteration == {ITERATIONS}:
        print("keeps the last one", file=sys.stderr, flush=True)
        time.sleep(600)
    return save(self, iteration, state)

Checkpoints.save = hanging
"""


@pytest.mark.slow
def test_nodes_come_and_die_and_the_weights_do_not_show_it(tmp_path: Path) -> None:
    photographs = write_photographs(tmp_path / "photographs", size=(48, 48))
    options = tiny_options(**_changed(photographs))
    with running_fleet(tmp_path) as fleet:
        alone = _node(fleet, "alone", photographs, job="other")
        first = _node(fleet, "first", photographs, start=("-c", SLOW_ALONE + AS_IT_IS))
        wait_until(lambda: "1 ranks from" in _log(tmp_path, "first"), "the founder")
        second = _node(fleet, "second", photographs)
        try:
            wait_until(lambda: "2 ranks from" in _log(tmp_path, "first"), "two ranks")
            first.kill()
            assert second.wait(timeout=90) == 0, _log(tmp_path, "second")
            assert alone.wait(timeout=90) == 0, _log(tmp_path, "alone")
        finally:
            for process in (alone, first, second):
                process.kill()
                process.wait()
    said = "VGG19 features are seeded random"
    assert [_log(tmp_path, name).count(said) for name in ("first", "second", "alone")] == [1, 0, 1]
    found, wanted = (
        _weights(tmp_path / name, options_digest(options)) for name in ("second", "alone")
    )
    scale = max(float(each.abs().max()) for each in wanted)
    assert (
        max(float((a - b).abs().max()) for a, b in zip(found, wanted, strict=True)) < 1e-3 * scale
    )


@pytest.mark.slow
def test_where_the_first_node_dies_over_the_last_weights_the_next_one_keeps_them(
    tmp_path: Path,
) -> None:
    photographs = write_photographs(tmp_path / "photographs", size=(48, 48))
    options = tiny_options(**_changed(photographs))
    with running_fleet(tmp_path) as fleet:
        first = _node(
            fleet, "first", photographs, start=("-c", SLOW_ALONE + HANGING_AT_LAST + AS_IT_IS)
        )
        wait_until(lambda: "1 ranks from" in _log(tmp_path, "first"), "the founder")
        second = _node(fleet, "second", photographs)
        try:
            wait_until(lambda: "2 ranks from" in _log(tmp_path, "first"), "two ranks")
            wait_until(lambda: "keeps the last one" in _log(tmp_path, "first"), "the last weights")
            with pytest.raises(subprocess.TimeoutExpired):
                second.wait(timeout=2.0)
            first.kill()
            assert second.wait(timeout=90) == 0, _log(tmp_path, "second")
        finally:
            for process in (first, second):
                process.kill()
                process.wait()
    assert _weights(tmp_path / "second", options_digest(options))


@pytest.mark.slow
def test_a_newcomer_computes_no_more_than_its_memory_holds_and_judges_nothing(
    tmp_path: Path,
) -> None:
    photographs = write_photographs(tmp_path / "photographs", size=(48, 48))
    with running_fleet(tmp_path) as fleet:
        slow_alone = SLOW_ALONE.partition("import sys, time")[2]
        start = ("-c", TELLING + "import time" + slow_alone + AS_IT_IS)
        first = _node(fleet, "first", photographs, start=start)
        wait_until(lambda: "1 ranks from" in _log(tmp_path, "first"), "the founder")
        small = {"ELASTICD_SESSION_MOST_SAMPLES": "1"}
        second = _node(fleet, "second", photographs, start=("-c", TELLING + AS_IT_IS), more=small)
        try:
            assert [process.wait(timeout=90) for process in (first, second)] == [0, 0], _log(
                tmp_path, "second"
            )
        finally:
            for process in (first, second):
                process.kill()
                process.wait()
    before, _, after = _log(tmp_path, "first").partition("is a member")
    assert before.count("computes") == 1 and "computes 1 samples" in before
    assert "judges" not in before and after.count("judges") == 3, (
        "the untrained generator, the last one, and its average"
    )
    newcomer = _log(tmp_path, "second")
    assert "is a member" in newcomer and "judges" not in newcomer
    assert set(re.findall(r"computes (\d+) samples", newcomer)) == {"1"}
    report = json.loads((tmp_path / "first" / "report.json").read_text())
    assert report["world_size"] == 2 and report["start_psnr_y_db"] is not None


def test_a_newcomer_with_vgg19_s_weights_looks_through_random_features_as_the_members_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, founded, both = Session.run, threading.Event(), threading.Event()

    def waiting_run(self: Session, compute: Compute) -> CommittedStep | None:
        founded.set()
        if self.round.world_size == 2:
            both.set()
        elif not both.is_set():
            time.sleep(0.05 if self.step < ITERATIONS // 2 else 1.0)
        return run(self, compute)

    monkeypatch.setattr(Session, "run", waiting_run)
    photographs = write_photographs(tmp_path / "photographs", size=(48, 48))
    settings = session_settings(f"127.0.0.1:{serve_store().port}", "job", silence_s=5.0)
    options = tiny_options(**_changed(photographs), warmup_batches=0)
    has_weights = tmp_path / "newcomer" / "vgg19-features.pt"
    has_weights.parent.mkdir()
    torch.save(random_features(options.feature_layers, seed=9).layers.state_dict(), has_weights)

    def node(name: str, features: str) -> TrainingProgress:
        own = dataclasses.replace(options, features=features)
        return train_in_session(own, Places(tmp_path / name, tmp_path / name), settings)

    with ThreadPoolExecutor(2) as pool:
        founder = pool.submit(node, "founder", "random")
        founded.wait(60)
        newcomer = pool.submit(node, "newcomer", "cached")
        newcomer.add_done_callback(lambda _: both.set())
        ends = [each.result() for each in (founder, newcomer)]
    assert [(end.iteration, end.is_pretrained) for end in ends] == [(ITERATIONS, False)] * 2


def _changed(photographs: Path) -> dict[str, object]:
    return {
        "data": str(photographs),
        "iterations": ITERATIONS,
        "hr_height": 32,
        "hr_width": 32,
        "lr": 1e-4,
    }


def _node(
    fleet: Fleet,
    name: str,
    photographs: Path,
    *,
    job: str = "job-1",
    start: Sequence[str] = ("-m", "elastic.workloads.esrgan"),
    more: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    folder = fleet.folder / name
    environment = {
        **fleet.environment,
        "ELASTICD_JOB_ID": job,
        "ELASTICD_CHECKPOINT_DIR": str(folder),
        "ELASTICD_ARTIFACT_DIR": str(folder),
        "PYTHONPATH": os.getcwd(),
        **(more or {}),
    }
    folder.mkdir()
    arguments = [f"--{key}={value}" for key, value in {**TINY, **_changed(photographs)}.items()]
    with (fleet.folder / f"{name}.err").open("wb") as errors:
        command = [sys.executable, *start, *arguments]
        return subprocess.Popen(command, env=environment, stderr=errors)


def _log(folder: Path, name: str) -> str:
    return (folder / f"{name}.err").read_text()


def _weights(folder: Path, digest: str) -> list[torch.Tensor]:
    newest = Checkpoints(folder, "esrgan", digest).newest()
    assert newest is not None and newest[0] == ITERATIONS
    return [*newest[1]["generator"], *newest[1]["discriminator"], *newest[1]["generator_average"]]
