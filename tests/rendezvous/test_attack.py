"""A stranger to a job runs no line of code in it, and says nothing that its members take in.

As another user of the machine, as a node of another job, and from another host of the group.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest
import torch

from elastic.rendezvous import KeyValues, StoreClient, StoreServer
from elastic.workloads.session.links import Links, Status
from elastic.workloads.session.state import SessionTerms, State, StateReceiver
from elastic.workloads.worker_store import WorkerStore
from tests.certificates import certificate, credential, pem
from tests.rendezvous.stranger import ANOTHER, OWN, PLAIN, WITHOUT, Outcome, attack
from tests.workloads.session.hosts import running_hosts

JOB, RDZV_ID = "job-1", "job-1-g1"
STRANGERS = pytest.mark.parametrize("proof", [PLAIN, WITHOUT, ANOTHER])
KEYS = {PLAIN: "", WITHOUT: "", ANOTHER: pem("another"), OWN: pem()}

# torch's handler at torch's own store, which is what a node of ours would run without the defence.
STOCK = """
import sys
from torch.distributed import TCPStore
from torch.distributed.elastic.rendezvous.c10d_rendezvous_backend import C10dRendezvousBackend
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import DynamicRendezvousHandler
store = TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
print(store.port, flush=True)
sys.stdin.readline()
backend = C10dRendezvousBackend(store, sys.argv[1])
handler = DynamicRendezvousHandler.from_backend(sys.argv[1], store, backend, 1, 1)
try:
    handler.num_nodes_waiting()
except Exception as error:
    print(error)
"""
SCRIPT = """
import os, sys, time, torch.distributed as dist
dist.init_process_group("gloo")
partial = sys.argv[1] + ".partial"
open(partial, "w").write(os.environ["MASTER_PORT"])
os.rename(partial, sys.argv[1])
while not os.path.exists(sys.argv[1] + ".go"):
    time.sleep(0.05)
