"""Many jobs share one purse while prices move: `python -m benchmarks.purse`.

The real loop, store and policies run in virtual time, with a fake cloud. It checks that no cap was
passed in any hour or day, that every job had its time, that nothing was lost, and that the sum of
all ledgers is the bill.
"""

from __future__ import annotations

import argparse
import heapq
import random
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from elastic.calendar import day_around, hour_around
from elastic.clock import ManualClock
from elastic.durations import ANSWER_TIMEOUT_S, GONE_LISTED_S
from elastic.figures import count, duration, percent, price, usd
from elastic.liveness import silence_bounds
from elastic.model import (
    CalendarUnit,
    Capacity,
    JobSpec,
    Limits,
    Mode,
    Node,
    NodePhase,
    NodeType,
    Offering,
)
from elastic.policy import decide
from elastic.pricing import TracePrices
from elastic.providers import FakeCloud, FakeProvider, InstanceState
from elastic.reconciler import (
    LaunchTerms,
    LeaseHolder,
    Machines,
    Purse,
    Reconciler,
    TerminationPermission,
    Timeouts,
    reply_for,
)
from elastic.simulator import (
    BEGINS_S,
    Program,
    SimulatedMarket,
    SimulationSettings,
    Speeds,
    bill_usd,
    lay_out,
)
from elastic.simulator.agents import Agents
from elastic.simulator.simulation import VirtualRendezvous
from elastic.store import open_store

_TYPES = {"small": (1.0, 0.05), "medium": (2.0, 0.10), "large": (4.0, 0.21)}
_BOUNDARY: Mapping[CalendarUnit, Callable[[float, tzinfo], tuple[float, float]]] = {
    CalendarUnit.HOUR: hour_around,
    CalendarUnit.DAY: day_around,
}


@dataclass(slots=True)
class Story:
    """One run: how many jobs, for how long, and under which caps."""

    jobs: int = 20
    hours: float = 1.0
    caps_usd: Mapping[CalendarUnit, float] = field(
        default_factory=lambda: {CalendarUnit.HOUR: 0.3, CalendarUnit.DAY: 6.0}
    )
    seed: int = 0
    tick_s: float = 5.0
    # Whether the daemon knows of the caps: without, the checks must find that one was passed.
    has_purse: bool = True


@dataclass(slots=True)
class Outcome:
    """What was seen."""

    violations: list[str] = field(default_factory=list)
    bill_usd: float = 0.0
    ledgers_usd: float = 0.0
    # The most that a span cost, against its cap.
    fullest: dict[CalendarUnit, float] = field(default_factory=dict)
    most_usd_per_h: float = 0.0
    succeeded: int = 0
    longest_wait_s: float = 0.0
    pauses: int = 0
    iterations: int = 0
    looks: int = 0
    cpu_s: float = 0.0


def market_of(chance: random.Random, hours: float) -> SimulatedMarket:
    """Node types on demand and as spot, whose price moves every few minutes, at times by half."""
    prices: dict[Offering, tuple[tuple[float, float], ...]] = {}
    types = []
    for name, (cores, usd_per_h) in _TYPES.items():
        types.append(NodeType(name, cores, 2 * cores))
        prices[Offering(name, Capacity.ON_DEMAND, "a")] = ((0.0, usd_per_h),)
        steps = []
        at_s = 0.0
        level = 0.4
        while at_s < hours * 3600.0:
            steps.append((at_s, round(usd_per_h * level, 5)))
            level = min(max(level * chance.lognormvariate(0.0, 0.25), 0.2), 1.2)
            at_s += chance.uniform(120.0, 900.0)
        prices[Offering(name, Capacity.SPOT, "a")] = tuple(steps)
    return SimulatedMarket(tuple(types), prices)


