"""Real agents under real torchrun, with a fake daemon: what a node does in its life."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from typing import Any

import psutil
import pytest

from elastic.agent.logs import MAX_LOG_BYTES
from elastic.agent.processes import is_running, kill_group
from tests.agent.conftest import World
from tests.agent.scripts import COUNTING_SCRIPT

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


def test_an_unmodified_script_is_counted_and_succeeds(world: World) -> None:
    world.assign(world.script(PLAIN_SCRIPT.format(turns=40)))
    node = world.node()
    end = world.wait_for(lambda: world.daemon.exit_of(1))
    assert (end["outcome"], end["exit_code"]) == ("succeeded", 0)
    assert world.daemon.turns() == 40
    assert "done" in (node.work_dir / "logs" / "g1-l0-r0.log").read_text()
    assert [m["kind"] for m in world.daemon.said["n1"]][-1] == "finished"


@pytest.mark.parametrize("preload", [False, True])
def test_a_script_s_options_may_be_torchrun_s_own_cut_short(world: World, preload: bool) -> None:
    script = world.script("import sys; print('options', *sys.argv[1:], flush=True)")
    world.assign(script, "--n", "200", "--", "--max-r=1", preload=preload)
    node = world.node()
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "succeeded"
    assert "options --n 200 -- --max-r=1" in node.logs()


def test_a_node_says_that_it_warms_up_and_then_that_it_is_idle(world: World) -> None:
    node = world.node()
    world.wait_for(
        lambda: any(beat["report"]["state"] == "idle" for beat in world.daemon.heartbeats)
    )
    states = [beat["report"]["state"] for beat in world.daemon.heartbeats]
    assert states.index("warming") < states.index("idle")
    assert "warming" not in states[states.index("idle") :]
    assert (node.work_dir / "warm").exists()


def test_a_node_whose_spawner_died_warms_up_no_longer_and_still_trains(world: World) -> None:
    node = world.node()
    world.wait_for(lambda: world.daemon.heartbeats)
    (spawner,) = (
        child
        for child in psutil.Process(node.process.pid).children()
        if "elastic.agent.spawner" in child.cmdline()
    )
    spawner.kill()
    world.wait_for(lambda: world.daemon.heartbeats[-1]["report"]["state"] == "idle")
    world.assign(world.script(COUNTING_SCRIPT.format(turns=5)))
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "succeeded"


@pytest.mark.parametrize("preload", [False, True])
def test_three_nodes_train_a_gan_whose_optimizers_count_once(world: World, preload: bool) -> None:
    world.assign(world.script(GAN_SCRIPT), nnodes_min=3, nnodes_max=3, preload=preload)
    names = ["n1", "n2", "n3"]
    for name in names:
        world.node(name)
    ends = [world.wait_for(partial(world.daemon.exit_of, 1, name)) for name in names]
    assert [(end["outcome"], end["exit_code"]) for end in ends] == [("succeeded", 0)] * 3
    assert sorted(world.daemon.turns(name) for name in names) == [0, 0, 3 * 30], (
        "each has a batch of its own"
    )


@pytest.mark.parametrize("preload", [False, True])
def test_a_rank_that_ends_well_does_not_make_up_for_one_that_fails_later(
    world: World, preload: bool
) -> None:
    fails = (
        "\nimport os\n"
        "if os.environ['RANK'] == '0': time.sleep(1); raise OSError('no space for the model')\n"
    )
    world.assign(
        world.script(PLAIN_SCRIPT.format(turns=5) + fails),
        nproc_per_node=2,
        preload=preload,
        max_restarts=0,
    )
    world.node()
    end = world.wait_for(lambda: world.daemon.exit_of(1))
    assert (end["outcome"], end["exit_code"]) == ("failed", 1)


def test_a_move_to_another_generation_loses_no_iteration(world: World) -> None:
    command = world.script(COUNTING_SCRIPT.format(turns=150))
    world.assign(command)
    world.node()
    world.wait_for(lambda: world.daemon.turns() > 20)
    world.assign(command, generation=2)
    first = world.wait_for(lambda: world.daemon.exit_of(1))
    second = world.wait_for(lambda: world.daemon.exit_of(2))
    assert (first["outcome"], second["outcome"]) == ("drained", "succeeded")
    assert first["iteration"] < 150
    assert second["iteration"] == 150
    assert world.daemon.turns() == 150
    (checkpoint,) = world.daemon.messages("checkpoint")
    assert checkpoint["iteration"] == first["iteration"]


def test_a_daemon_silent_for_many_heartbeats_misses_nothing(world: World) -> None:
    world.assign(world.script(COUNTING_SCRIPT.format(turns=250)))
    world.node()
    world.wait_for(lambda: world.daemon.turns() > 10)
    world.daemon.is_silent = True
    before = world.daemon.turns()
    time.sleep(3.0)
    assert world.daemon.turns() == before
    world.daemon.is_silent = False
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "succeeded"
    assert world.daemon.turns() == 250


def test_a_restarted_agent_adopts_the_training_it_finds(world: World) -> None:
    world.assign(world.script(COUNTING_SCRIPT.format(turns=300)))
    node = world.node()
    world.wait_for(lambda: world.daemon.turns() > 10)
    torchrun = node.group()["pid"]
    node.kill_agent_only()
    time.sleep(2.0)
    node.start()
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "succeeded"
    assert node.group()["pid"] == torchrun
    assert world.daemon.turns() == 300
    assert len(world.daemon.registrations) == 1


def test_training_that_ended_without_an_agent_is_told_by_the_next_one(world: World) -> None:
    world.assign(world.script(COUNTING_SCRIPT.format(turns=100)))
    node = world.node()
    world.wait_for(lambda: world.daemon.turns() > 10)
    node.kill_agent_only()
    world.wait_for(lambda: node.group()["exit_code"] is not None)
    node.start()
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "succeeded"
    assert world.daemon.turns() == 100


def test_a_killed_worker_is_started_again_by_torchrun(world: World) -> None:
    script = (
        "import os, pathlib\n"
        "path = pathlib.Path(os.environ['ELASTICD_ARTIFACT_DIR'] + '.pid')\n"
        "path.write_text(str(os.getpid()))"
    )
    pid_file = world.folder / "artifacts" / "job.pid"
    world.assign(world.script(script + COUNTING_SCRIPT.format(turns=100)))
    node = world.node()
    world.wait_for(lambda: world.daemon.turns() > 10)
    first = pid_file.read_text()
    os.kill(int(first), signal.SIGKILL)
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "succeeded"
    assert pid_file.read_text() != first
    assert world.daemon.turns() > 100
    assert "SIGKILL" in node.logs()
    (note,) = world.daemon.messages("note")
    assert (
        note["text"]
        == "workers crashed, torchrun restarted them (1): local rank 0 was killed by SIGKILL"
    )


def test_a_lease_that_nobody_renews_ends_the_node_and_all_its_processes(world: World) -> None:
    world.daemon.lease_s = 8.0
    world.assign(world.script(COUNTING_SCRIPT.format(turns=10_000)))
    node = world.node()
    world.wait_for(lambda: world.daemon.turns() > 10)
    world.daemon.is_silent = True
    assert node.process.wait(30) == 0
    assert not is_running(node.group()["pid"])
    assert (world.folder / "checkpoints" / "job" / "done").exists()


def test_a_lease_ends_the_training_even_when_the_agent_is_dead(world: World) -> None:
    world.daemon.lease_s = 5.0
    world.assign(world.script(COUNTING_SCRIPT.format(turns=10_000)))
    node = world.node()
    world.wait_for(lambda: world.daemon.turns() > 10)
    group = node.group()
    node.kill_agent_only()
    world.wait_for(
        lambda: not is_running(group["pid"]) and not is_running(group["spawner_pid"]), timeout_s=30
    )


def test_a_shutdown_drains_reports_and_leaves_nothing_behind(world: World) -> None:
    world.assign(world.script(COUNTING_SCRIPT.format(turns=10_000)))
    node = world.node()
    world.wait_for(lambda: world.daemon.turns() > 10)
    world.daemon.shutdown = True
    assert node.process.wait(30) == 0
    end = world.daemon.exit_of(1)
    assert end is not None
    assert end["outcome"] == "drained"
    assert world.daemon.turns() == end["iteration"]
    assert not is_running(node.group()["pid"])
    assert not is_running(node.group()["spawner_pid"])


def test_an_unmodified_script_is_stopped_at_a_step_boundary(world: World) -> None:
    world.assign(world.script(PLAIN_SCRIPT.format(turns=10_000)), drain_grace_s=60.0)
    world.node()
    world.wait_for(lambda: world.daemon.turns() > 10)
    world.daemon.assignment = None
    assert world.wait_for(lambda: world.daemon.exit_of(1), timeout_s=20)["outcome"] == "drained"
    assert world.wait_for(lambda: world.daemon.heartbeats[-1]["report"]["state"] == "idle")


def test_unmodified_ranks_are_stopped_together_by_a_signal(world: World) -> None:
    script = PLAIN_SCRIPT.format(turns=10_000).replace(
        "import time", "import torch.distributed as d, time"
    )
    script = script.replace("model =", "d.init_process_group('gloo')\nmodel =")
    world.assign(world.script(script), nproc_per_node=2, drain_grace_s=60.0)
    world.node()
    world.wait_for(lambda: world.daemon.turns() > 10)
    world.daemon.assignment = None
    assert world.wait_for(lambda: world.daemon.exit_of(1), timeout_s=20)["outcome"] == "drained"


HANDLING_SCRIPT = """
import os, signal, sys, time, torch
asked = []
signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
optimizer = torch.optim.SGD(torch.nn.Linear(2, 2).parameters(), lr=0.1)
while not asked:
    optimizer.step(); time.sleep(0.02)
