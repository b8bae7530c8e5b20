import subprocess
from pathlib import Path

import pytest

from elastic.providers import CpuCgroups, find_cpu_cgroups
from elastic.providers.local import cgroup

REAL = find_cpu_cgroups()


def _mounts(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "mounts"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_version_1_takes_a_period_and_a_quota(tmp_path: Path) -> None:
    group = CpuCgroups(tmp_path, version=1).create("n", cpu=0.5)
    assert (group / "cpu.cfs_period_us").read_text() == "20000"
    assert (group / "cpu.cfs_quota_us").read_text() == "10000"


def test_version_2_takes_both_at_once_and_hands_the_controller_down(tmp_path: Path) -> None:
    group = CpuCgroups(tmp_path, version=2).create("n", cpu=1.5)
    assert (group / "cpu.max").read_text() == "30000 20000"
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+cpu"
    assert (tmp_path / "elasticd" / "cgroup.subtree_control").read_text() == "+cpu"


def test_a_tiny_share_is_raised_to_the_least_that_the_kernel_takes(tmp_path: Path) -> None:
    group = CpuCgroups(tmp_path, version=1).create("n", cpu=0.001)
    assert (group / "cpu.cfs_quota_us").read_text() == "1000"


def test_finds_version_1_where_the_cpu_controller_is_mounted(tmp_path: Path) -> None:
    mount = tmp_path / "cpu,cpuacct"
    mount.mkdir()
    mounts = _mounts(
        tmp_path,
        "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0",
        f"cgroup {mount} cgroup rw,nosuid,cpu,cpuacct 0 0",
    )
    assert find_cpu_cgroups(mounts) == CpuCgroups(mount, version=1)


def test_finds_version_2_only_if_it_has_the_cpu_controller(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpuset cpu io memory\n")
    mounts = _mounts(tmp_path, f"cgroup2 {tmp_path} cgroup2 rw,nosuid 0 0")
    assert find_cpu_cgroups(mounts) == CpuCgroups(tmp_path, version=2)
    (tmp_path / "cgroup.controllers").write_text("memory\n")
    assert find_cpu_cgroups(mounts) is None


def test_finds_nothing_where_groups_cannot_be_made(tmp_path: Path) -> None:
    no_folder = tmp_path / "file"
    no_folder.write_text("")
    assert find_cpu_cgroups(_mounts(tmp_path, f"cgroup {no_folder} cgroup rw,cpu 0 0")) is None
    assert find_cpu_cgroups(_mounts(tmp_path, "tmpfs /tmp tmpfs rw 0 0")) is None


def test_a_group_that_is_gone_has_no_members_and_is_removed_already(tmp_path: Path) -> None:
    assert cgroup.members(tmp_path / "gone") == ()
    assert cgroup.remove(tmp_path / "gone")


@pytest.mark.skipif(REAL is None, reason="only root may limit CPU time by control groups")
def test_a_real_group_lists_its_members_and_goes_once_it_is_empty() -> None:
    assert REAL is not None
    group = REAL.create("test-members", cpu=0.5)
    assert REAL.create("test-members", cpu=0.25) == group
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        (group / "cgroup.procs").write_text(str(sleeper.pid))
        assert cgroup.members(group) == (sleeper.pid,)
        assert not cgroup.remove(group)
    finally:
        sleeper.kill()
        sleeper.wait()
    assert cgroup.remove(group)
