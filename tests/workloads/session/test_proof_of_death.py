"""A newcomer that cannot reach the members: it takes their job over once they are known to be dead, and not before."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
import torch
from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch forgets to export it

from elastic.clock import SystemClock
from elastic.workloads.session import Session, Settings, entrance, waiting
from elastic.workloads.session.c10d import Rendezvous
from elastic.workloads.session.entrance import STALE_S, alive, machine
from elastic.workloads.session.terms import Terms
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import wait_until

pytestmark = pytest.mark.timeout(60)
SOON_STALE_S = 4.0


@pytest.fixture
def store() -> Iterator[TCPStore]:
    store = TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
    yield store
    del store


def _session(store: TCPStore) -> tuple[int, int]:
    """Gives the generation that a newcomer comes to train in, and its members."""
    task = Task(dtype=torch.float64, width=4)
    settings = Settings(store=f"127.0.0.1:{store.port}", job="job", silence_s=5.0)
    with Session.join(task.units(), task.apply, batch=BATCH, settings=settings, numbers=1) as session:
        session.run(task.compute)
        return session.generation.number, session.generation.world_size


def _unreached(store: TCPStore, *, on: str) -> Rendezvous:
    """Gives the only member of round 5, on a machine, where every connection to it is refused."""
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    member = Rendezvous(f"127.0.0.1:{store.port}", "job", "127.0.0.1", name="127.0.0.1_1_0")
    about = {"host": "127.0.0.1", "link": port, "inlet": port, "step": 100, "is_torn": False, "machine": on}
    member.tell(f"node/{member.name}", json.dumps({**about, "terms": Terms(BATCH, None, 1, "another").told()}))
    assert member.publish(member.look(), (member.name,), number=5)
    return member


def test_who_is_refused_on_the_same_machine_is_dead(store: TCPStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "STALE_S", 1000 * STALE_S)
    _unreached(store, on=machine())
    assert _session(store) == (6, 1)


def test_one_that_cannot_be_reached_is_waited_for_while_it_lives_and_that_is_told(
    store: TCPStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(entrance, "STALE_S", SOON_STALE_S)
    monkeypatch.setattr(waiting, "LONG_S", 0.5)
    member = _unreached(store, on="another")
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(_session, store)
        wait_until(lambda: bool(member.look().waiting), "the newcomer")
        for beat in range(int(2 * SOON_STALE_S / 0.2)):
            member.tell(alive(member.name), str(beat))
            SystemClock().sleep(0.2)
        assert not coming.done() and member.look().participants == (member.name,)
        assert f"member {member.name} cannot be reached at 127.0.0.1:" in capsys.readouterr().err
        assert coming.result(timeout=30) == (6, 1), "it has fallen silent"


def test_a_member_that_lives_says_so_in_the_store_and_defends_a_round_that_was_emptied(
    store: TCPStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elastic.workloads.session.membership.BEAT_S", 0.2)
    task, beats, turns = Task(dtype=torch.float64, width=4), set[str | None](), count()
    settings = Settings(store=f"127.0.0.1:{store.port}", job="job", silence_s=5.0)
    with Session.join(task.units(), task.apply, batch=BATCH, settings=settings, numbers=1) as session:
        other = Rendezvous(settings.store, "job", "127.0.0.1", name="127.0.0.1_1_0")
        (name,) = session.generation.members

        def has_beaten() -> bool:
            session.run(task.compute)
            beats.add(other.ask(alive(name)))
            return len(beats - {None}) > 2

        wait_until(has_beaten, "signs of life")
        step, seen = session.step, other.look()
        assert other.publish(seen, (), number=seen.round)
        while session.generation.number == seen.round:
            session.run(task.compute)
            assert next(turns) < 100_000
        assert session.generation.members == (name,) and session.step > step