@dataclass
class Cluster:
    """Jobs that share a cloud, a database and a purse."""

    story: Story
    folder: Path
    clock: ManualClock = field(default_factory=lambda: ManualClock(BEGINS_S))
    agents: dict[str, Agents] = field(default_factory=dict)
    outcome: Outcome = field(default_factory=Outcome)
    _events: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _count: int = 0
    _booting: set[str] = field(default_factory=set)
    _chance: random.Random = field(init=False)
    _waiting_since_s: dict[str, float] = field(default_factory=dict)
    # What all machines had cost when each span began.
    _before: dict[CalendarUnit, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        terms = SimulationSettings()
        self._chance = random.Random(f"purse {self.story.seed}")
        self.market = market_of(self._chance, self.story.hours)
        self.cloud = FakeCloud(
            self.market.node_types,
            clock=self.clock,
            offerings=self.market.offerings,
            boot_s=terms.boot_s,
            exit_s=terms.exit_s,
            minimum_billed_s=terms.limits.minimum_billed_s,
            calls_kept=1,
            forgets_after_s=GONE_LISTED_S,
        )
        self.store = open_store(lay_out(self.folder / "elasticd.db"))
        provider = FakeProvider(self.cloud)
        self.right = TerminationPermission(provider.prove_end, terms.lease_s, self.clock.now_s)
        lease = LeaseHolder(
            cluster="simulated",
            holder=self.store.holder(),
            place=str(self.folder),
            clock=self.clock,
            register=provider.lease_register,
        )
        reaction_s = self.story.tick_s + terms.heartbeat_s + ANSWER_TIMEOUT_S
        self.limits = Limits(reaction_s=reaction_s, tick_s=self.story.tick_s)
        self.reconciler = Reconciler(
            store=self.store,
            provider=provider,
            prices=TracePrices(self.market.rows(), started_at_s=BEGINS_S),
            machines=Machines(
                store=self.store,
                provider=provider,
                terms=LaunchTerms("http://127.0.0.1:1", str),
                right=self.right,
                leader_lease=lease,
                register_s=terms.register_s,
            ),
            rendezvous=VirtualRendezvous(),
            decide=decide,
            limits=self.limits,
            timeouts=Timeouts(
                register_s=terms.register_s,
                lease_s=terms.lease_s,
                reaction_s=reaction_s,
                standstill_s=terms.standstill_s,
                silence=silence_bounds(heartbeat_s=self.story.tick_s),
            ),
            max_failures=terms.max_failures,
            purse=Purse(self.story.caps_usd, UTC) if self.story.has_purse else None,
        )
        for number in range(self.story.jobs):
            # They come in the first tenth of the time.
            at_s = BEGINS_S + self._chance.uniform(0.0, self.story.hours * 360.0)
            self._later(at_s, partial(self._submit, number))

    def run(self) -> Outcome:
        """Plays the story, checks it, and gives what was seen."""
        began_s = time.process_time()
        end_s = BEGINS_S + self.story.hours * 3600.0
        while self.clock.now_s() < end_s:
            next_s = self.clock.now_s() + self.story.tick_s
            while self._events and self._events[0][0] <= next_s:
                at_s, _, act = heapq.heappop(self._events)
                self.clock.advance(max(at_s - self.clock.now_s(), 0.0))
                act()
            self.clock.advance(max(next_s - self.clock.now_s(), 0.0))
            self._look()
        self._check()
        self.outcome.cpu_s = time.process_time() - began_s
        self.store.close()
        return self.outcome

    def _submit(self, number: int) -> None:
        chance = self._chance
        step_s = chance.uniform(0.5, 4.0)
        most = chance.choice([1, 2, 4, 4])
        iterations = int(chance.uniform(1.0, 4.0) * self.story.hours * 3600.0 / step_s)
        known = {
            name: {nodes: step_s / cores**0.9 / nodes**0.8 for nodes in (1, 2, 4)}
            for name, (cores, _) in _TYPES.items()
        }
        spec = JobSpec(
            name=f"job-{number}",
            command=(f"train-{number}.py",),
            nodes_max=most,
            iterations=iterations,
            priority=number % 3,
        )
        job, _ = self.store.jobs.submit(
            spec, key=None, request_hash=str(number), now_s=self.clock.now_s()
        )
        self.agents[job.id] = Agents(
            store=self.store,
            clock=self.clock,
            program=Program(Speeds(known), iterations),
            later=self._later,
            heartbeat_s=1.0,
            mode=Mode.RESTART,
            chance=chance,
        )
        self._waiting_since_s[job.id] = self.clock.now_s()

    def _later(self, at_s: float, act: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._events, (at_s, self._count, act))

    def _look(self) -> None:
        now_s = self.clock.now_s()
        for each in self.agents.values():
            each.beat()
        self.reconciler.tick(now_s=now_s)
        self.outcome.looks += 1
        jobs = {job.id: job for job in self.store.jobs.unfinished()}
        lease_s = self.right.lease_left_s()
        for node in self.store.nodes.listed():
            job = jobs.get(node.job_id)
            agents = self.agents[node.job_id]
            if node.phase is NodePhase.BOOTING:
                self._await_boot(node)
            elif node.phase is NodePhase.JOINED and job is not None:
                reply = reply_for(node, job, self.store.generations.latest(job.id), lease_s=lease_s)
                assigned = reply.assignment
                agents.hear(node, None if assigned is None else assigned.generation)
            elif node.phase is NodePhase.TERMINATING:
                agents.gone(node.id)
        self._note_waits(jobs.keys(), now_s)
        self._note_costs(now_s)

    def _await_boot(self, node: Node) -> None:
        if node.id in self._booting or node.launched_at_s is None:
            return
        self._booting.add(node.id)
        self._later(node.launched_at_s + SimulationSettings().boot_s, lambda: self._boot(node))

    def _boot(self, node: Node) -> None:
        known = self.store.nodes.get(node.id)
        machine = next((each for each in self.cloud.visible() if each.node_id == node.id), None)
        if machine is None or machine.state is not InstanceState.RUNNING:
            return
        if known.phase is NodePhase.BOOTING:
            self.agents[node.job_id].join(node)

    def _note_waits(self, job_ids: object, now_s: float) -> None:
        """How long jobs wait without machines."""
        holding = {node.job_id for node in self.store.nodes.listed()}
        for job_id in list(self._waiting_since_s):
            since_s = self._waiting_since_s[job_id]
            self.outcome.longest_wait_s = max(self.outcome.longest_wait_s, now_s - since_s)
        for job_id in self.agents:
            is_over = self.store.jobs.get(job_id).phase.is_final
            if job_id in holding or is_over:
                self._waiting_since_s.pop(job_id, None)
            else:
                self._waiting_since_s.setdefault(job_id, now_s)

    def _note_costs(self, now_s: float) -> None:
        """What each span has cost so far, by the cloud's own record, and what runs now."""
        cost = self._bill_usd()
        running = [
            each
            for each in self.cloud.machines()
            if each.state in (InstanceState.PENDING, InstanceState.RUNNING)
        ]
        burn = sum(self.market.usd_per_h(each.offering, now_s - BEGINS_S) for each in running)
        self.outcome.most_usd_per_h = max(self.outcome.most_usd_per_h, burn)
        for span, most_usd in self.story.caps_usd.items():
            began_s, _ = _BOUNDARY[span](now_s, UTC)
            known_s, before_usd = self._before.get(span, (began_s, 0.0))
            if known_s != began_s:
                before_usd = cost
            self._before[span] = began_s, before_usd
            share = (cost - before_usd) / most_usd
            self.outcome.fullest[span] = max(self.outcome.fullest.get(span, 0.0), share)

    def _bill_usd(self) -> float:
        return bill_usd(
            self.cloud.machines(),
            self.market,
            began_s=BEGINS_S,
            minimum_s=self.cloud.minimum_billed_s,
            now_s=self.clock.now_s(),
        )

    def _check(self) -> None:
        found = self.outcome
        now_s = self.clock.now_s()
        for span, share in found.fullest.items():
            if share > 1.0:
                found.violations.append(f"a {span} cost {percent(share)} of its cap")
        found.bill_usd = self._bill_usd()
        for job_id, agents in self.agents.items():
            job = self.store.jobs.get(job_id)
            found.ledgers_usd += self.store.ledger.spent(job_id, now_s)
            found.iterations += job.iteration
            found.succeeded += job.phase == "succeeded"
            codes = [each.code for each in self.store.decisions.changes(job_id, limit=500)]
            found.pauses += codes.count("purse")
            if not job.iteration:
                found.violations.append(f"{job.spec.name} starved: it has done nothing")
            if agents.lost or job.redone:
                found.violations.append(f"{job.spec.name} lost {agents.lost} iterations")
        if abs(found.ledgers_usd - found.bill_usd) > 0.01 * found.bill_usd:
            found.violations.append(
                f"the ledgers say {usd(found.ledgers_usd)}, the bill {usd(found.bill_usd)}"
            )


def play(story: Story) -> Outcome:
    """Plays a story in a folder of its own."""
    with TemporaryDirectory() as folder:
        return Cluster(story, Path(folder)).run()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.purse", description=__doc__)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--hours", type=float, default=1.0, help="of virtual time")
    parser.add_argument("--usd-per-h", type=float, default=0.3, help="the cap of an hour")
    parser.add_argument("--usd-per-day", type=float, default=6.0, help="the cap of a day")
    parser.add_argument("--seeds", type=int, default=1, help="how many stories")
    parser.add_argument("--tick", type=float, default=5.0, help="seconds between two looks")
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    caps = {CalendarUnit.HOUR: arguments.usd_per_h, CalendarUnit.DAY: arguments.usd_per_day}
    broken = 0
    for seed in range(arguments.seeds):
        story = Story(arguments.jobs, arguments.hours, caps, seed, arguments.tick)
        found = play(story)
        broken += len(found.violations)
        fullest = ", ".join(
            f"{percent(share)} of the {span}'s cap" for span, share in found.fullest.items()
        )
        print(
            f"seed {seed}: bill {usd(found.bill_usd)}, ledgers {usd(found.ledgers_usd)}, at most "
            f"{fullest} and {price(found.most_usd_per_h)}/h at once; {found.succeeded} of "
            f"{story.jobs} done, {count(found.iterations)} iterations, {found.pauses} pauses, "
            f"longest wait {duration(found.longest_wait_s)}; {found.looks} looks in "
            f"{found.cpu_s:.0f} CPU-s",
            flush=True,
        )
        for each in found.violations:
            print(f"  BROKEN: {each}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
