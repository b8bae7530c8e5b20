"""`elasticd host`: on hosts that are away, and on real ones with what may be wrong there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.providers.ssh_hosts import Estate, running_hosts, skip_where_there_is_no_sshd

_CONFIG = """\
host = "{address}"
checkpoint_root = "{folder}/shared"

[ssh]
config_file = "{config}"
known_hosts = "{folder}/estate/known_hosts"
hosts_file = "{folder}/hostfile"
usd_per_h = 0.02
python = "{python}"
"""


def elasticd(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "elastic.cli", *words],
        env={
            "PATH": "/usr/bin:/bin:/usr/sbin",
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "HOME": str(folder),
            "ELASTICD_CONFIG": str(folder / "elasticd.toml"),
            "ELASTICD_DATA_DIR": str(folder / "data"),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def reports(folder: Path, command: str) -> Mapping[str, Any]:
    told = json.loads(elasticd(folder, "host", command, "-o", "json").stdout)
    return {each["name"]: each for each in told}


def write_settings(folder: Path, *, address: str, config: Path, hostfile: str) -> None:
    (folder / "hostfile").write_text(hostfile)
    (folder / "elasticd.toml").write_text(
        _CONFIG.format(address=address, folder=folder, config=config, python=sys.executable)
    )


def test_a_host_that_is_away_is_listed_with_why(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("Host desk-z\n  HostName 127.0.0.1\n  Port 1\n")
    write_settings(tmp_path, address="127.0.0.1", config=config, hostfile="desk-z slots=2\n")
    done = elasticd(tmp_path, "host", "ls")
    assert done.returncode == 0, done.stderr
    assert "desk-z" in done.stdout and "away" in done.stdout
    assert "cannot be reached by ssh" in done.stdout
    assert elasticd(tmp_path, "host", "check").returncode == 1


def test_without_hosts_the_setting_is_named(tmp_path: Path) -> None:
    (tmp_path / "elasticd.toml").write_text("")
    done = elasticd(tmp_path, "host", "ls")
    assert done.returncode == 2
    assert done.stderr == (
        "elasticd: provider ssh: wanted hosts, got none; name a file of them in ssh.hosts_file\n"
    )


@pytest.fixture
def estate(tmp_path: Path) -> Iterator[Estate]:
    skip_where_there_is_no_sshd()
    (tmp_path / "estate").mkdir()
    with running_hosts(tmp_path / "estate", 2) as found:
        write_settings(
            tmp_path,
            address=found.address,
            config=found.config,
            hostfile="desk-a slots=1\ndesk-b slots=1\n",
        )
        yield found


@pytest.mark.slow
def test_hosts_are_shown_with_what_was_found_and_checked_with_what_to_do(
    estate: Estate, tmp_path: Path
) -> None:
    listed = reports(tmp_path, "ls")["desk-a"]
    assert (listed["state"], listed["usd_per_h"], listed["cores"]) == ("free", 0.02, 1)
    assert listed["type"].startswith("1cpu-") and listed["gpus"] == "none"
    assert listed["troubles"] is None

    claim = {"cluster": "c", "place": "host far, data in /d", "node_id": "node-9"}
    node = estate.host("desk-b").root / "nodes" / "node-9"
    node.mkdir()
    ticks = estate.host("desk-b").run("cat", "/proc/1/stat").rpartition(")")[2].split()[19]
    process = {"pid": 1, "start_ticks": int(ticks), "boot_id": "desk-b-1", "launched_at_s": 0.0}
    (node / "launch.json").write_text(json.dumps({**claim, "launched_at_s": 0.0, "token": "t"}))
    (node / "process.json").write_text(json.dumps(process))
    (estate.host("desk-b").root / "claim.json").write_text(json.dumps(claim))
    checked = reports(tmp_path, "check")
    assert checked["desk-b"]["state"] == "runs node-9"
    assert checked["desk-b"]["claimed_by"] == "host far, data in /d"
    assert checked["desk-a"]["state"] == "unfit"
    (why,) = checked["desk-a"]["troubles"]
    assert why.startswith(f"the daemon at {estate.address}:8471 cannot be reached from here")
    assert why.endswith("; start `elasticd serve`, open that port, or set host and daemon_urls")
    assert list((tmp_path / "shared").iterdir()) == [], "what the check wrote there is gone"
    doctor = elasticd(tmp_path, "doctor", "--provider", "ssh")
    assert "host desk-a" in doctor.stdout and "host desk-b" in doctor.stdout
