"""A newcomer that cannot reach the members: it takes their job over once they are known to be dead,
and not before."""

from __future__ import annotations

import atexit
import json
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch

from elastic.clock import SystemClock
from elastic.durations import LOOK_S
from elastic.errors import InvalidInput
from elastic.rendezvous import StoreLost, StoreServer
from elastic.workloads.session import Session
from elastic.workloads.session.membership import waiting
from elastic.workloads.session.rendezvous import (
    DONE,
    Entrance,
    StoreRendezvous,
    alive,
    joining,
    machine,
)
from elastic.workloads.session.rendezvous.joining import DEFENCE_S, STALE_S, UNSERVED_S
from elastic.workloads.session.state import SessionTerms
from tests.certificates import credential
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import wait_until
from tests.workloads.session.stores import session_settings

pytestmark = pytest.mark.timeout(60)
SOON_STALE_S = 4.0
# It is bound and never listens: connections are refused, and no other test's server takes its port
# meanwhile.
_NOBODY = socket.socket()
_NOBODY.bind(("127.0.0.1", 0))
atexit.register(_NOBODY.close)


def _session(store: StoreServer) -> tuple[int, int]:
    """Gives the round that a newcomer comes to train in, and its members."""
    task = Task(dtype=torch.float64, width=4)
    settings = session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    with Session.join(
        task.units(), task.apply, batch=BATCH, settings=settings, numbers=1
    ) as session:
        session.run(task.compute)
        return session.round.number, session.round.world_size


def _known(store: StoreServer, name: str, *, port: int, on: str) -> StoreRendezvous:
    """Gives a process's place, with its addresses told, on a machine."""
    node = StoreRendezvous(
        f"127.0.0.1:{store.port}", "job", "127.0.0.1", credential=credential(), name=name
    )
    about = {
        "host": "127.0.0.1",
        "link": port,
        "inlet": port,
        "step": 100,
        "is_torn": False,
        "machine": on,
    }
    told = {**about, "name": name, "terms": SessionTerms(BATCH, None, 1, "another").as_dict()}
    node.tell(f"node/{name}", json.dumps(told))
    return node


def _unreached(store: StoreServer, *others: str, on: str) -> StoreRendezvous:
    """Gives the first member of round 5, on a machine, where every connection to it is refused."""
    port = _NOBODY.getsockname()[1]
    member, *_ = [_known(store, name, port=port, on=on) for name in ("127.0.0.1_1_0", *others)]
    assert member.publish(member.look(), (member.name, *others), number=5)
    return member


@dataclass(slots=True)
class Coming:
    """A newcomer that looks when it is told to, by a clock of the test's, and nobody answers it."""

    rendezvous: StoreRendezvous
    now_s: float = 1000.0
    founded: list[int] = field(default_factory=list)
    tried: Callable[[str], None] = lambda _: None
    _entrance: Entrance | None = None

    def look(
        self, *, for_s: float = 0.0, after_s: float = 0.0, is_served: bool = False
    ) -> tuple[str, ...]:
        """Looks once, that much later, and then each half second; gives the members that it
        leaves."""
        name, terms = self.rendezvous.name, SessionTerms(BATCH, None, 1, "another")
        if self._entrance is None:
            self._entrance = Entrance(
                name, terms, lambda number, _: self.founded.append(number), founding_s=0.3
            )
        self.now_s += after_s
        for _ in range(1 + int(for_s / 0.5)):
            self._entrance.step(self.rendezvous, self.rendezvous.look(), is_served=is_served)
            self.now_s += 0.5
        return self.rendezvous.look().participants

    def connect(self, about: Mapping[str, str]) -> None:
        self.tried(about["name"])
        raise TimeoutError


@pytest.fixture
def coming(store: StoreServer, monkeypatch: pytest.MonkeyPatch) -> Coming:
    coming = Coming(_known(store, "127.0.0.1_9_0", port=1, on="its own"))
    monkeypatch.setattr(joining, "monotonic", lambda: coming.now_s)
    monkeypatch.setattr(joining, "_connect", coming.connect)
    return coming


def test_time_in_which_a_newcomer_could_not_look_proves_no_death(
    store: StoreServer, coming: Coming
) -> None:
    member = _unreached(store, on="another")
    member.tell(alive(member.name), "before the store was away")
    assert coming.look(for_s=5.0) == (member.name,)
    assert coming.look(after_s=2 * STALE_S) == (member.name,), (
        "it had no way either to say that it lives"
    )
    assert coming.look(for_s=STALE_S - 10.0) == (member.name,)
    assert coming.look(for_s=10.0 + LOOK_S) != (member.name,)


def test_who_gives_a_sign_of_life_while_the_others_are_tried_is_not_taken_for_dead(
    store: StoreServer, coming: Coming
) -> None:
    other, beats = "127.0.0.1_2_0", count()
    member = _unreached(store, other, on="another")

    def tried(name: str) -> None:
        if name == other:
            member.tell(alive(member.name), beat := f"{next(beats)}")
            assert member.ask(alive(member.name)) == beat, "the store has taken it"

    coming.tried = tried
    assert coming.look(for_s=3 * STALE_S) == (member.name, other) and next(beats)


