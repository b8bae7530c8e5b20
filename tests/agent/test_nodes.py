"""Real agents under real torchrun, with a fake daemon: what a node does in its life."""

from __future__ import annotations

import os
import signal

import pytest

from tests.agent.conftest import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

PLAIN_SCRIPT = """
import time, torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range({turns}):
    optimizer.zero_grad(); model(torch.ones(2, 4)).sum().backward(); optimizer.step()
    time.sleep(0.02)
print("done")
"""
GAN_SCRIPT = """
import os, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
torch.manual_seed(0)
generator, critic = (DistributedDataParallel(torch.nn.Linear(4, 4)) for _ in range(2))
optimizers = [torch.optim.Adam(module.parameters()) for module in (generator, critic)]
for _ in range(30):
    for module, optimizer in zip((generator, critic), optimizers):
        optimizer.zero_grad(); module(torch.ones(2, 4)).sum().backward(); optimizer.step()
dist.destroy_process_group()
"""
COUNTING_SCRIPT = """
import os, pathlib, time
from elastic.worker import checkpointed, drained, finished, paramount
state = pathlib.Path(os.environ["ELASTICD_CHECKPOINT_DIR"]); state.mkdir(parents=True, exist_ok=True)
done = int((state / "done").read_text()) if (state / "done").exists() else 0
while done < {turns}:
    time.sleep(0.02); done += 1
    if paramount(done):
        (state / "done").write_text(str(done)); checkpointed(done, elapsed_s=0.001); drained(done)
        break
else:
    (state / "done").write_text(str(done)); finished(done)
"""


def test_an_unmodified_script_is_counted_and_succeeds(world: World) -> None:
    world.assign(world.script(PLAIN_SCRIPT.format(turns=40)))
    node = world.node()
    end = world.wait_for(lambda: world.daemon.exit_of(1))
    assert (end["outcome"], end["exit_code"]) == ("succeeded", 0)
    assert world.daemon.turns() == 40
    assert "done" in (node.work_dir / "logs" / "g1.log").read_text()
    assert [m["kind"] for m in world.daemon.said["n1"]][-1] == "finished"
