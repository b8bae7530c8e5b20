"""A network that falls apart: one side goes on, the other stops and comes back."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.workloads.session.hosts import Host, running_hosts
from tests.workloads.session.running import (
    Process,
    assert_near,
    program,
    running_fleet,
    undisturbed,
    wait_until,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root"),
]

GOES_ON_S = 5.0


@pytest.mark.parametrize(
    "cut", [1, 0], ids=["a member is cut off", "the store's host is cut off, with a member"]
)
def test_the_side_with_the_store_goes_on_and_the_other_stops(tmp_path: Path, cut: int) -> None:
    with running_hosts(3) as hosts, running_fleet(tmp_path, host=hosts[0]) as fleet:
        members = [fleet.start(host=host)[0] for host in hosts]
        fleet.await_world(members)
        away = [members[1]] if cut else members[1:]
        here = [member for member in members if member not in away]
        hosts[cut].cut()
        cut_s = time.time()
        fleet.await_world(here)
        resumed_s = (
            min(event["at_s"] for event in here[0].steps() if event["world_size"] == len(here))
            - cut_s
        )
        assert resumed_s < GOES_ON_S, f"went on after {resumed_s:.1f} s"
        steps = [member.last["step"] for member in away]
        fleet.await_step(here, here[0].last["step"] + 100)
        assert [member.last["step"] for member in away] == steps, (
            "a side without the store must not train"
        )
        hosts[cut].mend()
        fleet.await_world(members)
        goal = fleet.await_end(members)
        fleet.assert_identical()
        for member in members:
            assert_near(member.weights(), undisturbed(goal), tolerance=1e-12)


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, signal.SIGTERM], ids=["a member dies", "a member leaves"]
)
def test_a_member_that_has_lost_the_store_alone_keeps_no_change_of_membership_up(
    tmp_path: Path, number: signal.Signals
) -> None:
    """Its links with the others work, and it trains with them until a round is published that it
    does not see."""
    with running_hosts(4) as hosts, running_fleet(tmp_path, host=hosts[0]) as fleet:
        here, blind, going = members = [fleet.start(host=host)[0] for host in hosts[1:]]
        fleet.await_world(members)
        _part(hosts[0], hosts[2])
        fleet.await_step(members, here.last["step"] + 50)
        going.kill(number)
        went_s = time.time()
        fleet.await_world([here])
        resumed_s = (
            min(
                event["at_s"]
                for event in here.steps()
                if event["world_size"] == 1 < event["generation"]
            )
            - went_s
        )
        assert resumed_s < GOES_ON_S, f"went on after {resumed_s:.1f} s"
        fleet.assert_nothing_lost([here, going])
        step = blind.last["step"]
        fleet.await_step([here], here.last["step"] + 100)
        assert blind.last["step"] == step, "who is left out must not train"
        _part(hosts[0], hosts[2], is_over=True)
        fleet.await_world([here, blind])
        goal = fleet.await_end([here, blind])
        fleet.assert_identical()
        for member in (here, blind):
            assert_near(member.weights(), undisturbed(goal), tolerance=1e-12)


def test_a_newcomer_is_let_in_though_the_member_next_to_bring_it_up_to_date_has_lost_the_store(
    tmp_path: Path,
) -> None:
    with running_hosts(4) as hosts, running_fleet(tmp_path, host=hosts[0]) as fleet:
        members = [fleet.start(host=host)[0] for host in hosts[1:]]
        fleet.await_world(members)
        _part(hosts[0], hosts[3])
        (newcomer,) = fleet.start(host=hosts[1])
        fleet.await_world([*members[:2], newcomer])
        fleet.assert_nothing_lost(members)


def _part(one: Host, other: Host, *, is_over: bool = False) -> None:
    """Has two hosts reach each other no more, or again."""
    for each, peer in ((one, other), (other, one)):
        each.find(peer) if is_over else each.lose(peer)


def test_a_lone_member_goes_on_without_the_store(tmp_path: Path) -> None:
    with running_hosts(2) as hosts, running_fleet(tmp_path, host=hosts[0]) as fleet:
        (alone,) = fleet.start(host=hosts[1])
        fleet.await_world([alone])
        hosts[0].cut()
        fleet.await_step([alone], alone.last["step"] + 50)
        hosts[0].mend()
        (second,) = fleet.start(host=hosts[0])
        fleet.await_world([alone, second])
        wait_until(lambda: alone.last["digest"] is not None, "a digest")
        fleet.assert_identical()


def test_members_on_two_hosts_that_are_told_no_address_find_each_other(tmp_path: Path) -> None:
    def launch(command: Sequence[str], environment: Mapping[str, str], errors: Path) -> Process:
        told = {
            name: value for name, value in environment.items() if name != "ELASTICD_SESSION_HOST"
        }
        return program(command, told, errors)

    with running_hosts(2) as hosts, running_fleet(tmp_path, host=hosts[0], launch=launch) as fleet:
        members = []
        for host in hosts:
            members += fleet.start(host=host)
            fleet.await_world(members)
        fleet.await_end(members)
        fleet.assert_identical()
