"""A script as a tutorial writes it, which nobody changed: where it really begins after it was stopped is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.running import running_daemon

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

# Ten steps an epoch; a snapshot after each epoch, in one of the two folders that outlive a node.
TUTORIAL = """
import os, sys, time, torch
path = os.path.join(os.environ["ELASTICD_CHECKPOINT_DIR"], "snapshot.pt")
model = torch.nn.Linear(20, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
first = 0
if sys.argv[1] == "reads" and os.path.exists(path):
    snapshot = torch.load(path)
    model.load_state_dict(snapshot["MODEL_STATE"])
    first = snapshot["EPOCHS_RUN"]
print("begins at", first, flush=True)
for epoch in range(first, 12):
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.rand(32, 20)).square().mean().backward()
        optimizer.step()
        time.sleep(0.04)
    torch.save({"MODEL_STATE": model.state_dict(), "EPOCHS_RUN": epoch + 1}, path)
"""


def test_a_tutorial_s_script_goes_on_where_it_saved_and_one_that_reads_nothing_back_is_at_0(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TUTORIAL)
    with running_daemon(tmp_path) as daemon:
        jobs = {}
        for kind in ("reads", "forgets"):
            command = [str(tmp_path / "train.py"), kind]
            policy = {"name": "fixed", "node_type": "half"}
            jobs[kind] = daemon.submit(name=kind, command=command, iterations=120, policy=policy)
        for job_id in jobs.values():
            daemon.until_iteration(job_id, 25)
            with daemon.client() as client:
                client.post(f"/v1/jobs/{job_id}:stop")
        for kind, job_id in jobs.items():
            stopped = daemon.until_phase(job_id, "cancelled")
            kept = stopped["kept_iteration"]
            assert kept % 10 == 0 and 0 < stopped["iteration"] - kept <= 10
            with daemon.client() as client:
                resumed = client.post(f"/v1/jobs/{job_id}:resume", body={})
            assert resumed["iteration"] == kept
            job = daemon.until_phase(job_id, "succeeded")
            began_at = kept if kind == "reads" else 0
            assert (job["iteration"], job["redone"]) == (120, stopped["iteration"] - began_at)
            assert job["begins_anew"] is (kind == "forgets")
