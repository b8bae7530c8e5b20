"""What failed is done again: how often, after which pauses, and until when."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from elastic.clock import ManualClock
from elastic.errors import ProviderUnavailable, StorageForbidden, StorageUnavailable
from elastic.retrying import retried


class Failing:
    """Fails so many times, each of which takes `takes_s`, and notes when it was tried."""

    def __init__(self, clock: ManualClock, failures: int, *, takes_s: float = 0.0) -> None:
        self.clock = clock
        self.failures = failures
        self.takes_s = takes_s
        self.tried_at_s: list[float] = []

    def __call__(self) -> str:
        self.tried_at_s.append(self.clock.now_s())
        self.clock.advance(self.takes_s)
        if len(self.tried_at_s) <= self.failures:
            raise StorageUnavailable(f"try {len(self.tried_at_s)}")
        return f"try {len(self.tried_at_s)}"

    @property
    def pauses_s(self) -> list[float]:
        return [
            after - before
            for before, after in zip(self.tried_at_s, self.tried_at_s[1:], strict=False)
        ]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(0.0)


def until(clock: ManualClock, end_s: float) -> Callable[[], float]:
    return lambda: end_s - clock.now_s()


def test_pauses_double_up_to_the_longest_and_half_of_each_is_left_to_chance(
    clock: ManualClock,
) -> None:
    act = Failing(clock, 7)
    assert (
        retried(act, on=StorageUnavailable, first_s=1.0, longest_s=10.0, sleep=clock.sleep)
        == "try 8"
    )
    for found, longest_s in zip(act.pauses_s, (1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0), strict=True):
        assert longest_s / 2 <= found <= longest_s
    again = Failing(clock, 7)
    retried(again, on=StorageUnavailable, first_s=1.0, longest_s=10.0, sleep=clock.sleep)
    assert act.pauses_s != again.pauses_s


def test_without_a_longest_pause_all_are_alike(clock: ManualClock) -> None:
    act = Failing(clock, 20)
    retried(act, on=StorageUnavailable, first_s=2.0, sleep=clock.sleep)
    assert all(1.0 <= each <= 2.0 for each in act.pauses_s)


def test_the_last_of_the_attempts_tells_why(clock: ManualClock) -> None:
    act = Failing(clock, 9)
    with pytest.raises(StorageUnavailable, match="try 3"):
        retried(act, on=StorageUnavailable, first_s=0.0, attempts=3, sleep=clock.sleep)
    assert act.tried_at_s == [0.0, 0.0, 0.0]


def test_no_try_begins_after_the_bound_and_no_pause_is_longer_than_what_is_left(
    clock: ManualClock,
) -> None:
    act = Failing(clock, 99)
    with pytest.raises(StorageUnavailable):
        retried(
            act,
            on=StorageUnavailable,
            first_s=8.0,
            longest_s=60.0,
            left_s=until(clock, 30.0),
            sleep=clock.sleep,
        )
    assert act.tried_at_s[-1] == pytest.approx(30.0), (
        "the last pause ends at the bound, and one try follows"
    )
    assert all(each <= 30.0 for each in act.tried_at_s)


def test_a_try_that_ends_after_the_bound_is_the_last(clock: ManualClock) -> None:
    act = Failing(clock, 99, takes_s=40.0)
    with pytest.raises(StorageUnavailable):
        retried(
            act, on=StorageUnavailable, first_s=1.0, left_s=until(clock, 30.0), sleep=clock.sleep
        )
    assert act.tried_at_s == [0.0]


def test_a_kind_of_the_error_that_never_passes_is_not_tried_again(clock: ManualClock) -> None:
    def act() -> None:
        clock.advance(1.0)
        raise StorageForbidden("no")

    with pytest.raises(StorageForbidden):
        retried(act, on=StorageUnavailable, unless=StorageForbidden, first_s=1.0, sleep=clock.sleep)
    assert clock.now_s() == 1.0


def test_another_error_is_not_tried_again(clock: ManualClock) -> None:
    def act() -> None:
        clock.advance(1.0)
        raise ProviderUnavailable("no")

    with pytest.raises(ProviderUnavailable):
        retried(act, on=StorageUnavailable, first_s=1.0, sleep=clock.sleep)
    assert clock.now_s() == 1.0
