"""A round is on record before it is published, or nobody waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from elastic.agent.round_registry import RoundRegistry, open_round_registry
from elastic.model import RoundRegistration
from elastic.rendezvous import StoreLost
from elastic.workloads.session.membership import OnRound
from elastic.workloads.session.membership.recording import RoundRegistrar, recorder

LONG_S = 30.0


def heart(answers: bool) -> RoundRegistry:
    """A registry whose every word is sent at once, and answered or not."""

    def beat() -> None:
        report = registry.news()
        threading.Thread(
            target=lambda: registry.is_stored(*report) if answers else registry.is_unanswered()
        ).start()

    registry = RoundRegistry(wake=beat)
    return registry


def registrar_at(
    folder: Path,
    registry: RoundRegistry,
    ask: Callable[[OnRound], None],
    *,
    present: tuple[str, ...] = (),
) -> None:
    """Asks as a worker does, through the agent's socket."""
    counter = open_round_registry(folder / "rounds.socket", registry)
    counter.start()
    try:
        environment = {"ELASTICD_ROUNDS": str(folder / "rounds.socket")}
        registrar = recorder(None, present=lambda: present, environment=environment)
        assert registrar is not None
        ask(registrar)
    finally:
        counter.stop()


def test_a_registration_waits_until_the_daemon_has_stored_it() -> None:
    registry = heart(answers=True)
    assert registry.register(RoundRegistration(4, 2), timeout_s=LONG_S)
    assert registry.news() == (None, None)


def test_a_daemon_that_is_not_there_keeps_nobody_waiting() -> None:
    assert not heart(answers=False).register(RoundRegistration(4, 2), timeout_s=LONG_S)


def test_a_daemon_that_hangs_is_waited_for_no_longer_than_said() -> None:
    registry = RoundRegistry(wake=lambda: None)
    assert not registry.register(RoundRegistration(4, 2), timeout_s=0.0)
    assert registry.news()[1] is None, "what was given up is not told later as if it were to come"


def test_the_newest_registration_stands_for_those_before_it() -> None:
    woken = threading.Semaphore(0)
    registry = RoundRegistry(wake=woken.release)
    answers: list[bool] = []

    def register(number: int) -> None:
        answers.append(registry.register(RoundRegistration(number, 2), timeout_s=LONG_S))

    waiting = [threading.Thread(target=register, args=(number,)) for number in (4, 5)]
    for each in waiting:
        each.start()
        woken.acquire()
    report = registry.news()
    assert report[1] == RoundRegistration(5, 2)
    registry.is_stored(*report)
    for each in waiting:
        each.join()
    assert answers == [True, True]


def test_a_round_is_told_until_it_is_answered_and_only_when_it_is_news() -> None:
    woken: list[int] = []
    registry = RoundRegistry(wake=lambda: woken.append(1))
    registry.saw(3)
    registry.saw(3)
    registry.saw(2)
    assert len(woken) == 1
    report = registry.news()
    assert report[0] == registry.news()[0] == 3
    registry.is_stored(*report)
    assert registry.news()[0] is None


def test_a_worker_publishes_what_is_recorded(tmp_path: Path) -> None:
    registrar_at(
        tmp_path, heart(answers=True), lambda registrar: registrar(4, ("a", "b")), present=("a",)
    )


def test_newcomers_are_put_off_while_the_daemon_is_silent_and_the_rest_is_not(
    tmp_path: Path,
) -> None:
    def ask(registrar: OnRound) -> None:
        put_off = 0
        for members in (("a", "b", "c"), ("a", "c"), ("a",), ("a", "b")):
            try:
                registrar(4, members)
            except StoreLost:
                put_off += 1
        assert put_off == 1

    registrar_at(tmp_path, heart(answers=False), ask, present=("a", "b"))


def test_nobody_is_put_off_where_nothing_goes_on(tmp_path: Path) -> None:
    registrar_at(tmp_path, heart(answers=False), lambda registrar: registrar(4, ("a", "b")))


def test_an_agent_that_is_gone_keeps_nobody_waiting(tmp_path: Path) -> None:
    registrar = RoundRegistrar(str(tmp_path / "none"), present=lambda: ("a", "b"))
    registrar(4, ("a",))


def test_a_script_without_an_agent_registers_nothing() -> None:
    assert recorder(None, present=lambda: (), environment={}) is None
