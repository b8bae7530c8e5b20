"""The benchmark of decisions: nothing of the future is shown, and nobody beats who knows it."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.decisions.__main__ import main
from benchmarks.decisions.clairvoyant import GroupOption, least_usd
from benchmarks.decisions.clairvoyant import least as known_future
from benchmarks.decisions.data import VARIABLE
from benchmarks.decisions.ours import Ours, Shown
from benchmarks.decisions.playing import against, least, played
from benchmarks.decisions.pools import recorded_elsewhere
from benchmarks.decisions.rivals import RIVALS, Fleet
from benchmarks.decisions.score import cost_rows
from benchmarks.decisions.table import missed
from benchmarks.decisions.track import Outcome
from benchmarks.decisions.world import Policy, Task, TickMarket, TickWorld
from elastic.model import Capacity, Group, NodeType, Offering
from elastic.throughput import NodeTypes

TICK_S = 180.0
OURS_PLAYS = 1
"""How many of the drawn markets the product's decisions play: they take seconds, rivals' none."""
GPU = NodeType("gpu", cpu=8, memory_gib=61, gpu_count=1, gpu_model="gpu")
BOUGHT = Offering("gpu", Capacity.ON_DEMAND, "zone-1")
SPOT = (Offering("gpu", Capacity.SPOT, "zone-1"), Offering("gpu", Capacity.SPOT, "zone-2"))


def drawn_market(seed: int, ticks: int, pools: int = 2) -> TickMarket:
    """Spot pools that come and go, beside on-demand."""
    draw = np.random.default_rng(seed)
    up = np.ones((1 + pools, ticks), dtype=bool)
    for pool in range(pools):
        lengths = draw.integers(1, 12, size=ticks)
        up[1 + pool] = np.repeat(np.arange(ticks) % 2 == seed % 2, lengths)[:ticks]
    usd = np.ones((1 + pools, ticks))
    usd[0] = 3.0
    return TickMarket(TICK_S, (BOUGHT, *SPOT[:pools]), usd, up)


def task_of(work: int, deadline: int, pause: int = 1) -> Task:
    return Task(work, deadline, {(("gpu", 1),): 1}, pause=pause)


def choices_of(market: TickMarket, deadline: int) -> list[GroupOption]:
    return [
        GroupOption(
            market.usd_per_h[place, :deadline] * TICK_S / 3600,
            market.is_up[place, :deadline],
            rate=1,
            pool=place,
            nodes=1,
        )
        for place in range(len(market.offerings))
    ]


def ours_of(market: TickMarket) -> Ours:
    shown = Shown(node_types=(GPU,), per_unit=80, measured=(Group.of(BOUGHT),))
    return Ours(shown)


def policies_of(market: TickMarket, *, with_ours: bool) -> dict[str, Policy]:
    fleet = Fleet([Group.of(each) for each in market.offerings])
    rivals = {name: rival(fleet) for name, rival in RIVALS.items()}
    return {"ours": ours_of(market), **rivals} if with_ours else rivals


@pytest.mark.parametrize("seed", range(2))
def test_decisions_up_to_an_instant_do_not_change_with_what_follows(seed: int) -> None:
    market, turn = drawn_market(seed, 90), 40
    other = drawn_market(seed + 100, 90)
    usd, up = market.usd_per_h.copy(), market.is_up.copy()
    usd[:, turn:], up[:, turn:] = 2 * other.usd_per_h[:, turn:], other.is_up[:, turn:]
    changed = TickMarket(TICK_S, market.offerings, usd, up)
    shown = []
    for each in (market, changed):
        ours, world = ours_of(each), TickWorld(each, task_of(60, 80))
        asked: list[object] = []

        def noting(world: TickWorld, ours: Ours = ours, asked: list[object] = asked) -> object:
            wish = ours(world)
            asked.append((world.tick, ours.snapshot(world), wish))
            return wish

        world.play(noting, until=turn)  # type: ignore[arg-type]  # the wish is handed through
        shown.append(asked)
    assert len(shown[0]) == turn
    assert shown[0] == shown[1]


@pytest.mark.parametrize("seed", range(6))
def test_no_policy_costs_less_than_knowing_the_future(seed: int) -> None:
    market, task = drawn_market(seed, 200), task_of(60, 90, pause=2)
    least = least_usd(choices_of(market, 90), work=60, deadline=90, pause=2)
    for name, policy in policies_of(market, with_ours=seed < OURS_PLAYS).items():
        world = TickWorld(market, task)
        is_in_time = world.play(policy, until=90)
        assert is_in_time or name == "ours"
        assert world.spent.usd >= least - 1e-9 or not is_in_time, name


def brute_force_usd(choices: list[GroupOption], work: int, deadline: int, pause: int) -> float:
    """Every way to hold one choice or nothing in each tick, one after another."""
    least = float("inf")
    for held in product([None, *range(len(choices))], repeat=deadline):
        usd, done, before, dead = 0.0, 0, None, 0
        for tick, place in enumerate(held):
            if place is None:
                before = None
                continue
            if not choices[place].is_up[tick]:
                break
            dead = pause if place != before else dead
            before = place
            if done < work:
                usd += choices[place].usd[tick]
                done += 0 if dead else choices[place].rate
            dead = max(dead - 1, 0)
        else:
            least = min(least, usd) if done >= work else least
    return least


def up_of(draw: np.random.Generator, ticks: int) -> NDArray[np.bool_]:
    return draw.random(ticks) < 0.7


@pytest.mark.parametrize(("seed", "pause"), list(product(range(6), (0, 1, 2))))
def test_knowing_the_future_finds_what_trying_everything_finds(seed: int, pause: int) -> None:
    draw, ticks = np.random.default_rng(seed), 6
    choices = [
        GroupOption(3 + draw.random(ticks), np.ones(ticks, dtype=bool), rate=2, pool=0, nodes=1),
        GroupOption(1 + draw.random(ticks), up_of(draw, ticks), rate=1, pool=1, nodes=1),
        GroupOption(1 + draw.random(ticks), up_of(draw, ticks), rate=1, pool=2, nodes=1),
    ]
    found = least_usd(choices, work=4, deadline=ticks, pause=pause)
    assert found == pytest.approx(brute_force_usd(choices, 4, ticks, pause))


def test_a_pool_that_was_recorded_tells_how_long_it_is_up() -> None:
    states = np.array([1, 1, 0, 1, 1, 1, 1, 0, 0], dtype=bool)
    pool, other = recorded_elsewhere([(states, 300.0), (states, 300.0)])
    assert pool.offering != other.offering
    assert sum(pool.up.seconds) == 6 * 300.0
    assert sum(pool.up.ended) == 2
    assert sum(pool.down.seconds) == 3 * 300.0
    assert sum(pool.down.ended) == 1


def test_a_launch_is_paid_while_it_is_dead_and_a_lost_node_at_once_is_not() -> None:
    up = np.array([[True] * 6, [True, True, True, False, True, True]])
    market = TickMarket(3600.0, (BOUGHT, SPOT[0]), np.array([[3.0] * 6, [1.0] * 6]), up)
    world = TickWorld(market, task_of(3, 20, pause=1))
    world.play(RIVALS["greedy"](Fleet([Group.of(each) for each in market.offerings])), until=20)
    assert (world.tick, world.spent.working_usd, world.spent.dead_usd) == (6, 3.0, 2.0)


def sized_market(seed: int) -> tuple[TickMarket, Task, list[Group]]:
    """Groups of up to three nodes, which boot while what trains goes on."""
    market = drawn_market(seed, 200, pools=1)
    rates: dict[NodeTypes, int] = {
        (("gpu", count),): rate for count, rate in ((1, 4), (2, 7), (3, 9))
    }
    task = Task(200, 60, rates, boot=2, pause=1, nodes_max=3)
    return market, task, [Group.of(each, n) for each in market.offerings for n in (1, 2, 3)]


@pytest.mark.parametrize("seed", range(4))
def test_no_policy_costs_less_than_knowing_the_future_where_nodes_boot(seed: int) -> None:
    market, task, groups = sized_market(seed)
    best = least(market, task, groups)
    for policy in ("ours", *RIVALS) if seed < OURS_PLAYS else RIVALS:
        values = played(market, task, Shown((GPU,), per_unit=8), groups, policy)
        assert values["usd"] >= best.usd - 1e-9 or values["late_s"] > 0, policy


@pytest.mark.parametrize("seed", range(2))
def test_what_the_dollars_went_to_adds_up(seed: int) -> None:
    market, task, groups = sized_market(seed)
    best = least(market, task, groups)
    policy = "ours" if seed < OURS_PLAYS else "greedy"
    values = against(played(market, task, Shown((GPU,), per_unit=8), groups, policy), best)
    more_usd = sum(values[f"{key}_usd"] for key in ("exploring", "switching", "dearer"))
    assert more_usd == pytest.approx(values["usd"] - best.usd)


def test_the_dead_dollars_of_the_least_are_those_of_its_launches() -> None:
    """Three ticks up, one down, three up: two launches of one dead tick each do four ticks of
    work."""
    up = np.array([True, True, True, False, True, True, True])
    best = known_future(
        [GroupOption(np.ones(7), up, rate=1, pool=0, nodes=1)], work=4, deadline=7, pause=1
    )
    assert best.usd == pytest.approx(6.0)
    assert best.dead_usd == pytest.approx(2.0)


def outcome(policy: str, usd: float, *, case: str = "one", late_s: float = 0.0) -> Outcome:
    return Outcome("T1", "24h", case, policy, {"usd": usd, "best_usd": 1.0, "late_s": late_s})


def test_a_goal_is_missed_by_the_mean_or_by_a_late_case() -> None:
    for ours, late_s, is_met in ((1.05, 0.0, True), (1.2, 0.0, False), (1.05, 60.0, False)):
        rows = cost_rows([outcome("ours", ours, late_s=late_s)], goals={"24h": 1.1})
        assert [each.is_met for each in rows] == [is_met]
        assert bool(missed(rows)) is not is_met


def test_a_policy_is_compared_with_the_rival_that_did_best() -> None:
    outcomes = [outcome("ours", 1.2), outcome("greedy", 1.1), outcome("uniform", 1.3)]
    (row, *_) = cost_rows(outcomes)
    assert row.note == "+0.100 [+0.100, +0.100] to greedy"


def test_an_absent_folder_of_data_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    assert main(["--tracks", "T1"]) == 2
    assert f"set {VARIABLE}" in capsys.readouterr().err
