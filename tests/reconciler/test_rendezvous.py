"""The stores where members meet: each a process that outlives the daemon, stood in for by one that
only answers."""

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
from elastic.providers.local.spawn import boot_id
from elastic.reconciler import RendezvousStores

ROUNDS = Rounds(newest=7, registered=9)
LISTENS = f"""#!{sys.executable}
import pathlib, signal, socket, sys
signal.signal(signal.SIGTERM, {{deafness}})
server = socket.create_server(("127.0.0.1", 0))
ready = pathlib.Path(sys.argv[sys.argv.index("--ready-file") + 1])
ready.with_suffix(".part").write_text("127.0.0.1:%d" % server.getsockname()[1])
ready.with_suffix(".part").replace(ready)
while True:
    with server.accept()[0] as connection:
        connection.sendall(connection.recv(64)[-4:])
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """What stands in for the interpreter: it ignores which module it is to run."""
    program = tmp_path / "listens"
    program.write_text(LISTENS.format(deafness="signal.SIG_DFL"))
    program.chmod(0o755)
    return program


@pytest.fixture
def stores(tmp_path: Path, program: Path) -> Iterator[RendezvousStores]:
    stores = RendezvousStores(root=tmp_path / "jobs", host="127.0.0.1", python=str(program))
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


def test_a_store_is_told_at_which_ports_it_may_listen(stores: RendezvousStores) -> None:
    stores.ports = range(8471, 8971)
    answering(stores)
    command = process(stores).cmdline()
    assert command[command.index("--ports") + 1] == "8471-8970"


def test_a_store_is_started_once_and_found_again_by_the_next_daemon(
    stores: RendezvousStores,
) -> None:
    stores.endpoint("job-1", rounds=ROUNDS)
    first = process(stores)
    endpoint = answering(stores)
    assert process(stores) == first, "it was started already"
    after = RendezvousStores(root=stores.root, host=stores.host, python=stores.python)
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
    assert {"job-1/floor=7", "job-1/registered=9"} < set(first.cmdline())
    first.kill()
    first.wait(10)
    answering(stores)
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
    assert stores.endpoint("job-1", rounds=ROUNDS) is None
    first = process(stores)
    assert stores.endpoint("job-1", rounds=ROUNDS) is None and process(stores) == first, (
        "it may only be slow"
    )
    stores.starts_within_s = 0.0
    program.write_text(LISTENS.format(deafness="signal.SIG_DFL"))
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
    after = RendezvousStores(root=stores.root, host=stores.host, python=stores.python)
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


def test_one_that_is_renewed_answers_elsewhere_as_the_same_process(
    stores: RendezvousStores, program: Path
) -> None:
    again = "signal.signal(signal.SIGHUP, lambda *_: os.execv(sys.argv[0], sys.argv))"
    program.write_text(program.read_text().replace("server =", f"import os; {again}\nserver ="))
    before = answering(stores)
    first = process(stores)
    stores.starts_within_s = 0.0
    stores.renew("job-1")
    assert answering(stores) != before and process(stores) == first, (
        "its age is not held against it"
    )


def test_one_that_does_not_begin_anew_is_replaced(stores: RendezvousStores) -> None:
    stores.renew("job-1")
    assert not stores.lives("job-1"), "there is none"
    answering(stores)
    first = process(stores)
    _suspend(first)
    stores.renew("job-1")
    assert stores.endpoint("job-1", rounds=ROUNDS) is None and process(stores) == first, (
        "it may only be slow"
    )
    stores.silence_s = 0.0
    assert stores.endpoint("job-1", rounds=ROUNDS) is None
    stores.silence_s = 10.0
    answering(stores)
    assert process(stores) != first and not _is_there(first)


def test_one_whose_members_train_on_is_told_so(stores: RendezvousStores) -> None:
    answering(stores, Rounds(newest=7, registered=9, is_held=True))
    assert "job-1/held=1" in process(stores).cmdline()


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
    program.write_text(LISTENS.format(deafness="signal.SIG_IGN"))
    answering(stores)
    deaf, begun_s = process(stores), monotonic()
    stores.end("job-1")
    assert not deaf.is_running()
    assert monotonic() - begun_s < 2.0, "other jobs wait"


def test_one_that_is_stopped_is_ended_by_the_next_daemon_too(stores: RendezvousStores) -> None:
    answering(stores)
    stopped = process(stores)
    _suspend(stopped)
    after = RendezvousStores(root=stores.root, host=stores.host, python=stores.python)
    after.end("job-1")
    assert not _is_there(stopped) and not after.lives("job-1")


def _suspend(each: psutil.Process) -> None:
    each.suspend()
    os.waitid(os.P_PID, each.pid, os.WSTOPPED | os.WNOWAIT)  # until its last thread stands still


def _is_there(each: psutil.Process) -> bool:
    return each.is_running() and each.status() != psutil.STATUS_ZOMBIE