print("saved", os.environ["RANK"], flush=True)
sys.exit(0)
"""


def test_forked_ranks_that_end_well_when_they_are_told_to_are_not_held_back(world: World) -> None:
    world.assign(world.script(HANDLING_SCRIPT), nproc_per_node=2, drain_grace_s=60.0)
    node = world.node()
    world.wait_for(lambda: world.daemon.turns() > 10)
    world.daemon.assignment = None
    assert world.wait_for(lambda: world.daemon.exit_of(1), timeout_s=20)["outcome"] == "drained"
    assert {"saved 0", "saved 1"} <= set(node.logs().splitlines())
    assert "forcefully exiting" not in node.logs(), "torchrun does so after 10 s"


DDP_SCRIPT = """
import os, pathlib, signal, sys, time, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
state = pathlib.Path(os.environ["ELASTICD_CHECKPOINT_DIR"])
model = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.zeros_(model.weight)
if (state / "model.pt").exists(): model.load_state_dict(torch.load(state / "model.pt"))
asked = False
def ask(*_):
    global asked
    asked = True
signal.signal(signal.SIGTERM, ask)
trained = DistributedDataParallel(model)
optimizer = torch.optim.SGD(trained.parameters(), lr=1.0)
done = round(-model.weight.item())
while done < {turns} and not asked:
    optimizer.zero_grad(); trained(torch.ones(1, 1)).sum().backward(); optimizer.step()
    done += 1
    time.sleep(0.02)
