"""A script as a tutorial writes it, which nobody changed: where it really begins after it was
stopped is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.running import running_daemon

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

# Ten steps an epoch; a snapshot after each epoch, in one of the two folders that outlive a node.
TUTORIAL = """
import os, time, torch
path = os.path.join(os.environ["ELASTICD_CHECKPOINT_DIR"], "snapshot.pt")
model = torch.nn.Linear(20, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
first = 0
if os.path.exists(path):
    snapshot = torch.load(path)
    model.load_state_dict(snapshot["MODEL_STATE"])
    first = snapshot["EPOCHS_RUN"]
print("begins at", first, flush=True)
for epoch in range(first, 6):
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.rand(32, 20)).square().mean().backward()
        optimizer.step()
        time.sleep(0.1)
    torch.save({"MODEL_STATE": model.state_dict(), "EPOCHS_RUN": epoch + 1}, path)
"""


def test_a_tutorial_s_script_goes_on_where_it_saved(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TUTORIAL)
    with running_daemon(tmp_path) as daemon:
        policy = {"name": "fixed", "node_type": "half"}
        job_id = daemon.submit(
            name="tutorial", command=[str(tmp_path / "train.py")], iterations=60, policy=policy
        )
        daemon.until_iteration(job_id, 15)
        with daemon.client() as client:
            client.post(f"/v1/jobs/{job_id}:stop")
        stopped = daemon.until_phase(job_id, "cancelled")
        kept = stopped["kept_iteration"]
        assert kept % 10 == 0 and 0 < stopped["iteration"] - kept <= 10
        with daemon.client() as client:
            assert client.post(f"/v1/jobs/{job_id}:resume", body={})["iteration"] == kept
        job = daemon.until_phase(job_id, "succeeded")
        assert (job["iteration"], job["redone"]) == (60, stopped["iteration"] - kept)
        events = daemon.get("/v1/events", job=job_id, limit=200)["items"]
        (begins,) = [each["text"] for each in events if each["kind"] == "begins"]
        assert begins.startswith(f"the script goes on at iteration {kept}: it has read ")


# Each rank keeps a file of its own, which only the first one's comes home of.
EACH_ITS_OWN = """
import os, time, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
dist.init_process_group("gloo"); rank = dist.get_rank()
path, model, first = f"ckpt_rank{rank}.pt", DDP(torch.nn.Linear(32, 1)), 0
optimizer = torch.optim.Adam(model.parameters())
if os.path.isfile(path):
    saved = torch.load(path)
    model.module.load_state_dict(saved["m"]); optimizer.load_state_dict(saved["o"]); first = saved["i"]
print("rank", rank, "begins", first, flush=True)
for i in range(first, 5000):
    loss = model(torch.randn(8, 32)).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step(); time.sleep(0.02)
    if (i + 1) % 20 == 0: torch.save({"m": model.module.state_dict(), "o": optimizer.state_dict(), "i": i + 1}, path)
"""


def test_ranks_that_each_read_a_file_of_their_own_do_not_train_where_one_of_them_lacks_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text(EACH_ITS_OWN)
    (tmp_path / "code" / "job.yaml").write_text(
        "name: mine\ncommand: torchrun train.py\ncode: .\nnodes: {min: 1, max: 2}\n"
        "policy: {name: fixed, node_type: half}\n"
    )
    with running_daemon(tmp_path) as daemon:
        submitted = daemon.elasticd(
            "job", "submit", "-f", str(tmp_path / "code" / "job.yaml"), "-y"
        )
        assert submitted.returncode == 0, submitted.stderr
        (job,) = daemon.get("/v1/jobs")["items"]
        daemon.until_iteration(job["id"], 100)
        scaled = daemon.elasticd("job", "scale", "mine", "--nodes", "2", "-y")
        assert scaled.returncode == 0, scaled.stderr
        ended = daemon.until_phase(job["id"], "failed")
        assert "ranks begin at different iterations: rank 0 at " in ended["message"]
        assert (
            "because it read ckpt_rank0.pt. Rank 1 read no file that the job saved"
            in ended["message"]
        )
        assert ended["redone"] < 40, "nothing was trained by the two"