def test_a_newcomer_to_whom_living_members_have_long_sent_nothing_gives_up_and_says_what_to_do(
    store: StoreServer, coming: Coming
) -> None:
    member, beats = _unreached(store, on="another"), count()
    coming.tried = lambda _: member.tell(alive(member.name), f"{next(beats)}")
    assert coming.look(for_s=2 * UNSERVED_S, is_served=True) == (member.name,)
    assert coming.look(for_s=UNSERVED_S - 1.0) == (member.name,)
    with pytest.raises(
        InvalidInput,
        match=rf"got nothing for 1 min 30 s; let .* TCP port .*: member {member.name} cannot",
    ):
        coming.look(for_s=2.0)


def test_a_newcomer_that_has_long_waited_leaves_members_time_to_defend_a_round_that_was_emptied(
    store: StoreServer, coming: Coming
) -> None:
    member = _unreached(store, on="another")
    coming.look(for_s=10.0)
    seen = member.look()
    assert member.publish(seen, (), number=seen.round)
    assert coming.look(for_s=DEFENCE_S - 0.5) == () and not coming.founded
    assert member.publish(member.look(), (member.name,), number=6), "it lives"
    assert coming.look(for_s=5.0) == (member.name,) and not coming.founded
    assert member.publish(member.look(), (), number=6)
    assert coming.look(for_s=DEFENCE_S + 1.0) == (coming.rendezvous.name,) and coming.founded == [7]


def test_who_is_refused_on_the_same_machine_is_dead_and_what_it_had_done_is_said(
    store: StoreServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(joining, "STALE_S", 1000 * STALE_S)
    _unreached(store, on=machine()).tell(DONE, "204")
    assert _session(store) == (6, 1)
    told = (
        "no member that had done 204 steps is alive; this process continues from step 0, as round 6"
    )
    assert capsys.readouterr().err.count(told) == 1


def test_where_nothing_tells_machines_apart_a_session_goes_on_and_a_refusal_proves_nothing(
    store: StoreServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Path.read_text

    def unreadable(path: Path, *args: Any, **kwargs: Any) -> str:
        if path.name == "boot_id":
            raise PermissionError(path)
        return read(path, *args, **kwargs)

    monkeypatch.setattr(Path, "read_text", unreadable)
    machine.cache_clear()
    try:
        others = machine()
        assert _session(store) == (1, 1)
        machine.cache_clear()
        assert machine() == machine() != others, "each process has its own word"
    finally:
        machine.cache_clear()


def test_a_member_that_answers_spares_a_newcomer_the_others_signs_of_life(
    store: StoreServer, coming: Coming, monkeypatch: pytest.MonkeyPatch
) -> None:
    _unreached(store, "127.0.0.1_2_0", on="another")
    asked, ask = list[str](), StoreRendezvous.ask

    def noted(self: StoreRendezvous, key: str) -> str | None:
        asked.append(key)
        return ask(self, key)

    monkeypatch.setattr(StoreRendezvous, "ask", noted)
    monkeypatch.setattr(joining, "_connect", lambda about: None)
    coming.look(for_s=5.0)
    assert asked and not [key for key in asked if key.startswith("alive/")]


def test_one_that_cannot_be_reached_is_waited_for_while_it_lives_and_that_is_told(
    store: StoreServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(joining, "STALE_S", SOON_STALE_S)
    monkeypatch.setattr(waiting, "SELDOM_S", 0.5)
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
    store: StoreServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elastic.workloads.session.membership.membership.SELDOM_S", 0.2)
    task, beats, turns = Task(dtype=torch.float64, width=4), set[str | None](), count()
    settings = session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    with Session.join(
        task.units(), task.apply, batch=BATCH, settings=settings, numbers=1
    ) as session:
        other = StoreRendezvous(
            settings.store, "job", "127.0.0.1", credential=credential(), name="127.0.0.1_1_0"
        )
        (name,) = session.round.members

        def has_beaten() -> bool:
            session.run(task.compute)
            beats.add(other.ask(alive(name)))
            return len(beats - {None}) > 2

        wait_until(has_beaten, "signs of life")
        step, seen = session.step, other.look()
        assert other.publish(seen, (), number=seen.round)
        while session.round.number == seen.round:
            session.run(task.compute)
            assert next(turns) < 100_000
        assert session.round.members == (name,) and session.step > step


def test_a_sign_of_life_that_the_store_did_not_take_is_given_again_at_once(
    store: StoreServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elastic.workloads.session.membership.membership.SELDOM_S", 30.0)
    tell, lost = StoreRendezvous.tell, list[str]()

    def told(self: StoreRendezvous, key: str, value: str) -> None:
        if key.startswith("alive/") and not lost:
            lost.append(key)
            raise StoreLost
        tell(self, key, value)

    monkeypatch.setattr(StoreRendezvous, "tell", told)
    task = Task(dtype=torch.float64, width=4)
    settings = session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    with Session.join(
        task.units(), task.apply, batch=BATCH, settings=settings, numbers=1
    ) as session:
        other = StoreRendezvous(
            settings.store, "job", "127.0.0.1", credential=credential(), name="127.0.0.1_1_0"
        )
        (name,) = session.round.members
        wait_until(lambda: other.ask(alive(name)) is not None, "a sign of life", timeout_s=20)
        assert lost
