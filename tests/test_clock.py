"""The daemon's clock while the machine's own is set, by NTP or by hand."""

from __future__ import annotations

from elastic.clock import ManualClock, SteadyClock


class Machine:
    """One whose clock is off by `skew_s`, and the steady one on it."""

    def __init__(self) -> None:
        self.elapsed = ManualClock(0.0)
        self.skew_s = 0.0
        self.steady = SteadyClock(now_s=self.wall_s, elapsed_s=self.elapsed.now_s)

    def wall_s(self) -> float:
        return 1000.0 + self.elapsed.now_s() + self.skew_s

    def after(self, duration_s: float) -> float:
        """What the steady clock says so much later."""
        self.elapsed.advance(duration_s)
        return self.steady.now_s()


def test_it_is_the_machines_clock_as_long_as_nobody_sets_that() -> None:
    machine = Machine()
    assert [machine.after(each) for each in (0.0, 0.1, 3600.0)] == [1000.0, 1000.1, 4600.1]


def test_set_forward_it_follows_at_once() -> None:
    machine = Machine()
    machine.skew_s = 1300.0
    assert machine.after(1.0) == 2301.0


def test_set_back_it_goes_at_half_speed_until_it_is_caught_up_with() -> None:
    machine = Machine()
    machine.after(100.0)
    machine.skew_s = -60.0
    assert [machine.after(each) for each in (0.0, 1.0, 59.0, 59.0)] == [
        1100.0,
        1100.5,
        1130.0,
        1159.5,
    ]
    assert machine.after(1.0) == machine.wall_s() == 1160.0
    assert machine.after(7.0) == machine.wall_s() == 1167.0


def test_how_often_it_is_asked_makes_no_difference() -> None:
    machines = Machine(), Machine()
    for each in machines:
        each.skew_s = -600.0
    assert [machines[0].after(1.0) for _ in range(300)][-1] == machines[1].after(300.0) == 1150.0
