"""What a member's own children keep of it when it dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from elastic.workloads.session import Session
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.stores import serve_store, session_settings

MEMBER = f"""
import os, signal, sys, torch
from elastic.workloads.session import Session
from tests.workloads.session.member import Task
torch.set_num_threads(1)
task = Task(dtype=torch.float64, width=4)
with Session.join(task.units(), task.apply, batch={BATCH}, numbers=1) as session:
    if (child := os.fork()) == 0:
        os.dup2(2, 1)
        signal.pause()
    session.run(task.compute)
    print(child, flush=True)
    sys.stdin.read(1)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.timeout(60)
def test_a_child_of_a_member_that_has_died_does_not_keep_it_alive() -> None:
    store = serve_store()
    settings = session_settings(f"127.0.0.1:{store.port}", "job")
    environment = {
        **os.environ,
        "ELASTICD_SESSION_STORE": settings.store,
        "ELASTICD_CERTIFICATE": settings.certificate,
        "ELASTICD_JOB_ID": "job",
    }
    command = [sys.executable, "-c", MEMBER]
    member = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert member.stdin is not None and member.stdout is not None
    child = int(member.stdout.readline())
    task = Task(dtype=torch.float64, width=4)

    def come() -> int:
        with Session.join(
            task.units(), task.apply, batch=BATCH, numbers=1, settings=settings
        ) as session:
            return session.round.world_size

    try:
        member.stdin.close()
        assert member.wait(timeout=30) == -signal.SIGKILL
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(come)
            try:
                assert coming.result(timeout=20) == 1
                os.kill(child, 0)
            finally:
                os.kill(child, signal.SIGKILL)
    finally:
        member.kill()
        member.stdout.close()
