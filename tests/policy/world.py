"""A small world that obeys plans: nodes boot, groups take over, windows come in, dollars go."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from elastic.model import (
    Action,
    Change,
    Group,
    Job,
    JobPhase,
    JobSpec,
    Limits,
    Node,
    NodePhase,
    NodeType,
    Offering,
    Plan,
    Price,
    Sample,
    Series,
    Snapshot,
    Switch,
    Unavailable,
)
from elastic.policy import decide
from tests.builders import NOW_S, node, node_type

_PHASE = "main"


@dataclass(slots=True)
class World:
    """One job, ticked every `tick_s`. `steps_s` is each group's true pace, `prices` what is in
    force at an instant.

    At each of `losses_s` all that runs or boots is lost. `unavailable` is what cannot be bought at
    an instant. A node type is on offer until `withdrawn_at_s`. A script that `saves_nothing` begins
    at 0 on each group; `redone` is what it has lost so.
    """

    spec: JobSpec
    steps_s: Mapping[Group, float]
    prices: Callable[[float], tuple[Price, ...]]
    limits: Limits
    boot_s: float = 3.0
    pause_s: float = 5.0
    tick_s: float = 5.0
    noise: float = 0.0
    now_s: float = NOW_S
    iteration: float = 0.0
    spent_usd: float = 0.0
    target: Group | None = None
    current: Group | None = None
    ready_at_s: float | None = None
    plans: list[Plan] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    switches: list[Switch] = field(default_factory=list)
    samples: dict[Group, list[Sample]] = field(default_factory=dict)
    unavailable: Callable[[float], tuple[Unavailable, ...]] = lambda now_s: ()
    losses_s: list[float] = field(default_factory=list)
    withdrawn_at_s: dict[str, float] = field(default_factory=dict)
    saves_nothing: bool = False
    redone: float = 0.0

    def run(self, ticks: int) -> World:
        for _ in range(ticks):
            if self.is_over:
                break
            self.tick()
        return self

    @property
    def is_over(self) -> bool:
        return (
            self.spec.iterations is not None and self.iteration >= self.spec.iterations
        ) or bool(self.plans and self.plans[-1].action is Action.STOP)

    def tick(self) -> None:
        if any(self.now_s - self.tick_s < lost_s <= self.now_s for lost_s in self.losses_s):
            self.current = self.ready_at_s = None
        plan = decide(self.snapshot())
        self.plans.append(plan)
        if plan.action is Action.STOP:
            self.target = self.current = None
        elif plan.action is not Action.HOLD:
            self.changes.append(Change(self.now_s, self.target, plan.target, plan.reason.code))
            self.target = plan.target
            self.ready_at_s = None
        self._buy()
        self._train()
        self.now_s += self.tick_s
        is_ready = self.ready_at_s is not None and self.now_s >= self.ready_at_s
        if self.target is not None and self.current != self.target and is_ready:
            self.current = self.target
            if self.saves_nothing:
                self.redone, self.iteration = self.redone + self.iteration, 0.0
            self.switches.append(Switch(self.target, self.pause_s, self.boot_s, self.now_s))

    def _buy(self) -> None:
        """What is wanted and neither runs nor boots is bought, unless it cannot be."""
        if self.target is None or self.current == self.target or self.ready_at_s is not None:
            return
        closed = {each.offering for each in self.unavailable(self.now_s)}
        closed |= {each for each, _ in self.target.members if not self._is_sold(each)}
        if not closed & {offering for offering, _ in self.target.members}:
            self.ready_at_s = self.now_s + self.boot_s + self.pause_s

    def snapshot(self) -> Snapshot:
        job = Job(
            "job-1",
            self.spec,
            JobPhase.RUNNING,
            NOW_S,
            iteration=int(self.iteration),
            training_phase=_PHASE,
            redone=int(self.redone),
            restarts_at_zero=self.redone > 0,
            stops_when_asked=not self.saves_nothing,
        )
        return Snapshot(
            now_s=self.now_s,
            job=job,
            target=self.target,
            current=self.current,
            nodes=self._booting(),
            node_types=_TYPES,
            prices=tuple(each for each in self.prices(self.now_s) if self._is_sold(each.offering)),
            withdrawn=tuple(
                each for each in self.prices(self.now_s) if not self._is_sold(each.offering)
            ),
            series=tuple(
                Series(group, _PHASE, tuple(own[-64:])) for group, own in self.samples.items()
            ),
            switches=tuple(self.switches),
            changes=tuple(self.changes),
            spent_usd=self.spent_usd,
            limits=self.limits,
            unavailable=self.unavailable(self.now_s),
        )

    def _is_sold(self, offering: Offering) -> bool:
        return self.now_s < self.withdrawn_at_s.get(offering.node_type, math.inf)

    def _booting(self) -> tuple[Node, ...]:
        if self.target is None or self.target == self.current or self.ready_at_s is None:
            return ()
        bought = [offering for offering, count in self.target.members for _ in range(count)]
        return tuple(
            node(each, phase=NodePhase.BOOTING, number=n) for n, each in enumerate(bought, 1)
        )

    def burn_usd_per_h(self, group: Group | None) -> float:
        latest = {price.offering: price.usd_per_h for price in self.prices(self.now_s)}
        return sum(count * latest[offering] for offering, count in group.members) if group else 0.0

    def _train(self) -> None:
        paid = self.burn_usd_per_h(self.target)
        if self.current != self.target:
            paid += self.burn_usd_per_h(self.current)
        self.spent_usd += paid * self.tick_s / 3600
        if self.current is None:
            return
        own = self.samples.setdefault(self.current, [])
        # Noise that anyone can repeat: up and down by turns.
        step_s = self.steps_s[self.current] * (1 + self.noise * (-1) ** len(own))
        iterations = max(1, int(self.tick_s / step_s))
        own.append(Sample(iterations, iterations * step_s, self.now_s))
        self.iteration += iterations


_TYPES: tuple[NodeType, ...] = (
    node_type("local.quarter", 0.25),
    node_type("local.half", 0.5),
    node_type("local.full", 1.0),
)


def constant(*prices: Price) -> Callable[[float], tuple[Price, ...]]:
    """Prices that never change, and are always fresh."""
    return lambda now_s: tuple(replace(price, observed_at_s=now_s) for price in prices)
