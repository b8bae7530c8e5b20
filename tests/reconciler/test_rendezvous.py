"""The stores where members meet: each a process that outlives the daemon."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import psutil
import pytest

from elastic.clock import SystemClock
from elastic.model import Rounds
from elastic.providers.keeping import boot_id
from elastic.reconciler import RendezvousStores
from elastic.rendezvous import StoreClient, StoreLost, place_of
from tests.certificates import credential, pem

ROUNDS = Rounds(newest=7, registered=9)
_DEAF = f"""#!{sys.executable}
import runpy, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.sigtimedwait = lambda *_: signal.pause()
sys.argv = ["elastic.rendezvous", "-"]
runpy.run_module("elastic.rendezvous", run_name="__main__")
"""


def _stores(root: Path, python: str = sys.executable) -> RendezvousStores:
    return RendezvousStores(root=root, certificate_of=pem, host="127.0.0.1", python=python)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """What stands in for the interpreter: it ignores which module it is to run."""
    program = tmp_path / "python"
    program.touch(mode=0o755)
    return program


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[RendezvousStores]:
    stores = _stores(tmp_path / "jobs")
    yield stores
    stores.end("job-1")


def answering(stores: RendezvousStores, rounds: Rounds = ROUNDS) -> str:
    """Waits until the job's store answers, and gives its address."""
    until_s = monotonic() + 60.0
    while monotonic() < until_s:
        if (endpoint := stores.endpoint("job-1", rounds=rounds)) is not None:
            return endpoint
        SystemClock().sleep(0.02)
    raise AssertionError("no store answered")


def process(stores: RendezvousStores) -> psutil.Process:
    record = json.loads((stores.root / "job-1" / "rendezvous" / "process.json").read_text())
    return psutil.Process(record["pid"])


def known(endpoint: str, key: str) -> bytes | None:
    """What the job's store was told when it began."""
    return StoreClient(endpoint, credential("job-1")).find(f"job-1/{key}")


def test_a_store_listens_where_it_may_and_the_process_list_names_neither_job_nor_port(
    stores: RendezvousStores,
) -> None:
    stores.ports = range(8471, 8971)
    _, port = place_of(answering(stores))
    assert port in stores.ports
    assert process(stores).cmdline() == [stores.python, "-m", "elastic.rendezvous", "-"]


def test_no_store_answers_another_job_s_key(stores: RendezvousStores) -> None:
    endpoint = answering(stores)
    with pytest.raises(StoreLost):
        StoreClient(endpoint, credential("job-2"))
    stores.certificate_of = lambda job_id: pem("job-2")
    after = _stores(stores.root)
    after.certificate_of = stores.certificate_of
    assert after.endpoint("job-1", rounds=ROUNDS) is None


def test_a_store_is_started_once_and_found_again_by_the_next_daemon(
    stores: RendezvousStores,
) -> None:
    stores.endpoint("job-1", rounds=ROUNDS)
    first = process(stores)
    endpoint = answering(stores)
    assert process(stores) == first, "it was started already"
    after = _stores(stores.root)
    assert after.endpoint("job-1", rounds=ROUNDS) == endpoint
    after.end("job-1")
    stores.end("job-1")
    assert not (stores.root / "job-2").exists()
    assert not first.is_running()
    answering(stores)
    assert process(stores) != first, "what has ended is started again"


def test_one_that_died_is_replaced_by_one_that_knows_of_the_rounds(
    stores: RendezvousStores,
) -> None:
    assert not stores.lives("job-1")
    answering(stores)
    assert stores.lives("job-1")
    first = process(stores)
    first.kill()
    first.wait(10)
    endpoint = answering(stores)
    assert known(endpoint, "floor") == b"7" and known(endpoint, "registered") == b"9"
    assert process(stores).pid != first.pid


