"""Two ranks of real torch, started as torchrun would: those that hold different things before a
step do not train."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from elastic.worker.replicas import Replica, replica_of
from elastic.worker.saves import mark_of
from tests.worker.conftest import AgentSocket

SCRIPT = """
import os, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
dist.init_process_group("gloo"); r = dist.get_rank()
module = torch.nn.Linear(8, 1)
def optimizer_of(module): return torch.optim.{optimizer}
{loads}
dist.all_reduce(torch.ones(1))
for i in range(60):
    o.zero_grad(); m(torch.ones(4, 8)).square().mean().backward(); o.step()
print("trained", float(sum(p.detach().sum() for p in module.parameters())), flush=True)
dist.barrier()
"""
EACH_ITS_OWN = """
m = DDP(module); o = optimizer_of(module)
if os.path.isfile(f"ckpt_rank{r}.pt"):
    c = torch.load(f"ckpt_rank{r}.pt"); module.load_state_dict(c["m"]); o.load_state_dict(c["o"])
"""
FIRST_BEFORE_DDP = """
if r == 0: module.load_state_dict(torch.load("ckpt_rank0.pt")["m"])
m = DDP(module); o = optimizer_of(module)
"""
FIRST_GIVES_ALL = """
c = [torch.load("ckpt_rank0.pt") if r == 0 else None]
dist.broadcast_object_list(c)
m = DDP(module); o = optimizer_of(module)
module.load_state_dict(c[0]["m"]); o.load_state_dict(c[0]["o"])
"""
FIRST_ALONE_LOADS_ITS_OPTIMIZER = """
if r == 0: c = torch.load("ckpt_rank0.pt"); module.load_state_dict(c["m"])
m = DDP(module); o = optimizer_of(module)
if r == 0: o.load_state_dict(c["o"])
"""


def both_ranks(
    folder: Path, agent: AgentSocket, *, loads: str, optimizer: str
) -> list[subprocess.CompletedProcess[str]]:
    """How two ranks end of which only the first finds the file of its own, saved at iteration
    500."""
    module = torch.nn.Linear(8, 1)
    trained = eval(f"torch.optim.{optimizer}", {"torch": torch, "module": module})  # noqa: S307 (it is ours)
    for _ in range(3):
        module(torch.ones(4, 8)).sum().backward()
        trained.step()
    torch.save({"m": module.state_dict(), "o": trained.state_dict()}, folder / "ckpt_rank0.pt")
    (folder / "marks").write_text(f"{mark_of(str(folder / 'ckpt_rank0.pt'))} 500\n")
    (folder / "train.py").write_text(SCRIPT.format(optimizer=optimizer, loads=loads))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    names = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": port,
        "WORLD_SIZE": "2",
        "OMP_NUM_THREADS": "1",
    }
    shared = (
        os.environ
        | names
        | {"ELASTICD_SOCKET": str(agent.path), "ELASTICD_SAVES": str(folder / "marks")}
    )
    ranks = [
        subprocess.Popen(
            [sys.executable, "-m", "elastic.worker.launch", str(folder / "train.py")],
            env=shared | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    results = []
    for each in ranks:
        out, err = each.communicate(timeout=90)
        results.append(subprocess.CompletedProcess(each.args, each.returncode, out, err))
    return results


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("loads", "optimizer", "why"),
    [
        (EACH_ITS_OWN, "SGD(module.parameters(), 0.01)", "its weights differ from rank 0's"),
        (
            FIRST_ALONE_LOADS_ITS_OPTIMIZER,
            "AdamW(module.parameters())",
            "its optimizer has no state, and rank 0's has 3 steps",
        ),
    ],
)
def test_ranks_that_would_train_apart_end(
    tmp_path: Path, agent_socket: AgentSocket, loads: str, optimizer: str, why: str
) -> None:
    for each in both_ranks(tmp_path, agent_socket, loads=loads, optimizer=optimizer):
        assert each.returncode != 0
        assert "trained" not in each.stdout
        assert (
            "ranks begin at different iterations: rank 0 at 500, because it read ckpt_rank0.pt"
            in each.stderr
        )
        assert why in each.stderr


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("loads", "optimizer"),
    [
        (FIRST_BEFORE_DDP, "SGD(module.parameters(), 0.01, 0.9)"),
        (FIRST_GIVES_ALL, "Adam(module.parameters())"),
    ],
)
def test_ranks_that_got_all_from_the_first_one_train(
    tmp_path: Path, agent_socket: AgentSocket, loads: str, optimizer: str
) -> None:
    ends = both_ranks(tmp_path, agent_socket, loads=loads, optimizer=optimizer)
    assert [(each.returncode, each.stderr) for each in ends] == [(0, ""), (0, "")]
    assert ends[0].stdout == ends[1].stdout


@pytest.mark.parametrize(
    ("optimizer", "steps", "told"),
    [
        ("Adam(weights)", 0, "no state"),
        ("Adam(weights)", 3, "3 steps"),
        ("Adagrad(weights)", 0, "no state"),
        ("SGD(weights, 0.01)", 3, "no state"),
        ("SGD(weights, 0.01, 0.9)", 3, "state"),
    ],
)
def test_an_optimizer_tells_by_its_state_how_far_it_is(
    optimizer: str, steps: int, told: str
) -> None:
    weights = [torch.nn.Parameter(torch.ones(3))]
    made = eval(f"torch.optim.{optimizer}", {"torch": torch, "weights": weights})  # noqa: S307 (it is ours)
    for _ in range(steps):
        weights[0].grad = torch.ones(3)
        made.step()
    assert replica_of(made, world_size=2) == Replica(told, weights=None)


def test_an_optimizer_without_a_share_and_one_of_no_torch_tell_nothing() -> None:
    weights = [torch.nn.Parameter(torch.ones(3))]
    without_share = torch.optim.Adam(weights)
    without_share.param_groups[0]["params"] = []
    assert (
        replica_of(without_share, world_size=2) == replica_of(object(), world_size=2) == Replica()
    )
