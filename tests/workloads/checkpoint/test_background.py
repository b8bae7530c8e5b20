"""Checkpoints made beside the training: of one instant, one at a time, whole before anybody relies
on them."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch

from elastic.workloads import Rhythm
from elastic.workloads.checkpoint import BackgroundSaver, Checkpoints, Saved

LIMIT = Rhythm(most_iterations=10)


class Slow(Checkpoints):
    """Checkpoints whose writing waits until it may end."""

    may_end = threading.Event()

    def save(self, iteration: int, state: Mapping[str, Any]) -> Path:
        assert self.may_end.wait(10.0)
        return super().save(iteration, state)


class Full(Checkpoints):
    """Checkpoints on a disk that is full."""

    def save(self, iteration: int, state: Mapping[str, Any]) -> Path:
        raise OSError(28, "No space left on device")


class Ending(Checkpoints):
    """Checkpoints of which something would end the program."""

    def save(self, iteration: int, state: Mapping[str, Any]) -> Path:
        sys.exit("No space left")


@pytest.fixture
def told() -> list[Saved]:
    return []


def saver_of(checkpoints: Checkpoints, told: list[Saved], *, at: int = 0) -> BackgroundSaver:
    return BackgroundSaver(checkpoints, LIMIT, at=at, tell=told.append)


def newest(folder: Path) -> tuple[int, dict[str, Any], list[str]]:
    found = Checkpoints(folder, "p", "o").newest()
    assert found is not None
    return found


def test_what_is_kept_is_the_state_at_the_instant_of_the_copy(
    tmp_path: Path, told: list[Saved]
) -> None:
    slow = Slow(tmp_path, "p", "o")
    slow.may_end.clear()
    saver = saver_of(slow, told)
    weights = torch.zeros(8, 3)
    layered = torch.zeros(2, 3, 4, 4).to(memory_format=torch.channels_last)
    saver.take(1, {"weights": [weights, layered], "progress": {"iteration": 1, "psnr": None}})
    weights.fill_(7.0)
    layered.fill_(7.0)
    assert told == []
    slow.may_end.set()
    saver.finish()
    iteration, state, _ = newest(tmp_path)
    assert (iteration, state["progress"]) == (1, {"iteration": 1, "psnr": None})
    assert not any(tensor.any() for tensor in state["weights"])
    assert [saved.iteration for saved in told] == [1]
    assert told[0].cost_s > 0


class Gpu:
    """Stands in for a GPU's way to the host's memory: what is copied aside comes when the stream is
    let go on."""

    def __init__(self) -> None:
        self.may_go_on = threading.Event()
        self.is_full = False
        self._begun: list[tuple[torch.Tensor, torch.Tensor]] = []

    def frozen(self, tensor: torch.Tensor) -> torch.Tensor:
        if self.is_full:
            raise torch.OutOfMemoryError
        return tensor.clone()

    def copied(self, tensor: torch.Tensor, old: object) -> torch.Tensor:
        target = old if isinstance(old, torch.Tensor) else torch.full_like(tensor, -1.0)
        self._begun.append((target, tensor))
        return target

    def aside(self) -> AbstractContextManager[object]:
        return nullcontext()

    def mark(self) -> Gpu:
        return self

    def synchronize(self) -> None:
        assert self.may_go_on.wait(10.0)
        for target, tensor in self._begun:
            target.copy_(tensor)
        self._begun.clear()


def test_a_gpu_copies_while_training_goes_on_and_nothing_is_written_before(
    tmp_path: Path, told: list[Saved]
) -> None:
    gpu = Gpu()
    saver = BackgroundSaver(Checkpoints(tmp_path, "p", "o"), LIMIT, at=0, tell=told.append, way=gpu)
    weights = torch.zeros(3)
    saver.take(1, {"weights": [weights]})
    weights.fill_(7.0)
    assert list(tmp_path.iterdir()) == []
    gpu.may_go_on.set()
    saver.finish()
    saver.take(2, {"weights": [weights]})
    saver.finish()
    kept = [
        Checkpoints(tmp_path, "p", "o").read(path)["state"]["weights"][0]
        for path in sorted(tmp_path.iterdir())
    ]
    assert [each.tolist() for each in kept] == [[0.0] * 3, [7.0] * 3]


def test_training_waits_for_the_copy_where_a_gpu_has_no_room_for_its_own(
    tmp_path: Path, told: list[Saved]
) -> None:
    gpu = Gpu()
    gpu.is_full = True
    gpu.may_go_on.set()
    saver = BackgroundSaver(Checkpoints(tmp_path, "p", "o"), LIMIT, at=0, tell=told.append, way=gpu)
    weights = torch.zeros(3)
    saver.take(1, {"weights": [weights]})
    weights.fill_(7.0)
    saver.finish()
    assert not newest(tmp_path)[1]["weights"][0].any()


def test_the_next_copy_waits_until_the_one_before_is_durable(
    tmp_path: Path, told: list[Saved]
) -> None:
    slow = Slow(tmp_path, "p", "o")
    slow.may_end.clear()
    saver = saver_of(slow, told)
    weights = torch.full((4,), 1.0)
    saver.take(1, {"weights": [weights]})
    threading.Timer(0.05, slow.may_end.set).start()
    weights.fill_(2.0)
    saver.take(2, {"weights": [weights]})
    saver.finish()
    assert [saved.iteration for saved in told] == [1, 2]
    kept = [
        Checkpoints(tmp_path, "p", "o").read(path)["state"]["weights"][0][0].item()
        for path in sorted(tmp_path.iterdir())
    ]
    assert kept == [1.0, 2.0]


def test_none_is_due_while_one_is_written_until_the_limit_is_reached(
    tmp_path: Path, told: list[Saved]
) -> None:
    slow = Slow(tmp_path, "p", "o")
    slow.may_end.clear()
    saver = BackgroundSaver(slow, Rhythm(10, interruptions_per_h=1e12), at=0, tell=told.append)
    saver.take(5, {"weights": [torch.zeros(1)]})
    assert [saver.is_due(iteration) for iteration in (6, 14, 15)] == [False, False, True]
    slow.may_end.set()
    saver.finish()
    assert saver.is_due(6)


@pytest.mark.parametrize(("kind", "error"), [(Full, OSError), (Ending, SystemExit)])
def test_what_writing_raised_is_raised_where_somebody_can_act(
    tmp_path: Path, told: list[Saved], kind: type[Checkpoints], error: type[BaseException]
) -> None:
    saver = saver_of(kind(tmp_path, "p", "o"), told)
    saver.take(1, {"weights": [torch.zeros(1)]})
    with pytest.raises(error, match="No space left"):
        saver.take(2, {"weights": [torch.zeros(1)]})
    assert told == []
    saver.finish()


def test_a_state_of_another_shape_is_copied_all_the_same(tmp_path: Path, told: list[Saved]) -> None:
    saver = saver_of(Checkpoints(tmp_path, "p", "o"), told)
    saver.take(1, {"weights": [torch.zeros(4)]})
    saver.take(2, {"weights": [torch.ones(2, 2), torch.ones(3)], "more": 1})
    saver.finish()
    assert [tuple(tensor.shape) for tensor in newest(tmp_path)[1]["weights"]] == [(2, 2), (3,)]


def test_a_tuple_stays_one(tmp_path: Path, told: list[Saved]) -> None:
    saver, state = saver_of(Checkpoints(tmp_path, "p", "o"), told), random.getstate()
    for iteration in (1, 2):
        saver.take(iteration, {"random": state})
    saver.finish()
    assert newest(tmp_path)[1]["random"] == state


def test_nothing_was_taken_and_nothing_is_waited_for(tmp_path: Path, told: list[Saved]) -> None:
    saver = saver_of(Checkpoints(tmp_path, "p", "o"), told)
    saver.finish()
    saver.close()


ENDLESS = """
import sys, torch
from pathlib import Path
from elastic.workloads import Rhythm
from elastic.workloads.checkpoint import BackgroundSaver, Checkpoints
tell = lambda saved: print(saved.iteration, flush=True)
saver = BackgroundSaver(Checkpoints(Path(sys.argv[1]), "p", "o"), Rhythm(1), at=0, tell=tell)
for iteration in range(1, 10_000):
    saver.take(iteration, {"weights": [torch.full((1 << 20,), float(iteration)) for _ in range(8)]})
"""


def test_a_kill_in_the_middle_of_a_write_costs_no_more_than_that_checkpoint(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    told = [int(process.stdout.readline()) for _ in range(2)]
    deadline = time.monotonic() + 30
    while (
        not any(path.stat().st_size for path in tmp_path.glob("*.partial"))
        and time.monotonic() < deadline
    ):
        pass  # the file is there for some hundredths of a second
    process.send_signal(signal.SIGKILL)
    told += [int(line) for line in process.stdout]
    process.wait()
    process.stdout.close()
    torn = [path.name for path in tmp_path.glob("*.partial")]
    iteration, state, refused = newest(tmp_path)
    assert torn
    assert iteration in (told[-1], told[-1] + 1)  # durable, and killed before it could be told
    assert all((tensor == iteration).all() for tensor in state["weights"])
    assert refused == []
    for later in (20_000, 20_001):
        Checkpoints(tmp_path, "p", "o").save(later, {"weights": [torch.zeros(1)]})
    assert len(list(tmp_path.iterdir())) == 2