def test_one_that_is_stopped_is_replaced_once_it_has_been_silent_for_long(
    stores: RendezvousStores,
) -> None:
    answering(stores)
    first = process(stores)
    _suspend(first)
    assert stores.endpoint("job-1", rounds=ROUNDS) is None, "its kernel still makes connections"
    assert process(stores) == first, "it may only be slow"
    stores.silence_s = 0.0
    assert stores.endpoint("job-1", rounds=ROUNDS) is None
    answering(stores)
    assert process(stores) != first and not _is_there(first), (
        "nobody finds it again when it is back"
    )


def test_one_that_is_stopped_before_it_is_ready_is_replaced_too(
    stores: RendezvousStores, program: Path
) -> None:
    program.write_text(f"#!{sys.executable}\nimport signal\nsignal.pause()\n")
    stores.python = str(program)
    assert stores.endpoint("job-1", rounds=ROUNDS) is None
    first = process(stores)
    assert stores.endpoint("job-1", rounds=ROUNDS) is None and process(stores) == first, (
        "it may only be slow"
    )
    stores.starts_within_s = 0.0
    stores.python = sys.executable
    assert stores.endpoint("job-1", rounds=ROUNDS) is None
    stores.starts_within_s = 60.0
    answering(stores)
    assert process(stores) != first and not _is_there(first)


def test_one_is_known_again_after_the_clock_was_set(
    stores: RendezvousStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(stores)
    first = process(stores)
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: 5.0)  # what it takes from the clock
    after = _stores(stores.root)
    assert after.lives("job-1") and process(stores) == first


def test_one_that_was_silent_for_a_while_only_is_kept(stores: RendezvousStores) -> None:
    answering(stores)
    slow = process(stores)
    for _ in range(2):
        stores.silence_s = 10.0
        _suspend(slow)
        assert stores.endpoint("job-1", rounds=ROUNDS) is None
        slow.resume()
        stores.silence_s = 0.0
        answering(stores)
    assert process(stores) == slow


def test_one_whose_members_train_on_is_told_so(stores: RendezvousStores) -> None:
    endpoint = answering(stores, Rounds(newest=7, registered=9, is_held=True))
    assert known(endpoint, "held") == b"1"


def test_another_process_of_the_same_number_is_not_taken_for_it(stores: RendezvousStores) -> None:
    folder = stores.root / "job-1" / "rendezvous"
    folder.mkdir(parents=True)
    record = {"pid": psutil.Process().pid, "start_ticks": 1, "boot_id": boot_id()}
    (folder / "process.json").write_text(json.dumps(record))
    stores.end("job-1")  # nothing of ours: this test goes on
    stores.endpoint("job-1", rounds=ROUNDS)
    assert process(stores).pid != psutil.Process().pid


def test_one_that_listens_no_more_has_no_address(stores: RendezvousStores) -> None:
    answering(stores)
    (stores.root / "job-1" / "rendezvous" / "ready").write_text("127.0.0.1:1")
    assert stores.endpoint("job-1", rounds=ROUNDS) is None


def test_ending_what_never_was_does_nothing(stores: RendezvousStores) -> None:
    stores.end("job-9")


def test_one_that_does_not_heed_its_end_is_killed(stores: RendezvousStores, program: Path) -> None:
    program.write_text(_DEAF)
    stores.python = str(program)
    answering(stores)
    deaf, begun_s = process(stores), monotonic()
    stores.end("job-1")
    assert not deaf.is_running()
    assert monotonic() - begun_s < 2.0, "other jobs wait"


def test_one_that_is_stopped_is_ended_by_the_next_daemon_too(stores: RendezvousStores) -> None:
    answering(stores)
    stopped = process(stores)
    _suspend(stopped)
    after = _stores(stores.root)
    after.end("job-1")
    assert not _is_there(stopped) and not after.lives("job-1")


def _suspend(each: psutil.Process) -> None:
    each.suspend()
    os.waitid(os.P_PID, each.pid, os.WSTOPPED | os.WNOWAIT)  # until its last thread stands still


def _is_there(each: psutil.Process) -> bool:
    return each.is_running() and each.status() != psutil.STATUS_ZOMBIE
