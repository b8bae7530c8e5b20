"""The rehearsal's commands, as its page gives them, from an empty folder to a finished job."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from elastic_lab import read_scenario
from tests.docs.pages import ROOT, page

_COMMANDS = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_a_rehearsal_goes_as_its_page_says(tmp_path: Path) -> None:
    theirs, ours = (
        block.replace("$ ", "", 1).replace("\n$ ", "\n") for block in _COMMANDS.findall(rehearsal())
    )
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    job = tmp_path / "examples" / "demo" / "job.yaml"
    job.write_text(re.sub(r"iterations: \d+", "iterations: 20", job.read_text()))
    environment = {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("AWS_", "ELASTICD_"))
        },
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "OMP_NUM_THREADS": "1",
        "HOME": str(tmp_path),
    }
    # `exec` in place of the pipe's shell: the signal below is meant for the lab.
    lab = subprocess.Popen(
        ["bash", "-c", f"exec {theirs.replace('| tee', '>')}"],
        cwd=tmp_path,
        env=environment,
        start_new_session=True,
    )
    try:
        until_s = time.monotonic() + 60
        while "# bill" not in said(tmp_path) and time.monotonic() < until_s:
            assert lab.poll() is None
            time.sleep(0.1)
        done = subprocess.run(
            ["bash", "-e", "-c", f"{ours}\nwait"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, (
            done.stdout + done.stderr + (tmp_path / "elasticd.log").read_text()
        )[-5000:]
        assert "job esrgan-demo: succeeded" in done.stdout
        assert '"usd"' in done.stdout
    finally:
        lab.send_signal(signal.SIGINT)
        assert lab.wait(60) == 0
    assert "the lab has ended" in said(tmp_path)


def test_the_price_that_rises_in_a_rehearsal_is_believed() -> None:
    told = re.search(r"-d '([^']*)' \$AWS_ENDPOINT_URL/_lab/price", rehearsal())
    assert told is not None
    rises = json.loads(told[1])
    market = read_scenario(ROOT / "examples/lab/demo.yaml")
    before = market.node_types[rises["node_type"]].spot_usd_per_h
    assert isinstance(before, float)
    # The page says that a price of more than five times the last one is not believed. The disk and
    # the address cost as much before as after, so the whole node rises by less.
    assert rises["spot_usd_per_h"] < 5 * before


def rehearsal() -> str:
    return page("docs/how-to/rehearse.md")


def said(folder: Path) -> str:
    return (folder / "lab.env").read_text() if (folder / "lab.env").exists() else ""