if dist.get_rank() == 0: torch.save(model.state_dict(), state / "model.pt")
print("rank", dist.get_rank(), "stops after", done, round(-model.weight.item()), flush=True)
dist.barrier()
dist.destroy_process_group()
"""


@pytest.mark.parametrize("preload", [False, True])
def test_unmodified_ranks_on_two_nodes_stop_after_the_same_step_and_lose_none(
    world: World, preload: bool
) -> None:
    command = world.script(DDP_SCRIPT.format(turns=250))
    both: dict[str, Any] = {
        "nnodes_min": 2,
        "nnodes_max": 2,
        "preload": preload,
        "drain_grace_s": 60.0,
    }
    world.assign(command, **both)
    nodes = [world.node("n1"), world.node("n2")]
    world.wait_for(lambda: world.daemon.turns("n1") + world.daemon.turns("n2") > 20)
    world.assign(command, generation=2, **both)
    firsts = [world.wait_for(partial(world.daemon.exit_of, 1, node_id)) for node_id in ("n1", "n2")]
    for node_id in ("n1", "n2"):
        assert world.wait_for(partial(world.daemon.exit_of, 2, node_id))["outcome"] == "succeeded"
    assert [first["outcome"] for first in firsts] == ["drained", "drained"]
    stops = [
        line.split()[-2:]
        for node in nodes
        for line in node.logs().splitlines()
        if "stops after" in line
    ]
    assert len(stops) == 4
    assert len({stop for stop, _ in map(tuple, stops)}) == 2
    assert world.daemon.turns("n1") + world.daemon.turns("n2") == 2 * 250, (
        "each has a batch of its own"
    )


def test_a_worker_that_will_not_stop_is_killed_with_all_it_started(world: World) -> None:
    script = (
        "import os, signal, subprocess, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "stray = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        "open(os.environ['ELASTICD_ARTIFACT_DIR'] + '.pid', 'w').write(str(stray.pid))\n"
        "while True: time.sleep(1)\n"
    )
    (world.folder / "artifacts").mkdir()
    pid_file = world.folder / "artifacts" / "job.pid"
    world.assign(world.script(script), drain_grace_s=1.0)
    node = world.node()
    world.wait_for(lambda: pid_file.exists() and pid_file.read_text())
    world.daemon.assignment = None
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "drained"
    assert not is_running(int(pid_file.read_text()))
    assert not is_running(node.group()["pid"])


def test_a_script_that_fails_is_reported_with_the_end_of_its_log(world: World) -> None:
    world.assign(world.script("raise ValueError('no such folder: /data')"), max_restarts=0)
    world.node()
    end = world.wait_for(lambda: world.daemon.exit_of(1))
    assert (end["outcome"], end["exit_code"]) == ("failed", 1)
    assert "ValueError: no such folder: /data" in end["log_tail"]


def test_the_daemon_gets_what_workers_print_while_they_run_and_all_of_it_before_the_node_leaves(
    world: World,
) -> None:
    script = """
