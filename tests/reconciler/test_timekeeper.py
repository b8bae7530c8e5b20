"""The time is in doubt: nothing is decided until it is certain, and a restart does not move it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from elastic.clock import ManualClock, SteadyClock, seconds_since_boot
from elastic.policy import decide
from elastic.providers import Operation
from elastic.reconciler import Timekeeper, continued_s
from tests.reconciler.virtual import VirtualCluster

HOUR_S = 3600.0


class Machine:
    """A clock that is set, and what the daemon makes of it."""

    def __init__(self, path: Path, source: str | None) -> None:
        self.elapsed = ManualClock(0.0)
        self.skew_s = 0.0
        clock = SteadyClock(
            now_s=lambda: 1e9 + self.elapsed.now_s() + self.skew_s, elapsed_s=self.elapsed.now_s
        )
        self.keeper = Timekeeper(clock, path, source)

    def told(self, off_s: float = 0.0) -> None:
        self.keeper.clock.told(1e9 + self.elapsed.now_s() + off_s)


Make = Callable[[str | None], Machine]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return lambda source: Machine(tmp_path / "clock.json", source)


def test_before_ec2_has_said_what_time_it_is_nothing_is_decided(make: Make) -> None:
    machine = make("EC2")
    assert "not said yet" in (machine.keeper.why_hold() or "")
    machine.told()
    assert machine.keeper.why_hold() is None
    assert machine.keeper.alarm() is None


def test_who_knows_the_time_of_before_a_restart_need_not_wait(make: Make) -> None:
    machine = make("EC2")
    machine.keeper.clock.has_continued = True
    assert machine.keeper.why_hold() is None


def test_while_ec2_says_that_it_is_another_time_nothing_is_decided(make: Make) -> None:
    machine = make("EC2")
    machine.told()
    machine.told(off_s=2 * HOUR_S)
    assert machine.keeper.why_hold() == "the clock of EC2 says that elasticd's is 2 h behind"
    assert "nothing is bought, ended or decided" in (machine.keeper.alarm() or "")
    machine.told()
    assert machine.keeper.why_hold() is None


def test_a_machine_whose_clock_is_wrong_is_an_alarm_and_holds_nothing(make: Make) -> None:
    machine = make("EC2")
    machine.told()
    machine.skew_s = -24 * HOUR_S
    assert machine.keeper.why_hold() is None
    assert "this machine's clock is 1 d behind" in (machine.keeper.alarm() or "")


def test_without_a_provider_that_tells_the_machine_is_followed_when_no_node_runs(
    make: Make,
) -> None:
    machine = make(None)
    machine.skew_s = HOUR_S
    machine.keeper.look(has_nodes=lambda: True)
    assert machine.keeper.clock.now_s() == 1e9
    assert "was set while nodes run" in (machine.keeper.alarm() or "")
    machine.keeper.look(has_nodes=lambda: False)
    assert machine.keeper.clock.now_s() == 1e9 + HOUR_S
    assert machine.keeper.alarm() is None


def test_the_time_goes_on_over_a_restart(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "clock.json"
    assert continued_s(path) is None
    make(None).keeper.look(has_nodes=lambda: True)
    assert continued_s(path) == pytest.approx(1e9, abs=60.0), "whatever the machine's clock says"


@pytest.mark.parametrize(
    "written",
    [
        "",
        "{}",
        '"a text"',
        json.dumps({"boot_id": "another", "since_boot_s": 1.0, "now_s": 1e9}),
        json.dumps({"boot_id": None, "since_boot_s": 1.0, "now_s": 1e9}),
    ],
)
def test_a_time_of_another_boot_or_that_cannot_be_read_is_none(
    tmp_path: Path, written: str
) -> None:
    path = tmp_path / "clock.json"
    path.write_text(written)
    assert continued_s(path) is None
    assert seconds_since_boot() > 0


def test_the_loop_buys_ends_and_decides_nothing_while_the_time_is_in_doubt(
    tmp_path: Path, make: Make
) -> None:
    cluster = VirtualCluster(tmp_path, decide)
    machine = make("EC2")
    cluster.reconciler.timekeeper = machine.keeper
    cluster.reconciler.alarms.clocks = machine.keeper.alarm
    job = cluster.submit()
    cluster.run(5)
    assert {call.operation for call in cluster.cloud.calls} == {Operation.INSTANCES}, (
        "its answers tell the time"
    )
    assert cluster.store.decisions.listed(job_id=job.id) == ()
    assert cluster.reconciler.alarms.current(now_s=cluster.clock.now_s())[0].kind == "clock"
    machine.told()
    cluster.run(5)
    assert cluster.store.nodes.listed(job.id)
