"""Checkpoints: whole or not there, this job's or refused."""

from __future__ import annotations

import errno
import io
import pickle
import random
from collections import defaultdict
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pytest
import torch
from torch import nn, serialization

from elastic.errors import InvalidInput
from elastic.workloads.checkpoint import CheckpointRefused, Checkpoints, checkpoint
from elastic.workloads.checkpoint.checkpoint import digest_of


class Colour(Enum):
    RED = 1


def state(value: float) -> dict[str, Any]:
    return {
        "weights": [torch.full((64, 3), value)],
        "progress": {"iteration": int(value), "psnr": None},
    }


@pytest.fixture
def checkpoints(tmp_path: Path) -> Checkpoints:
    return Checkpoints(tmp_path, "esrgan", "digest-of-options")


def weights_of(found: tuple[int, dict[str, Any], list[str]] | None) -> float:
    assert found is not None
    value: float = found[1]["weights"][0][0, 0].item()
    return value


def test_an_empty_folder_holds_no_checkpoint(checkpoints: Checkpoints) -> None:
    assert checkpoints.newest() is None


def test_the_newest_is_read_back_as_it_was_saved(checkpoints: Checkpoints) -> None:
    checkpoints.save(1, state(1.0))
    checkpoints.save(2, state(2.0))
    found = checkpoints.newest()
    assert found is not None
    assert (found[0], found[2], found[1]["progress"]) == (2, [], {"iteration": 2, "psnr": None})
    assert weights_of(found) == 2.0


def test_two_are_kept_and_nothing_else_is_left_behind(checkpoints: Checkpoints) -> None:
    for iteration in (1, 2, 3):
        checkpoints.save(iteration, state(iteration))
    names = sorted(path.name for path in checkpoints.folder.iterdir())
    assert names == ["checkpoint-000000002.pt", "checkpoint-000000003.pt"]


@pytest.mark.parametrize("kept_bytes", [0, 100, 1500])
def test_a_torn_one_is_refused_and_the_previous_used(
    checkpoints: Checkpoints, kept_bytes: int
) -> None:
    checkpoints.save(1, state(1.0))
    torn = checkpoints.save(2, state(2.0))
    torn.write_bytes(torn.read_bytes()[:kept_bytes])
    found = checkpoints.newest()
    assert weights_of(found) == 1.0
    assert found is not None
    assert found[2][0].startswith(
        "checkpoint-000000002.pt: wanted a checkpoint, found a damaged file"
    )


def test_a_flipped_bit_in_the_weights_is_found(checkpoints: Checkpoints) -> None:
    checkpoints.save(1, state(1.0))
    damaged = checkpoints.save(2, state(2.0))
    content = bytearray(damaged.read_bytes())
    place = content.index(torch.full((64, 3), 2.0).numpy().tobytes())
    content[place + 2] ^= 1
    damaged.write_bytes(bytes(content))
    found = checkpoints.newest()
    assert weights_of(found) == 1.0


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ({"loss": np.float64(1.5)}, r"state\['part'\]\['loss'\]: .* found a numpy.float64;"),
        ([1, np.zeros(3)], r"state\['part'\]\[1\]: .* found a numpy.ndarray;"),
        (Path("x"), r"found a pathlib\.\S*Path;"),
        (Colour.RED, r"found a \S*test_checkpoint.Colour;"),
        (defaultdict(list), r"found a collections.defaultdict;"),
        ({"red", "blue"}, r"found a builtins.set;"),
        ({(1, 2): 3}, r"found keys that are neither"),
        (torch.eye(3).to_sparse(), r"found torch.sparse_coo values;"),
    ],
    ids=lambda each: "" if isinstance(each, str) else type(each).__name__,
)
def test_what_would_not_be_read_back_is_refused_before_anything_is_written(
    checkpoints: Checkpoints, part: Any, found: str
) -> None:
    with pytest.raises(InvalidInput, match=found):
        checkpoints.save(1, {"part": part})
    assert not list(checkpoints.folder.iterdir())


