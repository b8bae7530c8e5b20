"""Sums over NCCL, which a stand-in takes the part of: nothing here has a GPU."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor
from torch.distributed import HashStore  # type: ignore[attr-defined]  # torch forgets to export them

from elastic.workloads.session import Session
from elastic.workloads.session.division import Stopwatch
from elastic.workloads.session.rounds import Gloo, Plug, RoundLost, c10d, nccl
from tests.workloads.session import nccl_stand_in
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import assert_near, running_fleet, undisturbed
from tests.workloads.session.stores import serve_store, session_settings

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    replaced = (nccl.Gpu, "name"), (nccl, "mark"), (c10d, "nccl_group"), (Stopwatch, "of")
    for module, name in replaced:
        monkeypatch.setattr(module, name, getattr(module, name))  # puts back what is replaced
    nccl_stand_in.install()


@pytest.fixture
def groups() -> list[Gloo]:
    store, plugs = HashStore(), [Plug("127.0.0.1") for _ in range(2)]
    addresses = {rank: list(plug.addresses) for rank, plug in enumerate(plugs)}

    def group(rank: int) -> Gloo:
        return Gloo(store, rank, 2, plugs[rank], addresses, timeout_s=20.0, gpu=nccl.Gpu(CPU))

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(group, range(2)))


def test_sums_and_broadcasts(groups: list[Gloo]) -> None:
    def member(rank: int) -> tuple[list[float], list[float]]:
        summed, told = torch.full((3,), rank + 1.0), torch.full((2,), rank + 1.0)
        groups[rank].wait(groups[rank].all_reduce(summed))
        groups[rank].wait(groups[rank].broadcast(told, source=1))
        return summed.tolist(), told.tolist()

    before = nccl_stand_in.sums()
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(member, range(2))) == [([3.0] * 3, [2.0] * 2)] * 2
    assert nccl_stand_in.sums() == before + 4


def test_what_ranks_tell_each_other_goes_over_gloo_beside_the_gpus_sum(groups: list[Gloo]) -> None:
    def member(rank: int) -> tuple[list[float], list[float]]:
        told, summed = torch.full((2,), rank + 1.0), torch.full((3,), rank + 1.0)
        works = groups[rank].all_reduce_aside(told), groups[rank].all_reduce(summed)
        for work in works:
            groups[rank].wait(work)
        return told.tolist(), summed.tolist()

    before = nccl_stand_in.sums()
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(member, range(2))) == [([3.0] * 2, [3.0] * 3)] * 2
    assert nccl_stand_in.sums() == before + 2


def test_a_session_of_gpus_sums_nothing_there_but_gradients_and_the_scripts_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nccl.Gpu, "name", lambda gpu: f"GPU {id(gpu)}")  # one for each thread
    store = serve_store()
    settings = session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    before = nccl_stand_in.sums()
    joined = []

    def member(number: int) -> list[Tensor]:
        task = Task(dtype=torch.float64, width=16, pause_s=0.005)
        with Session.join(
            task.units(), task.apply, batch=BATCH, numbers=1, settings=settings
        ) as session:
            joined.append(number)
            while session.step < 60:
                if len(joined) < 2:
                    sleep(0.25)  # or else all is done before the other has begun
                session.run(task.compute)
            session.finish()
            return session.snapshot().tensors[::4]

    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(member, range(2)))
    for weights in found:
        assert_near(weights, undisturbed(60), tolerance=1e-12)
    gradients = sum(each.numel() for each in found[0])
    sizes = nccl_stand_in.sizes(since=before)
    assert gradients + 1 in sizes
    assert max(sizes) == gradients + 1, "nothing rides behind"


def test_who_waits_in_vain_is_freed_by_the_cut_and_takes_nothing_for_a_sum(
    groups: list[Gloo],
) -> None:
    work = groups[0].all_reduce(torch.ones(3))
    began_s = monotonic()
    threading.Timer(0.2, groups[0].cut).start()
    with pytest.raises(RoundLost):
        groups[0].wait(work)
    assert 0.2 <= monotonic() - began_s < 10.0
    with pytest.raises(RoundLost):
        groups[0].wait(groups[0].all_reduce(torch.ones(3)))


def test_what_fails_without_a_cut_ends_the_round_too(
    groups: list[Gloo], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = groups[0].all_reduce(torch.ones(3))
    # As where NCCL reports an error.
    monkeypatch.setattr(nccl_stand_in.Kernel, "is_completed", lambda kernel: True)
    with pytest.raises(RoundLost, match="failed"):
        groups[0].wait(work)


def test_torch_is_told_to_leave_the_process_alive_before_it_makes_a_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in nccl.LENIENT:
        monkeypatch.setenv(name, "3")
    nccl.prepare_nccl(CPU)
    assert os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] == "3", "no GPU, no NCCL"
    nccl.prepare_nccl(torch.device("cuda"))
    assert (
        os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"]
        == os.environ["TORCH_NCCL_ENABLE_MONITORING"]
        == "0"
    )


def test_where_gpus_do_not_connect_gloo_sums_what_lies_on_them_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refused(group: object, device: torch.device) -> None:
        raise RuntimeError("no way to 10.0.0.2")

    gpu, cuda = nccl.Gpu(CPU), torch.device("cuda")
    monkeypatch.undo()  # what the fixture put in the place of this module's
    monkeypatch.setattr(c10d, "nccl_group", nccl_stand_in.StandIn)
    monkeypatch.setattr(nccl_stand_in.StandIn, "eager_connect_single_device", refused)
    monkeypatch.setattr(nccl_stand_in.StandIn, "abort", lambda group: None)
    monkeypatch.setattr(torch.distributed, "is_nccl_available", lambda: True)
    monkeypatch.setattr(
        torch.cuda, "get_device_properties", lambda device: SimpleNamespace(uuid="GPU-1")
    )
    for _ in range(nccl.TRIES):
        assert replace(gpu, device=cuda).name() == "GPU-1"
        with pytest.raises(RuntimeError, match="no way to"):
            nccl.Nccl(HashStore(), 0, 2, gpu, timeout_s=1.0)
    assert replace(gpu, device=cuda).name() is None
    assert nccl.Gpu(cuda).name() == "GPU-1", "another session tries again"
    assert capfd.readouterr().err.count("gloo sums their tensors: no way to 10.0.0.2") == 1


@pytest.mark.slow
def test_members_come_leave_and_die_and_nothing_that_is_trained_changes(tmp_path: Path) -> None:
    with running_fleet(tmp_path, "--stand-in") as fleet:
        first, second = fleet.start(2)
        fleet.await_world([first, second])
        third, fourth = fleet.start(2)
        fleet.await_world([first, second, third, fourth])
        second.kill()
        fleet.await_world([first, third, fourth])
        first.kill(signal.SIGTERM)
        fleet.await_world([third, fourth])
        steps = fleet.await_end([first, third, fourth])
        fleet.assert_identical()
        fleet.assert_nothing_lost([first, third, fourth])
        assert third.last["step"] == steps and all(
            each.events()[-1]["nccl_sums"] > 50 for each in (third, fourth)
        )
        assert_near(third.weights(), undisturbed(steps), tolerance=1e-12)