dist.barrier()
dist.destroy_process_group()
"""


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[Path]:
    """What code of a stranger would make; any user may."""
    folder = Path("/tmp") / f"attack-{os.getpid()}-{tmp_path.name}"
    folder.mkdir()
    folder.chmod(0o777)
    yield folder / "ran"
    shutil.rmtree(folder)


@STRANGERS
def test_no_stranger_says_a_word_to_a_store(proof: str, mark: Path) -> None:
    server = StoreServer(credential())
    outcome = attack([server.port], proof, job=JOB, rdzv_id=RDZV_ID, mark=mark, key=KEYS[proof])
    _until(lambda: server.refused >= 5)
    assert outcome.answers == 0
    assert server.served == 0 and server.values.count() == 0
    server.close()


def test_with_the_job_s_own_key_the_same_attack_writes_to_the_store(mark: Path) -> None:
    server = StoreServer(credential())
    # On a busy machine an answer may come after the stranger has hung up.
    _until(
        lambda: (
            attack([server.port], OWN, job=JOB, rdzv_id=RDZV_ID, mark=mark, key=KEYS[OWN]).answers
            == 2
        )
    )
    assert server.values.count() == 2
    server.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="makes network namespaces")
@STRANGERS
def test_no_host_of_the_group_says_a_word_to_a_store(
    proof: str, mark: Path, tmp_path: Path
) -> None:
    with running_hosts(2) as (ours, theirs):
        ready = tmp_path / "ready"
        process = subprocess.Popen(
            ours.command(
                *(sys.executable, "-m", "elastic.rendezvous", f"--host={ours.address}"),
                *(f"--ready-file={ready}", f"--certificate={certificate()}"),
            )
        )
        try:
            _until(ready.exists)
            port = int(ready.read_text().rpartition(":")[2])
            outcome = attack(
                [port],
                proof,
                job=JOB,
                rdzv_id=RDZV_ID,
                mark=mark,
                key=KEYS[proof],
                host=ours.address,
                command=theirs.command(),
            )
        finally:
            process.kill()
            process.wait()
    assert outcome.answers == 0 and not mark.exists()


def test_what_torch_does_by_itself_runs_the_stranger_s_code(mark: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STOCK, RDZV_ID],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    port = int(process.stdout.readline())
    attack([port], PLAIN, job=JOB, rdzv_id=RDZV_ID, mark=mark)
    process.communicate("go\n", timeout=60)
    assert mark.exists(), "the attack of the other tests is one"


@pytest.mark.slow
@pytest.mark.parametrize("proof", [PLAIN, WITHOUT, ANOTHER, OWN])
def test_torchrun_runs_no_code_of_a_stranger_nor_of_a_writer_of_its_store(
    proof: str, mark: Path, tmp_path: Path
) -> None:
    server, file = StoreServer(credential()), tmp_path / "port"
    (tmp_path / "train.py").write_text(SCRIPT)
    environment = os.environ | {
        "ELASTICD_RDZV_ENDPOINT": server.address,
        "ELASTICD_RDZV_ID": RDZV_ID,
        "ELASTICD_CERTIFICATE": certificate(),
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        "GLOO_SOCKET_IFNAME": "lo",
        "OMP_NUM_THREADS": "1",
    }
    command = [
        *(sys.executable, "-m", "elastic.workloads.torchrun", "--rdzv-backend=elasticd"),
        *("--nnodes=1:1", "--nproc-per-node=1", "--local-addr=127.0.0.1"),
        *(str(tmp_path / "train.py"), str(file)),
    ]
    process = subprocess.Popen(command, env=environment)
    try:
        _until(file.exists)
        ports = [server.port]
        # A worker's own store knows its own user only, and that may be the stranger's here.
        if os.geteuid() == 0:
            ports.append(int(file.read_text()))
        outcome = attack(ports, proof, job=JOB, rdzv_id=RDZV_ID, mark=mark, key=KEYS[proof])
        # With the job's own key the record is taken in at torchrun's next look: the script, which
        # would end before that, is left to it.
        if proof != OWN:
            file.with_name("port.go").touch()
        code = process.wait(timeout=60)
    finally:
        process.kill()
        process.wait()
        server.close()
    assert not mark.exists()
    if proof == OWN:
        assert outcome.answers > 0 and code != 0, "its record is taken in, and makes no sense"
    else:
        assert outcome.answers == 0 and code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="takes another user")
@pytest.mark.parametrize("proof", [PLAIN, WITHOUT])
def test_the_store_of_a_node_s_workers_answers_no_other_user(proof: str, mark: Path) -> None:
    values = KeyValues()
    store = WorkerStore(lambda: values, prefix="")
    outcome = attack([store.port], proof, job=JOB, rdzv_id=RDZV_ID, mark=mark)
    assert outcome.answers == 0 and store.refused >= 5
    assert values.count() == 0
    store.close()


@pytest.mark.parametrize("proof", [PLAIN, WITHOUT, ANOTHER, OWN])
def test_a_link_hears_no_stranger(proof: str, mark: Path) -> None:
    links = Links(JOB, credential(), silence_s=30.0, notify=lambda: None)
    links.begin("n_1_0", "127.0.0.1")
    links.reach({"m_1_1": ("127.0.0.1", 1)})  # whose name the stranger says
    attack([links.port], proof, job=JOB, rdzv_id=RDZV_ID, mark=mark, key=KEYS[proof])
    if proof == OWN:
        _until(lambda: links.statuses() == {"m_1_1": Status(99, 99, 99, 0, 99, 99)})
    else:
        assert links.statuses() == {}
    links.close()
    links.join()
    assert not mark.exists()


@pytest.mark.parametrize("proof", [PLAIN, WITHOUT, ANOTHER, OWN])
def test_a_newcomer_takes_no_state_of_a_stranger(proof: str, mark: Path) -> None:
    state = State(((torch.zeros(1),),), lambda gradients, step: None)
    receiver = StateReceiver(
        "127.0.0.1",
        state,
        job=JOB,
        credential=credential(),
        terms=SessionTerms.of(state, batch=4, numbers=1),
        changed=lambda: None,
    )
    receiver.start()

    def attacked() -> Outcome:
        return attack([receiver.port], proof, job=JOB, rdzv_id=RDZV_ID, mark=mark, key=KEYS[proof])

    attacked()
    if proof == OWN:
        # A receiver hears one source at a time: while it still has the one before, it turns the
        # next away. As a source would, the stranger comes again.
        for _ in range(20):
            if receiver.misfit is None:
                attacked()
        assert receiver.misfit is not None
    else:
        assert receiver.ended_s == 0.0 and receiver.misfit is None, "no word of it was read"
    receiver.close()
    receiver.join()
    assert not receiver.is_touched and not mark.exists()


def test_a_member_waits_for_no_stranger(mark: Path) -> None:
    """As many as are let try hold nobody up for longer than they have to prove themselves."""
    server = StoreServer(credential())
    client = StoreClient(server.address, credential())
    client.set("word", b"kept")
    attack([server.port] * 3, WITHOUT, job=JOB, rdzv_id=RDZV_ID, mark=mark)
    assert StoreClient(server.address, credential()).find("word") == b"kept"
    server.close()


def _until(is_true: Callable[[], bool], *, timeout_s: float = 60.0) -> None:
    until_s = monotonic() + timeout_s
    while not is_true():
        assert monotonic() < until_s
        sleep(0.02)
