"""Stand-ins for an agent: tiny programs that a local node runs in its place."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

IDLE = (sys.executable, "-I", "-S", "-c", "import signal; signal.pause()")
BUSY = (sys.executable, "-I", "-S", "-c", "while True: pass")

# Two workers as torchrun makes them, each in a session of its own and with a child of its own; one
# ignores SIGTERM, the other's parent is dead, so that nothing but its environment (and control
# group) tells whose it is.
_RUNAWAYS = """
import os, signal, time
def runaway(ignoring):
    if os.fork():
        return
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() and not ignoring:
        os._exit(0)
    while True:
        time.sleep(60)
runaway(True)
runaway(False)
while True:
    time.sleep(60)
"""

# A grandchild in its own session, its parent dead, its environment empty.
_HIDING = """
import os, time
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    os.execve("/bin/sleep", ["sleep", "61"], {})
time.sleep(60)
"""
HIDING = (sys.executable, "-I", "-S", "-c", _HIDING)
WITH_RUNAWAYS = (sys.executable, "-I", "-S", "-c", _RUNAWAYS)


def processes_of(node_id: str, *, cluster: str | None = None) -> set[int]:
    """The living processes that carry the node's id in their environment, found without the
    provider's own code.

    With `cluster` only those of it: tests that run at the same time may use the same ids.
    """
    marks = {f"ELASTICD_NODE_ID={node_id}"}
    if cluster is not None:
        marks.add(f"ELASTICD_CLUSTER={cluster}")
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            entries = set((path / "environ").read_bytes().decode(errors="replace").split("\0"))
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if marks <= entries and state != "Z":
            found.add(int(path.name))
    return found


def cpu_s(pid: int) -> float:
    """CPU seconds that the process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(condition: Callable[[], bool], *, within_s: float = 10.0) -> None:
    """Returns once `condition` holds; real processes need real time."""
    end_s = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end_s, f"still not so after {within_s} s"
        time.sleep(0.01)
