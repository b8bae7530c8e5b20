"""A change that all have agreed on, and a member that loses the very sum by which they did."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic

import torch
from torch import Tensor

from elastic.workloads.session import Session, SessionStep
from elastic.workloads.session.rounds import RoundLost
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import assert_near, undisturbed
from tests.workloads.session.stores import serve_store, session_settings

TIMEOUT_S = 60.0
WIDTH = 4
STAYING, LOSING, LEAVING = (0, 1), 2, 3
FURTHER = 4
# Ranks follow the names, which begin with the addresses; the last member brings newcomers up to
# date.
SOURCE, COMING = 1, 0
ADDRESSES = {COMING: "127.0.0.1", LOSING: "127.0.0.2", SOURCE: "127.0.0.3"}


@dataclass(slots=True)
class Watch:
    """What all members have begun to compute, and at which turn one of them loses the sum that
    `following` have."""

    following: tuple[int, ...]
    changed: threading.Condition = field(default_factory=threading.Condition)
    begun: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    newest: dict[int, tuple[int, int]] = field(default_factory=dict)
    sessions: dict[int, Session] = field(default_factory=dict)
    is_due: bool = False
    lost_at: int | None = None
    until_s: float = field(default_factory=lambda: monotonic() + TIMEOUT_S)

    def is_over(self, step: int) -> bool:
        return monotonic() > self.until_s or (
            self.lost_at is not None and step >= self.lost_at + FURTHER
        )

    def begins(self, member: int, turn: SessionStep) -> None:
        with self.changed:
            about = (turn.round.number, turn.world_size)
            self.begun[member, turn.step] = self.newest[member] = about
            self.changed.notify_all()

    def wait_for_all(self, count: int) -> None:
        """Returns when each of so many members trains in one round with all others; then the
        sum may be lost."""
        with self.changed:
            found = self.newest.values()
            assert self.changed.wait_for(
                lambda: [size for _, size in found] == [count] * count, TIMEOUT_S
            )
            self.is_due = True

    def loses(self, step: int) -> bool:
        """Whether the others have changed over by the sum of this step, and the one that asks is to
        have lost it.

        They have begun their next turn by then: of their own sums nothing is under way that could
        be lost with it.
        """
        with self.changed:
            if not self.is_due or self.lost_at is not None:
                return False
            following = [(each, step + 1) for each in self.following]
            assert self.changed.wait_for(
                lambda: all(each in self.begun for each in following), TIMEOUT_S
            )
            if self.begun[following[0]] == self.begun[LOSING, step]:
                return False
            self.lost_at = step
            return True


def test_a_change_is_agreed_on_by_a_sum_that_one_loses_and_nobody_s_next_gradients_suffer() -> None:
    """The last step's sums are handed on to it: to all, and so to one as well that has gradients of
    its own to tell."""
    store, watch = serve_store(), Watch(STAYING)
    with ThreadPoolExecutor(4) as pool:
        running = [
            pool.submit(_member, each, store.port, watch) for each in (*STAYING, LOSING, LEAVING)
        ]
        watch.wait_for_all(4)
        watch.sessions[LEAVING].leave()
        *found, _ = [each.result(timeout=TIMEOUT_S) for each in running]
    assert watch.lost_at is not None
    agreed = watch.begun[STAYING[0], watch.lost_at + 1]
    assert agreed[1] == 3
    assert [number for number, _ in found] == [agreed[0]] * 3, (
        "it came in again, and needed no further round"
    )
    wanted = undisturbed(watch.lost_at + FURTHER, width=WIDTH)
    for _, weights in found:
        assert_near(weights, wanted, tolerance=1e-12)


def test_a_newcomer_that_is_first_of_all_does_not_hand_on_sums_that_it_never_had() -> None:
    """It joins by a sum that one member loses, and was itself moved by what it was sent."""
    store, watch = serve_store(), Watch((SOURCE,))
    with ThreadPoolExecutor(3) as pool:
        running = [
            pool.submit(_member, each, store.port, watch, host=ADDRESSES[each])
            for each in (SOURCE, LOSING)
        ]
        watch.wait_for_all(2)
        running.append(pool.submit(_member, COMING, store.port, watch, host=ADDRESSES[COMING]))
        found = [each.result(timeout=TIMEOUT_S) for each in running]
    assert watch.lost_at is not None
    agreed = watch.begun[SOURCE, watch.lost_at + 1]
    assert agreed[1] == 3
    assert watch.sessions[COMING].round.rank == 0
    assert [number for number, _ in found] == [agreed[0]] * 3, (
        "it came in again, and needed no further round"
    )
    wanted = undisturbed(watch.lost_at + FURTHER, width=WIDTH)
    for _, weights in found:
        assert_near(weights, wanted, tolerance=1e-12)


def _member(
    index: int, port: int, watch: Watch, *, host: str = "127.0.0.1"
) -> tuple[int, list[Tensor]]:
    """Trains until a few turns after the loss, or until it has left; gives its last round and
    its weights."""
    task = Task(dtype=torch.float64, width=WIDTH)

    def compute(turn: SessionStep) -> Sequence[Tensor]:
        watch.begins(index, turn)
        return task.compute(turn)

    def apply(gradients: Sequence[Tensor | None], step: int) -> None:
        if index == LOSING and watch.loses(step):
            # The last instant at which it can happen: its own part of the sum is with the others.
            raise RoundLost("its connections have ended")
        task.apply(gradients, step)

    settings = session_settings(f"127.0.0.1:{port}", "job", host=host, silence_s=5.0)
    with Session.join(task.units(), apply, batch=BATCH, settings=settings, numbers=1) as session:
        watch.sessions[index] = session
        while session.is_member and not watch.is_over(session.step):
            session.run(compute)
        return session.round.number, [parameter.detach() for parameter in task.parameters]