def test_all_that_is_taken_is_read_back(checkpoints: Checkpoints) -> None:
    model = nn.Linear(3, 3, dtype=torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.zeros(1, 3, dtype=torch.bfloat16)).sum().backward()
    optimizer.step()
    drawn = random.getstate()  # a thread of another test may draw meanwhile
    state = {
        "states": [model.state_dict(), optimizer.state_dict()],
        "random": (drawn, torch.get_rng_state()),
        "leaves": [
            True,
            1,
            1.5,
            1j,
            "a",
            b"a",
            None,
            torch.float32,
            torch.device("cpu"),
            torch.Size([1]),
        ],
        "keys": {1: 2, "a": 3},
        "views": [torch.tensor([1j, 2j]).conj(), torch.tensor([1j, 2j]).imag, torch.ones(3, 2).t()],
    }
    checkpoints.save(1, state)
    found = Checkpoints(checkpoints.folder, "esrgan", "digest-of-options").newest()
    assert found is not None
    assert digest_of(found[1]) == digest_of(state)
    assert found[1]["random"][0] == drawn


def test_a_disk_that_was_full_takes_what_there_is_room_for(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints.save(1, state(1.0))
    with monkeypatch.context() as patch:
        patch.setattr(
            torch,
            "save",
            lambda content, file: serialization.save(content, cast(BinaryIO, _Full(file))),
        )
        with pytest.raises(OSError, match="No space left on device") as raised:
            checkpoints.save(2, state(2.0))
    assert raised.value.errno == errno.ENOSPC
    assert [each.name for each in checkpoints.folder.iterdir()] == ["checkpoint-000000001.pt"]
    checkpoints.save(3, state(3.0))
    assert weights_of(checkpoints.newest()) == 3.0


class _Full(io.RawIOBase):
    """A file on a disk that has room for 1,000 bytes more."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, data: Any) -> int:
        if self._file.tell() + len(data) > 1000:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._file.write(data)


def test_one_of_another_program_is_refused(checkpoints: Checkpoints) -> None:
    Checkpoints(checkpoints.folder, "dcgan", "digest-of-options").save(5, state(5.0))
    with pytest.raises(
        CheckpointRefused, match="wanted one of esrgan with this job's options, found one of dcgan"
    ):
        checkpoints.newest()


def test_one_of_other_options_is_refused_rather_than_started_over(checkpoints: Checkpoints) -> None:
    Checkpoints(checkpoints.folder, "esrgan", "another-digest").save(5, state(5.0))
    with pytest.raises(CheckpointRefused, match="none is left: give the job another folder"):
        checkpoints.newest()


class Trap:
    """Unpickling this would run code."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("a checkpoint ran code",)


def test_a_file_that_would_run_code_is_refused(checkpoints: Checkpoints) -> None:
    checkpoints.save(1, state(1.0))
    (checkpoints.folder / "checkpoint-000000002.pt").write_bytes(pickle.dumps(Trap()))
    assert weights_of(checkpoints.newest()) == 1.0


def test_a_half_written_file_of_a_killed_process_is_ignored(checkpoints: Checkpoints) -> None:
    checkpoints.save(1, state(1.0))
    (checkpoints.folder / "checkpoint-000000002.123.partial").write_bytes(b"half")
    assert weights_of(checkpoints.newest()) == 1.0


def test_one_of_another_job_is_refused_with_its_name_and_the_previous_used(tmp_path: Path) -> None:
    mine = Checkpoints(tmp_path, "esrgan", "digest-of-options", job_id="job-a")
    mine.save(1, state(1.0))
    Checkpoints(tmp_path, "esrgan", "digest-of-options", job_id="job-b").save(2, state(2.0))
    found = mine.newest()
    assert weights_of(found) == 1.0
    assert found is not None
    assert "wanted one of job job-a, found one of job job-b" in found[2][0]


@pytest.mark.parametrize(
    ("writer", "reader"), [(None, "job-a"), ("job-a", None), ("job-a", "job-a")]
)
def test_who_runs_a_script_by_hand_may_go_on_with_any_job_s(
    tmp_path: Path, writer: str | None, reader: str | None
) -> None:
    Checkpoints(tmp_path, "esrgan", "digest-of-options", job_id=writer).save(1, state(1.0))
    assert (
        weights_of(Checkpoints(tmp_path, "esrgan", "digest-of-options", job_id=reader).newest())
        == 1.0
    )


def test_what_another_process_may_still_be_writing_is_left_alone(checkpoints: Checkpoints) -> None:
    (checkpoints.folder / "checkpoint-000000004.ab.partial").write_bytes(b"half")
    for iteration in (3, 5):
        checkpoints.save(iteration, state(iteration))
        checkpoints.newest()
    assert list(checkpoints.folder.glob("*.partial"))
    checkpoints.save(6, state(6.0))
    assert not list(checkpoints.folder.glob("*.partial"))


def names(folder: Path) -> list[int]:
    return sorted(
        int(path.stem.removeprefix("checkpoint-")) for path in folder.glob("checkpoint-*.pt")
    )


def test_another_job_s_later_ones_neither_remove_nor_outnumber_what_was_just_saved(
    tmp_path: Path,
) -> None:
    one, other = (Checkpoints(tmp_path, "esrgan", "o", job_id=job) for job in ("job-a", "job-b"))
    for iteration in (200, 300):
        one.save(iteration, state(iteration))
    for iteration in (110, 120, 130):
        assert other.save(iteration, state(iteration)).exists()
    assert names(tmp_path) == [120, 130, 200, 300]
    assert (weights_of(other.newest()), weights_of(one.newest())) == (130.0, 300.0)


def test_another_job_s_is_not_overwritten(tmp_path: Path) -> None:
    one, other = (Checkpoints(tmp_path, "esrgan", "o", job_id=job) for job in ("job-a", "job-b"))
    one.save(200, state(200.0))
    with pytest.raises(
        CheckpointRefused, match=r"checkpoint-000000200.pt: another job's checkpoint is here"
    ):
        other.save(200, state(1.0))
    assert weights_of(one.newest()) == 200.0


@pytest.mark.parametrize("is_told", [True, False])
def test_a_torn_one_takes_no_good_one_s_place(tmp_path: Path, is_told: bool) -> None:
    before = Checkpoints(tmp_path, "esrgan", "o")
    for iteration in (200, 300):
        torn = before.save(iteration, state(iteration))
    torn.write_bytes(torn.read_bytes()[:-200])
    after = Checkpoints(tmp_path, "esrgan", "o")
    if is_told:
        assert weights_of(after.newest()) == 200.0
    newer = after.save(220, state(220.0))
    newer.write_bytes(b"")
    assert weights_of(Checkpoints(tmp_path, "esrgan", "o").newest()) == 200.0
    again = Checkpoints(tmp_path, "esrgan", "o")
    for iteration in (240, 320, 340):
        again.save(iteration, state(iteration))
    assert names(tmp_path) == [320, 340], "what was torn goes with what is older than the two"


def test_whoever_writes_after_another_member_keeps_two_in_all(tmp_path: Path) -> None:
    one, other = (Checkpoints(tmp_path, "esrgan", "o", job_id="job-a") for _ in range(2))
    for iteration in (1, 2):
        one.save(iteration, state(iteration))
    other.save(3, state(3.0))
    assert names(tmp_path) == [2, 3]


@pytest.mark.parametrize("writer", ["job-a", "job-b"])
def test_what_cannot_be_read_now_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    Checkpoints(tmp_path, "esrgan", "o", job_id=writer).save(1, state(1.0))
    load = torch.load

    def failing(path: Path, **options: Any) -> Any:
        if path.name == "checkpoint-000000001.pt":
            raise OSError(errno.EIO, "Input/output error")
        return load(path, **options)

    monkeypatch.setattr(torch, "load", failing)
    job = Checkpoints(tmp_path, "esrgan", "o", job_id="job-a")
    for iteration in (2, 3, 4):
        job.save(iteration, state(iteration))
    assert names(tmp_path) == [1, 3, 4]
    monkeypatch.setattr(torch, "load", load)
    job.save(5, state(5.0))
    assert names(tmp_path) == ([4, 5] if writer == "job-a" else [1, 4, 5])


def test_one_that_another_member_let_go_of_at_once_was_saved_all_the_same(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replaced(partial: Path, target: Path) -> None:
        partial.unlink()

    monkeypatch.setattr(Path, "replace", replaced)
    assert checkpoints.save(1, state(1.0)).name == "checkpoint-000000001.pt"


def test_an_old_one_is_not_read_through_to_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Checkpoints(tmp_path, "esrgan", "o")
    for iteration in (1, 2):
        before.save(iteration, state(iteration))
    digested: list[int] = []
    digest_of = checkpoint.digest_of

    def counting(content: Any) -> str:
        digested.append(content["progress"]["iteration"])
        return digest_of(content)

    monkeypatch.setattr(checkpoint, "digest_of", counting)
    after = Checkpoints(tmp_path, "esrgan", "o")
    assert weights_of(after.newest()) == 2.0
    after.save(3, state(3.0))
    assert (digested, names(tmp_path)) == ([2, 3], [2, 3])


def test_what_is_known_of_a_file_goes_with_it(checkpoints: Checkpoints) -> None:
    for iteration in range(1, 6):
        checkpoints.save(iteration, state(float(iteration)))
    assert len(checkpoints._kinds) == len(names(checkpoints.folder)) == 2  # noqa: SLF001 (nobody sees a leak)