import os, time
print("rank", os.environ["RANK"], "begins")
for step in range(50):
    print(f"\\rstep {step}", end="")
    time.sleep(0.05)
"""
    world.assign(world.script(script), nproc_per_node=2, world_size=2)
    world.node()
    world.wait_for(lambda: {"rank 0 begins", "rank 1 begins"} <= set(world.daemon.log_lines))
    assert world.daemon.exit_of(1) is None
    world.wait_for(lambda: world.daemon.exit_of(1))
    assert not any(line.startswith("step") for line in world.daemon.log_lines), (
        "it was drawn again and again"
    )
    world.daemon.shutdown = True
    world.wait_for(lambda: world.daemon.log_lines.count("step 49") == 2)


def test_a_script_that_prints_without_end_leaves_no_more_than_two_bounded_logs(
    world: World,
) -> None:
    script = (
        "import sys\n"
        "for _ in range(60): sys.stdout.write(('y' * 1023 + '\\n') * 1024)\n"
        "raise ValueError('done')\n"
    )
    world.assign(world.script(script), max_restarts=0)
    node = world.node()
    end = world.wait_for(lambda: world.daemon.exit_of(1))
    sizes = [path.stat().st_size for path in node.work_dir.glob("logs/g1-l0-r0.log*")]
    assert len(sizes) == 2
    assert max(sizes) <= MAX_LOG_BYTES
    assert "ValueError: done" in end["log_tail"]


WHO_SCRIPT = """
import os, pathlib, sys
line = pathlib.Path("/proc/self/cmdline").read_bytes().decode().replace(chr(0), " ")
print("worker is", line, "with torch" if "torch" in sys.modules else "without torch", flush=True)
import torch
optimizer = torch.optim.SGD(torch.nn.Linear(2, 2).parameters(), lr=0.1)
for _ in range(5): optimizer.step()
"""


@pytest.mark.parametrize(
    ("preload", "is_a_program", "has_torch"),
    [(False, True, "without torch"), (True, False, "with torch")],
)
def test_a_worker_is_a_program_of_its_own_or_forked_with_torch_where_it_is_preloaded(
    world: World, preload: bool, is_a_program: bool, has_torch: str
) -> None:
    world.assign(world.script(WHO_SCRIPT), preload=preload)
    node = world.node()
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "succeeded"
    (line,) = (line for line in node.logs().splitlines() if line.startswith("worker is"))
    assert ("elastic.worker.begin --watched" in line) is is_a_program
    assert line.endswith(has_torch)
    assert world.daemon.turns() == 5
    reports = [beat["report"] for beat in world.daemon.heartbeats]
    assert ("restart", preload) in {(each["mode"], each["is_preloaded"]) for each in reports}
    assert (reports[-1]["mode"], reports[-1]["is_preloaded"]) == (None, None)
    assert not world.daemon.messages("note")


def test_an_unmodified_script_without_preloading_is_stopped_at_a_step_boundary_and_goes_on_with_another_node(
    world: World,
) -> None:
    command = world.script(COUNTING_SCRIPT.format(turns=150))
    world.assign(command, preload=False)
    world.node()
    world.wait_for(lambda: world.daemon.turns() > 20)
    world.assign(command, preload=False, generation=2)
    first = world.wait_for(lambda: world.daemon.exit_of(1))
    second = world.wait_for(lambda: world.daemon.exit_of(2))
    assert (first["outcome"], second["outcome"]) == ("drained", "succeeded")
    assert world.daemon.turns() == 150


def test_a_shell_script_is_not_preloaded_counts_what_it_tells_and_is_stopped_by_a_signal(
    world: World,
) -> None:
    script = world.script(
        "#!/bin/sh\ntrap 'echo stopping; exit 0' TERM\n"
        'echo "rank $RANK of $WORLD_SIZE"\nwhile true; do sleep 0.1; done\n',
        "train.sh",
    )
    os.chmod(script, 0o700)
    world.assign(script, drain_grace_s=60.0)
    node = world.node()
    world.wait_for(lambda: "rank 0 of 1" in node.logs())
    assert "SIGTERM" in world.wait_for(lambda: world.daemon.messages("note"))[0]["text"]
    assert world.daemon.heartbeats[-1]["report"]["is_preloaded"] is False
    world.daemon.assignment = None
    assert world.wait_for(lambda: world.daemon.exit_of(1), timeout_s=20)["outcome"] == "drained"
    assert "stopping" in node.logs()


def test_a_script_that_cannot_be_forked_is_started_afresh_next_and_its_owner_told(
    world: World,
) -> None:
    command = world.script(
        "import sys\nif 'torch' in sys.modules: raise RuntimeError('this library was begun before "
        "the fork')\n"
        "from elastic.worker import finished, paramount\nparamount(1); finished(1)\n"
    )
    world.assign(command, max_restarts=0)
    world.node()
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "failed"
    world.assign(command, max_restarts=0, generation=2)
    assert world.wait_for(lambda: world.daemon.exit_of(2))["outcome"] == "succeeded"
    note = world.wait_for(lambda: world.daemon.messages("note"))[0]["text"]
    assert "each is now started as a program of its own" in note


def test_a_job_with_its_own_thread_count_gets_a_fresh_process(world: World) -> None:
    script = "import os, torch; print('threads', torch.get_num_threads(), flush=True)"
    world.assign(world.script(script), env={"OMP_NUM_THREADS": "2"})
    node = world.node()
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "succeeded"
    assert "threads 2" in node.logs()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two threads need two cores")
@pytest.mark.parametrize(
    ("mode", "preload"), [("restart", False), ("restart", True), ("live", True)]
)
def test_a_worker_computes_with_the_threads_of_its_node_type_whatever_the_agent_inherited(
    world: World, mode: str, preload: bool
) -> None:
    script = (
        "import os, sys\n"
        "print('forked', 'torch' in sys.modules)\n"
        "import torch\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        "(torch.ones(512, 512) @ torch.ones(512, 512)).sin().sum()\n"
        "print('threads', torch.get_num_threads(), 'more', len(os.listdir('/proc/self/task')) - "
        "before, flush=True)\n"
    )
    world.assign(world.script(script), threads=2, mode=mode, preload=preload)
    node = world.node()
    assert world.wait_for(lambda: world.daemon.exit_of(1))["exit_code"] == 0
    assert "threads 2 more 1" in node.logs()
    assert f"forked {preload}" in node.logs(), (
        "the number of threads alone needs no process of its own"
    )


def test_the_loss_of_a_node_leaves_the_others_training(world: World) -> None:
    script = GAN_SCRIPT.replace("range(30)", "range(10_000)").replace(
        "for module,", "import time; time.sleep(0.05)\n    for module,"
    )
    world.assign(world.script(script), nnodes_min=1, nnodes_max=2)
    nodes = {node_id: world.node(node_id) for node_id in ("n1", "n2")}
    world.wait_for(lambda: world.daemon.turns("n1") + world.daemon.turns("n2") > 10)
    survivor = "n1" if world.daemon.turns("n1") else "n2"
    lost = nodes["n2" if survivor == "n1" else "n1"]
    lost.kill_agent_only()
    kill_group(lost.group()["pid"], socket_path=str(lost.work_dir / "workers.socket"))
    before = world.daemon.turns(survivor)
    world.wait_for(lambda: world.daemon.turns(survivor) > before + 40)
    assert world.daemon.messages("window", survivor)[-1]["world_size"] == 1


def test_a_script_may_start_processes_of_its_own_in_its_own_way(world: World) -> None:
    script = """
import multiprocessing, torch
from torch.utils.data import DataLoader, TensorDataset

def double(number):
    return 2 * number

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    with multiprocessing.Pool(1) as pool:
        print("doubled", pool.map(double, [21]))
    loader = DataLoader(TensorDataset(torch.arange(8.0)), batch_size=4, num_workers=1)
    print("loaded", sum(batch.sum().item() for (batch,) in loader))
"""
    world.assign(world.script(script), max_restarts=0)
    node = world.node()
    assert world.wait_for(lambda: world.daemon.exit_of(1))["outcome"] == "succeeded"
    assert "doubled [42]" in node.logs()
    assert "loaded 28.0" in node.logs()
