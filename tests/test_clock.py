"""The daemon's clock while the machine's own is set, and as a provider tells the time."""

from __future__ import annotations

import pytest

from elastic.clock import INSISTS_S, ManualClock, SteadyClock

DAY_S = 86_400.0
STEPS_S = [600.0, 7200.0, DAY_S, -600.0, -7200.0, -DAY_S]


class Machine:
    """One whose clock is off by `skew_s`, and the steady one on it. It began at 1000 s."""

    def __init__(self, skew_s: float = 0.0) -> None:
        self.elapsed = ManualClock(0.0)
        self.skew_s = skew_s
        self.steady = SteadyClock(now_s=self.wall_s, elapsed_s=self.elapsed.now_s)

    def true_s(self) -> float:
        return 1000.0 + self.elapsed.now_s()

    def wall_s(self) -> float:
        return self.true_s() + self.skew_s

    def after(self, duration_s: float) -> float:
        """What the steady clock says so much later."""
        self.elapsed.advance(duration_s)
        return self.steady.now_s()

    def told(self, duration_s: float, *, off_s: float = 0.0) -> None:
        """A provider says every 5 s what time it is, for so long; it is off by `off_s`."""
        for _ in range(int(duration_s / 5)):
            self.elapsed.advance(5.0)
            self.steady.told(float(int(self.true_s() + off_s)))


def test_it_is_the_machines_clock_as_long_as_nobody_sets_that() -> None:
    machine = Machine()
    assert [machine.after(each) for each in (0.0, 0.1, 3600.0)] == [1000.0, 1000.1, 4600.1]
    assert machine.steady.machine_ahead_s == 0.0


@pytest.mark.parametrize("step_s", STEPS_S)
def test_it_goes_on_evenly_when_the_machines_clock_is_set(step_s: float) -> None:
    machine = Machine()
    machine.after(100.0)
    machine.skew_s = step_s
    assert [machine.after(each) for each in (0.0, 1.0, DAY_S)] == [1100.0, 1101.0, 1101.0 + DAY_S]
    assert machine.steady.machine_ahead_s == step_s


@pytest.mark.parametrize("skew_s", STEPS_S)
def test_the_first_that_a_provider_tells_counts_at_once(skew_s: float) -> None:
    machine = Machine(skew_s)
    machine.told(5.0)
    assert machine.steady.is_confirmed
    assert machine.after(0.0) == pytest.approx(machine.true_s(), abs=1.0)
    assert machine.steady.machine_ahead_s == pytest.approx(skew_s, abs=1.0)


@pytest.mark.parametrize("off_s", STEPS_S)
def test_a_first_wrong_answer_moves_no_clock_that_went_on_from_an_earlier_one(off_s: float) -> None:
    machine = Machine()
    machine.steady = SteadyClock(
        now_s=machine.wall_s, elapsed_s=machine.elapsed.now_s, began_s=machine.true_s()
    )
    machine.told(5.0, off_s=off_s)
    assert machine.steady.now_s() == machine.true_s()
    assert machine.steady.disputed_s == pytest.approx(off_s, abs=1.0)
    machine.told(5.0)
    assert machine.steady.disputed_s == 0.0


@pytest.mark.parametrize("off_s", STEPS_S)
def test_a_single_wrong_answer_moves_nothing(off_s: float) -> None:
    machine = Machine()
    machine.told(60.0)
    before_s = machine.steady.now_s()
    machine.told(5.0, off_s=off_s)
    assert machine.after(0.0) == before_s + 5.0
    assert machine.steady.disputed_s == pytest.approx(off_s, abs=1.0)
    machine.told(5.0)
    assert machine.steady.disputed_s == 0.0
    assert machine.after(0.0) == before_s + 10.0


def test_a_provider_that_insists_is_right_after_half_a_minute() -> None:
    machine = Machine()
    machine.told(60.0)
    machine.told(INSISTS_S, off_s=7200.0)
    assert machine.steady.disputed_s > 0
    machine.told(5.0, off_s=7200.0)
    assert machine.steady.disputed_s == 0.0
    assert machine.after(0.0) == pytest.approx(machine.true_s() + 7200.0, abs=1.0)


def test_a_difference_that_a_slow_answer_explains_is_none() -> None:
    machine = Machine()
    machine.told(60.0)
    machine.told(60.0, off_s=-4.0)
    assert machine.after(0.0) == machine.true_s()


def test_told_that_it_is_ahead_it_goes_at_half_speed_until_it_is_caught_up_with() -> None:
    machine = Machine()
    machine.told(60.0)
    machine.told(INSISTS_S + 5.0, off_s=-600.0)
    shown = [machine.after(100.0) for _ in range(13)]
    assert shown == sorted(shown), "it never runs back"
    assert shown[0] - shown[1] == pytest.approx(-50.0, abs=1.0)
    assert shown[-1] == pytest.approx(machine.true_s() - 600.0, abs=1.0)


def test_it_follows_the_machine_where_it_is_told_to() -> None:
    machine = Machine()
    machine.skew_s = 1300.0
    machine.steady.follow()
    assert machine.after(1.0) == 2301.0
    machine.skew_s = 1240.0
    machine.steady.follow()
    assert [machine.after(each) for each in (1.0, 59.0, 60.0, 7.0)] == [
        2301.5,
        2331.0,
        2361.0,
        2368.0,
    ]
    assert machine.steady.now_s() == machine.wall_s()


def test_how_often_it_is_asked_makes_no_difference() -> None:
    machines = Machine(), Machine()
    for each in machines:
        each.skew_s = -600.0
        each.steady.follow()
    assert [machines[0].after(1.0) for _ in range(300)][-1] == machines[1].after(300.0) == 1150.0
