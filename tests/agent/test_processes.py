"""Whether a process lives."""

from __future__ import annotations

import os
import subprocess
import sys

from elastic.agent.processes import is_running


def test_a_process_runs_until_it_has_ended_though_nobody_has_asked_how() -> None:
    assert is_running(os.getpid())
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert child.stdout is not None
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(child.pid), "a zombie"
    child.communicate()
    assert not is_running(child.pid)
