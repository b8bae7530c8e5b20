import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.providers.keeping import (
    ProcessId,
    boot_id,
    find_family,
    is_alive,
    kill,
    reap,
    start_ticks,
)
from tests.providers.nodes import wait_until


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "60"], env={"MARK": "a", "OTHER": "b"})
    yield process
    process.kill()
    process.wait()


def _id_of(pid: int) -> ProcessId:
    return ProcessId(pid, start_ticks(pid), boot_id())


def test_a_process_is_known_by_its_start_and_its_boot_and_not_by_its_number(
    sleeper: subprocess.Popen[bytes],
) -> None:
    process = _id_of(sleeper.pid)
    assert is_alive(process)
    assert not is_alive(replace(process, start_ticks=process.start_ticks + 1))
    assert not is_alive(replace(process, boot_id="another"))


def test_a_zombie_is_not_alive_and_can_be_buried(sleeper: subprocess.Popen[bytes]) -> None:
    process = _id_of(sleeper.pid)
    os.kill(sleeper.pid, 9)
    wait_until(lambda: not is_alive(process))
    assert Path(f"/proc/{sleeper.pid}").exists()
    reap(process)
    assert not Path(f"/proc/{sleeper.pid}").exists()


def test_killing_waits_for_the_exit_and_buries_a_child(sleeper: subprocess.Popen[bytes]) -> None:
    kill([_id_of(sleeper.pid)], patience_s=5)
    assert not Path(f"/proc/{sleeper.pid}").exists()


def test_whoever_took_over_a_number_is_not_killed(sleeper: subprocess.Popen[bytes]) -> None:
    process = _id_of(sleeper.pid)
    kill([replace(process, start_ticks=process.start_ticks - 1)], patience_s=0.1)
    assert is_alive(process)


def test_killing_what_is_gone_already_is_fine(sleeper: subprocess.Popen[bytes]) -> None:
    process = _id_of(sleeper.pid)
    sleeper.kill()
    sleeper.wait()
    kill([process], patience_s=1)


@pytest.mark.parametrize(
    ("marks", "is_found"),
    [
        ({"MARK": "a"}, True),
        ({"MARK": "a", "OTHER": "b"}, True),
        ({"MARK": "ab"}, False),
        ({"MARK": "a", "X": "b"}, False),
    ],
)
def test_a_family_carries_all_the_marks(
    sleeper: subprocess.Popen[bytes], marks: dict[str, str], is_found: bool
) -> None:
    wait_until(lambda: Path(f"/proc/{sleeper.pid}/environ").read_bytes().startswith(b"MARK"))
    assert (_id_of(sleeper.pid) in find_family(None, marks=marks)) is is_found


def test_no_marks_find_nobody() -> None:
    assert find_family(None, marks={}) == ()


def test_a_family_holds_the_descendants_of_its_ancestor() -> None:
    parent = subprocess.Popen(["sh", "-c", "sleep 60 & wait"])
    try:
        wait_until(lambda: len(find_family(_id_of(parent.pid), marks={})) == 2)
        family = find_family(_id_of(parent.pid), marks={})
        kill(family, patience_s=5)
        assert not any(is_alive(member) for member in family)
    finally:
        parent.wait()


def test_a_family_holds_the_members_that_are_named_and_never_this_process(
    sleeper: subprocess.Popen[bytes],
) -> None:
    family = find_family(None, marks={}, members=(os.getpid(), sleeper.pid, 2**22))
    assert {process.pid for process in family} >= {sleeper.pid}
    assert os.getpid() not in {process.pid for process in family}


def test_a_program_may_have_any_name(tmp_path: Path) -> None:
    program = tmp_path / "a) Z (b"
    shutil.copy("/bin/sleep", program)
    process = subprocess.Popen([program, "60"])
    try:
        time.sleep(0)
        assert is_alive(_id_of(process.pid))
    finally:
        process.kill()
        process.wait()
