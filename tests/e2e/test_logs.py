"""A job's log is followed while it runs, across a killed daemon, and opens at the traceback when it
has failed."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.running import RunningDaemon, running_daemon

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SCRIPT = """
import os, sys, time
from pathlib import Path
end = Path(sys.argv[1])
print("\\033[32mbegins\\033[0m <b>here</b>", flush=True)
while not end.exists():
    print("at", time.time(), flush=True)
    time.sleep(0.2)
raise ValueError("no such folder: /data")
"""
WITHIN_S = 3.0


class Follower:
    """`elasticd job logs -f` in a process of its own, and when each line came out of it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.lines: list[tuple[float, str]] = []
        self._process = process
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def wait(self) -> int:
        self._thread.join(60)
        return self._process.wait(10)

    def delays(self) -> list[float]:
        """Seconds from when a line was printed by the script until it was printed here."""
        found = [
            (at_s, re.fullmatch(r"\[rank 0\] at ([0-9.]+)", line))
            for at_s, line in list(self.lines)
        ]
        return [at_s - float(said[1]) for at_s, said in found if said is not None]

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            self.lines.extend((time.time(), line.rstrip("\n")) for line in said)


@contextmanager
def following(daemon: RunningDaemon, job_id: str) -> Iterator[Follower]:
    command = [sys.executable, "-m", "elastic.cli", "job", "logs", job_id, "-f", "-n", "5"]
    process = subprocess.Popen(
        command, env=daemon.variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield Follower(process)
    finally:
        process.kill()
        process.wait()


def test_a_line_is_seen_within_seconds_across_a_restart_and_a_failed_job_opens_at_its_traceback(
    tmp_path: Path,
) -> None:
    script, end = tmp_path / "train.py", tmp_path / "end"
    script.write_text(SCRIPT)
    with running_daemon(tmp_path, {"ELASTICD_MAX_FAILURES": "1"}) as daemon:
        job_id = daemon.submit(
            name="told", command=[str(script), str(end)], nodes={"min": 1, "max": 1}, max_restarts=0
        )
        with following(daemon, job_id) as follower:
            daemon.until("five lines", lambda: len(follower.delays()) >= 5)
            # The median: on a machine that others keep busy, one line may be late.
            assert sorted(follower.delays()[:5])[2] < WITHIN_S
            daemon.kill()
            daemon.start()
            with daemon.client() as client:
                assert "] at 1" in client.text(f"/v1/jobs/{job_id}/logs"), (
                    "what came before is kept"
                )
            end.touch()
            daemon.until_phase(job_id, "failed")
            assert follower.wait() == 0, "it ends with the job"
            said = [line for _, line in follower.lines]
        with daemon.client() as client:
            text = client.text(f"/v1/jobs/{job_id}/logs")
            everything = client.text(f"/v1/jobs/{job_id}/logs", tail=10_000)
    assert "[rank 0] ValueError: no such folder: /data" in said
    assert text.splitlines()[1] == "Traceback (most recent call last):"
    assert text.endswith("ValueError: no such folder: /data\n")
    assert "[rank 0] begins <b>here</b>\n" in everything
    told = re.findall(r"^\[rank 0\] at .*$", everything, re.MULTILINE)
    assert len(set(told)) == len(told) >= 10, "no line comes twice"
    assert [line for line in said if line in told] == told[
        -len([line for line in said if line in told]) :
    ]
