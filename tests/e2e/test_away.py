"""The daemon is away for longer than a node's lease: a real daemon, real nodes, a real save."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.running import RunningDaemon, running_daemon
from tests.e2e.survivors import node_processes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

_CONFIG = """
tick_s = 1.0
heartbeat_s = 0.5
lease_s = 20.0
drain_grace_s = 8.0

[[local_types]]
name = "half"
cpu = 0.5
usd_per_h = 0.36
"""
# It names no iteration: what elasticd counts follows from the file that the script reads. The file
# is replaced at each save, so what the daemon heard last is no longer there.
_SCRIPT = """\
import os, time
from pathlib import Path
from elastic.worker import drained, paramount

kept = Path("model.bin")
done = int.from_bytes(kept.read_bytes()[:8], "little") if kept.exists() else 0
print(f"BEGINS AT {done}", flush=True)
must_stop = False
while not must_stop:
    time.sleep(0.1)
    must_stop = paramount()
    done += 1
    if must_stop or done % 20 == 0:
        Path("model.part").write_bytes(done.to_bytes(8, "little") + bytes(1000))
        os.replace("model.part", kept)
drained()
"""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    with running_daemon(tmp_path, config=_CONFIG) as running:
        yield running


def test_a_save_that_the_daemon_never_heard_of_is_where_the_next_node_is_counted_from(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(_SCRIPT)
    job_id = daemon.submit(
        name="away", command=[str(script)], policy={"name": "fixed", "node_type": "half"}
    )
    heard = daemon.until_iteration(job_id, 30)
    (node,) = daemon.get("/v1/nodes", job=job_id)["items"]
    daemon.kill()
    daemon.until("the node ends itself", lambda: not node_processes(node["id"]))
    daemon.start()

    def begun() -> list[int]:
        with daemon.client() as client:
            logs = client.text(f"/v1/jobs/{job_id}/logs", tail=100)
        return [int(each) for each in re.findall(r"BEGINS AT (\d+)", logs)]

    daemon.until("the next node's script begins", lambda: len(begun()) == 2)
    begins_at = begun()[-1]
    assert begins_at > heard + 50, "the node had trained on while the daemon was away"
    daemon.until_iteration(job_id, begins_at + 20)
    job = daemon.get(f"/v1/jobs/{job_id}")
    assert (job["restarts_at_zero"], job["redone"], job["warnings"]) == (False, 0, [])
    told = [each["text"] for each in daemon.get("/v1/events", job=job_id, limit=500)["items"]]
    assert f"the script goes on at iteration {begins_at}: it has read model.bin" in told
