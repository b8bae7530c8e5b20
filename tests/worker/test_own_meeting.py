"""Processes of a script meet at a port of their own, and at torchrun's where they name none."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

# As torch does: all are clients where torchrun serves the store, and else rank 0 serves it.
FAKE_RENDEZVOUS = """
import os
def _create_c10d_store(hostname, port, rank, world_size):
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True":
        return "client"
    return "server" if rank == 0 else "client"
"""
SCRIPT = """
import multiprocessing, os, sys
def meet(rank, port):
    if port:
        os.environ["MASTER_PORT"] = port
    from torch.distributed import rendezvous
    port = int(os.environ["MASTER_PORT"])
    for _ in range(2):
        print(rank, rendezvous._create_c10d_store("localhost", port, rank, 2), flush=True)
if __name__ == "__main__":
    method, port = sys.argv[1:]
    if method == "here":
        meet(0, port)
    else:
        for rank in range(2):
            process = multiprocessing.get_context(method).Process(target=meet, args=(rank, port))
            process.start()
            process.join()
"""


def met(folder: Path, method: str, port: str) -> list[str]:
    """What each rank is at the store, twice."""
    package = folder / "torch" / "distributed"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "rendezvous.py").write_text(FAKE_RENDEZVOUS)
    (folder / "train.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-m", "elastic.worker.launch", str(folder / "train.py"), method, port],
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join([str(folder), os.getcwd()]),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": "4711",
            "TORCHELASTIC_USE_AGENT_STORE": "True",
        },
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_rank_0_of_processes_that_a_script_starts_serves_the_port_that_they_name(
    tmp_path: Path, method: str
) -> None:
    assert met(tmp_path, method, "12355") == ["0 server"] * 2 + ["1 client"] * 2


def test_a_script_that_names_a_port_for_itself_serves_it(tmp_path: Path) -> None:
    assert met(tmp_path, "here", "12355") == ["0 server"] * 2


@pytest.mark.parametrize("method", ["here", "spawn"])
def test_where_the_port_is_torchruns_all_ranks_ask_its_store(tmp_path: Path, method: str) -> None:
    assert set(met(tmp_path, method, "")) <= {"0 client", "1 client"}


def test_torch_itself_opens_a_store_at_a_port_that_torchrun_does_not_serve(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import os, sys, datetime, torch.distributed as dist\n"
        "dist.init_process_group('gloo', init_method=f'tcp://localhost:{sys.argv[1]}', rank=0,\n"
        "    world_size=1, timeout=datetime.timedelta(seconds=5))\n"
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    done = subprocess.run(
        [sys.executable, "-m", "elastic.worker.launch", str(tmp_path / "train.py"), port],
        env=os.environ | {"MASTER_PORT": "4711", "TORCHELASTIC_USE_AGENT_STORE": "True"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
