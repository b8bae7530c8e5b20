"""Track T4: how well the best node type is found, and what finding it costs.

    python -m benchmarks.decisions.search                  4 h and 24 h, all experiments
    python -m benchmarks.decisions.search --runs 2         the second run of each
    python -m benchmarks.decisions.search --hours 4 -v     one line an experiment

The step times are those of 81 published experiments on three clouds (`ELASTICD_BENCH_DATA`, default
../shared/data; discovery-unicamp/2025-Paramount-Iterations-analysis). A job is as long as the best
configuration needs for so many hours. It runs in a small world that boots and pauses, and serves
each configuration's windows from its recorded early means: iteration 2, then 2 to 5, 2 to 10, the
first 64, and from then on the mean of all. The policy sees what it has run, and of everything else
what a provider tells of a node type: cores, memory, GPUs, price. Experiments of one configuration
leave nothing to find and are left out.

Where an experiment has every type at the same sizes, groups of those sizes can be bought. Where
types come at sizes of their own, each configuration is one node type.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from time import process_time

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
    PerNode,
    Plan,
    Price,
    Reason,
    Sample,
    Series,
    Snapshot,
    Switch,
    Trained,
    workers_on,
)
from elastic.policy import decide

DATA = Path(os.environ.get("ELASTICD_BENCH_DATA", "../shared/data"))
BOOT_S = 60.0
PAUSE_S = 30.0
NOISE = 0.02
WINDOW_S = 0.5
KEPT_WINDOWS = 64
TRIAL_SHARE = 0.10
"""The product's default share of a job's dollars that trials may cost."""
_S_PER_H = 3600.0
_START_S = 1_700_000_000.0

Policy = Callable[[Snapshot], Plan]


@dataclass(frozen=True, slots=True)
class Configuration:
    """What one experiment measured on one group. `early` are the means of warm iterations up to a
    count."""

    group: Group
    usd_per_h: float
    early: tuple[tuple[int, float], ...]
    step_s: float

    @property
    def usd_per_iteration(self) -> float:
        return self.usd_per_h * self.step_s / _S_PER_H

    def pace_s(self, iteration: int) -> float:
        """Seconds that the warm iteration of this number took, counted from 1."""
        for until, pace_s in self.early:
            if iteration <= until:
                return pace_s
        return self.step_s

    def lasts_s(self, iterations: int) -> float:
        """Seconds that so many iterations take here, the early ones as they came."""
        first = min(iterations, 1 + max(until for until, _ in self.early))
        return sum(self.pace_s(each) for each in range(first)) + (iterations - first) * self.step_s


@dataclass(frozen=True, slots=True)
class Experiment:
    """A program with its configurations, and what a provider tells of the node types."""

    name: str
    configurations: tuple[Configuration, ...]
    node_types: tuple[NodeType, ...]
    usd_per_h: Mapping[str, float]

    @property
    def best(self) -> Configuration:
        return min(self.configurations, key=lambda each: each.usd_per_iteration)

    def at(self, group: Group) -> Configuration:
        """The configuration of a group; between two recorded sizes of a type the step time follows
        a power law."""
        known = {each.group: each for each in self.configurations}
        if group in known:
            return known[group]
        ((offering, count),) = group.members
        sizes = {
            each.group.node_count: each
            for each in self.configurations
            if each.group.members[0][0] == offering
        }
        below, above = (
            max(size for size in sizes if size < count),
            min(size for size in sizes if size > count),
        )
        share = math.log(count / below) / math.log(above / below)

        def between(low: float, high: float) -> float:
            return math.exp((1 - share) * math.log(low) + share * math.log(high))

        early = tuple(
            (until, between(low, high))
            for (until, low), (_, high) in zip(sizes[below].early, sizes[above].early, strict=True)
        )
        return Configuration(
            group,
            count * self.usd_per_h[offering.node_type],
            early,
            between(sizes[below].step_s, sizes[above].step_s),
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """One job in one world. `regret` is how much more an iteration costs on the last group than on
    the best."""

    name: str
    regret: float
    usd: float
    best_usd: float
    trial_usd: float
    trials: int
    cpu_s: float
    decisions: int
    story: tuple[str, ...]

    @property
    def ratio(self) -> float:
        return self.usd / self.best_usd

    @property
    def trial_share(self) -> float:
        return self.trial_usd / self.usd

    @property
    def has_broken_cap(self) -> bool:
        return self.trial_share > TRIAL_SHARE


def load(data: Path = DATA) -> tuple[Experiment, ...]:
    """The experiments that leave something to find."""
    with gzip.open(data / "paramount_iterations_2025.json.gz", "rt") as file:
        recorded = json.load(file)["experiments"]
    return tuple(_experiment(each) for each in recorded if len(each["configs"]) > 1)


def _experiment(recorded: Mapping[str, object]) -> Experiment:
    configs: Sequence[Mapping[str, object]] = recorded["configs"]  # type: ignore[assignment]
    counts: dict[str, set[int]] = {}
    for each in configs:
        counts.setdefault(str(each["instance_type"]), set()).add(int(each["count"]))  # type: ignore[call-overload]
    is_grid = len({frozenset(each) for each in counts.values()}) == 1
    node_types: dict[str, NodeType] = {}
    usd_per_h: dict[str, float] = {}
    found = []
    for each in configs:
        name, count = str(each["instance_type"]), int(each["count"])  # type: ignore[call-overload]
        price = float(each["price_usd_per_h_each"])  # type: ignore[arg-type]
        nodes = count if is_grid else 1
        described = describe(name, times=count // nodes)
        node_types[described.name] = described
        usd_per_h[described.name] = price * (count // nodes)
        windows: Mapping[str, Mapping[str, float]] = each["windows"]  # type: ignore[assignment]
        found.append(
            Configuration(
                Group.of(Offering(described.name), nodes),
                price * count,
                _early(windows),
                windows["all"]["mean_s"],
            )
        )
    return Experiment(
        str(recorded["experiment"]), tuple(found), tuple(node_types.values()), usd_per_h
    )


def _early(windows: Mapping[str, Mapping[str, float]]) -> tuple[tuple[int, float], ...]:
    """Means of the iterations that each early window adds to the one before; the first iteration is
    never warm."""
    second, fifth, tenth = (windows[f"iteration{name}"] for name in ("_2", "s_2_to_5", "s_2_to_10"))
    first_64 = windows["first_64"]
    pieces = [(1, second["mean_s"])]
    for before, after in ((second, fifth), (fifth, tenth)):
        more = after["iterations"] - before["iterations"]
        if more > 0 and after["sum_s"] > before["sum_s"]:
            pieces.append((int(after["iterations"]), (after["sum_s"] - before["sum_s"]) / more))
    if first_64["iterations"] > 10:
        pieces.append((int(first_64["iterations"]) - 1, first_64["mean_s"]))
    return tuple(pieces)


_GIB_A_CPU = {"n1.standard": 3.75, "n1.highmem": 6.5, "n1.highcpu": 0.9, "c2.standard": 4.0}
_GIB_A_CPU |= {"Standard_D": 4.0, "Standard_E": 8.0, "Standard_F": 2.0, "Standard_A": 2.0}
_GIB_A_CPU |= {"c": 2.0, "m": 4.0, "r": 8.0, "g": 4.0, "t": 4.0, "p": 7.625}
_CPU = {"nano": 2, "micro": 2, "small": 2, "medium": 2, "large": 2, "xlarge": 4}
_GIB = {"nano": 0.5, "micro": 1.0, "small": 2.0, "medium": 4.0}
_GPUS = {"g4dn": "T4", "g3s": "M60", "p2": "K80", "p3": "V100", "g5": "A10G"}
_GIB_OF = {"Standard_A2": 3.5, "Standard_A5": 14.0, "Standard_D11": 14.0, "Standard_D11_v2": 14.0}
_GIB_OF |= {"Standard_D2": 7.0, "Standard_D2_v2": 7.0, "Standard_E64_v3": 432.0}
_CPU_OF = {"Standard_A5": 2, "Standard_D11": 2, "Standard_D11_v2": 2, "t2.small": 1, "t2.micro": 1}
_ONE_THREAD = ("t2.", "Standard_A", "Standard_F16s", "Standard_F2", "Standard_D11", "Standard_D2")
"""Types whose cores run one thread each; of these only the first versions."""


def describe(name: str, *, times: int = 1) -> NodeType:
    """The node type of this name, or so many of it as one, as its provider describes it."""
    cpu, memory_gib, gpu = _described(name)
    is_single = name.startswith(_ONE_THREAD) and not name.endswith(("_v2", "_v3"))
    cores = cpu if is_single or cpu == 1 else cpu / 2
    title = name if times == 1 else f"{times}x.{name}"
    return NodeType(
        title,
        cpu * times,
        memory_gib * times,
        gpu_count=times if gpu else 0,
        gpu_model=gpu,
        physical_cores=cores * times,
    )


def _described(name: str) -> tuple[float, float, str | None]:
    if match := re.fullmatch(r"((?:n1|c2)\.\w+)_(\d+)", name):
        cpu = float(match[2])
        return cpu, _GIB_A_CPU[match[1]] * cpu, None
    if match := re.fullmatch(r"(Standard_[A-Z])(\d+)\w*", name):
        cpu = float(_CPU_OF.get(name, int(match[2])))
        return cpu, _GIB_OF.get(name, _GIB_A_CPU[match[1]] * cpu), None
    family, _, size = name.partition(".")
    many = re.fullmatch(r"(\d+)xlarge", size)
    cpu = float(_CPU_OF.get(name, 4 * int(many[1]) if many else _CPU[size]))
    return cpu, _GIB.get(size, _GIB_A_CPU[family[0]] * cpu), _GPUS.get(family)


@dataclass(slots=True)
class World:
    """One job of one experiment, from its start to its last iteration.

    While new nodes boot the old ones train; then both stand still for the pause, and an iteration
    that had begun is lost. The first iteration after a change is cold: it has no window.
    """

    experiment: Experiment
    policy: Policy
    iterations: int
    seed: int
    earlier: tuple[Trained, ...] = ()
    now_s: float = _START_S
    iteration: int = 0
    usd: float = 0.0
    trial_usd: float = 0.0
    target: Group | None = None
    current: Group | None = None
    ready_at_s: float = math.inf
    is_cold: bool = True
    is_trial: bool = False
    partial_s: float = 0.0
    samples: dict[Group, list[Sample]] = field(default_factory=dict)
    warm: dict[Group, int] = field(default_factory=dict)
    sums: dict[Group, tuple[int, float]] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    switches: list[Switch] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    trials: int = 0
    decisions: int = 0
    cpu_s: float = 0.0
    noise: random.Random = field(init=False)
    known: dict[Group, Configuration] = field(init=False)

    def run(self) -> Outcome:
        self.noise = random.Random(self.seed)
        self.known = {each.group: each for each in self.experiment.configurations}
        while self.iteration < self.iterations:
            self._decide()
            self._go_on(self._gap_s())
            if self.now_s > _START_S + 3e9:
                raise RuntimeError(f"{self.experiment.name}: never ends")
        best = self.experiment.best
        assert self.target is not None
        usd_per_iteration = self._at(self.target).usd_per_iteration
        best_usd = best.usd_per_h * (BOOT_S + PAUSE_S + best.lasts_s(self.iterations)) / _S_PER_H
        return Outcome(
            self.experiment.name,
            usd_per_iteration / best.usd_per_iteration - 1,
            self.usd,
            best_usd,
            self.trial_usd,
            self.trials,
            self.cpu_s,
            self.decisions,
            tuple(self.story),
        )

    def trained(self) -> tuple[Trained, ...]:
        """What the job measured, as a store sums it up."""
        return tuple(
            Trained(group, "main", turns, elapsed_s)
            for group, (turns, elapsed_s) in self.sums.items()
        )

    def _at(self, group: Group) -> Configuration:
        if group not in self.known:
            self.known[group] = self.experiment.at(group)
        return self.known[group]

    def _gap_s(self) -> float:
        """Seconds to the next tick: often after a change, and then the more seldom the longer
        nothing happens."""
        since_s = self.now_s - max((each.at_s for each in self.changes), default=self.now_s)
        return min(max(10.0, 0.05 * since_s), 600.0)

    def _decide(self) -> None:
        began_s = process_time()
        plan = self.policy(self._snapshot())
        self.cpu_s += process_time() - began_s
        self.decisions += 1
        if plan.action is Action.HOLD:
            if (
                self.is_trial
                and self.current == self.target
                and plan.reason.code not in ("measuring", "cooldown")
            ):
                self.is_trial = False  # what was tried has won, and simply trains
                self._note("kept", plan)
            return
        assert plan.target is not None, plan
        if plan.target == self.target:
            return
        self.changes.append(Change(self.now_s, self.target, plan.target, plan.reason.code))
        self.is_trial = plan.action is Action.TRIAL
        self.trials += self.is_trial
        self._note(plan.action.value, plan)
        if self.target not in (None, self.current) and self.target != plan.target:
            booted_s = self.now_s - (self.ready_at_s - BOOT_S)
            self._pay(self.target, max(0.0, 60.0 - booted_s), is_trial=True)
        self.target = plan.target
        self.ready_at_s = math.inf if self.target == self.current else self.now_s + BOOT_S

    def _note(self, what: str, plan: Plan) -> None:
        left = f"{self.iteration}/{self.iterations}"
        self.story.append(
            f"{self.now_s - _START_S:9.0f} s {left:>16} ${self.usd:.4f} {what}: {plan.reason.text}"
        )

    def _pay(self, group: Group | None, seconds: float, *, is_trial: bool) -> None:
        if group is None:
            return
        usd = self._at(group).usd_per_h * seconds / _S_PER_H
        self.usd += usd
        self.trial_usd += usd if is_trial else 0.0

    def _go_on(self, seconds: float) -> None:
        """Trains, boots and pauses for so long, or until the last iteration."""
        until_s = self.now_s + seconds
        while self.now_s < until_s and self.iteration < self.iterations:
            self._train(min(until_s, self.ready_at_s))
            if self.now_s >= self.ready_at_s:
                self._take_over()

    def _take_over(self) -> None:
        old, assert_target = self.current, self.target
        assert assert_target is not None
        for group in (old, assert_target):
            self._pay(group, PAUSE_S, is_trial=self.is_trial and group == assert_target)
        self.now_s += PAUSE_S
        self.current, self.ready_at_s, self.is_cold, self.partial_s = (
            assert_target,
            math.inf,
            True,
            0.0,
        )
        self.switches.append(Switch(assert_target, PAUSE_S, BOOT_S, self.now_s))

    def _train(self, until_s: float) -> None:
        """Goes to an instant, or to the end of the iteration or window before it if a take-over
        waits there."""
        while self.now_s < until_s and self.iteration < self.iterations:
            if self.current is None:
                self._spend(until_s - self.now_s)
                return
            pace_s = self._at(self.current).pace_s(self.warm.get(self.current, 0) + 1)
            turns = 1 if self.is_cold else max(1, int(WINDOW_S / pace_s))
            turns = min(turns, self.iterations - self.iteration)
            behind = int((until_s - self.now_s) / max(WINDOW_S, pace_s))
            if behind > 2 * KEPT_WINDOWS and self.warm.get(self.current, 0) > 100:
                # A steady stretch that nobody looks at: one long window.
                turns *= behind - KEPT_WINDOWS
                turns = min(turns, self.iterations - self.iteration)
            lasts_s = turns * pace_s * math.exp(self.noise.gauss(0.0, NOISE)) - self.partial_s
            if self.now_s + lasts_s > until_s:
                # The rest is served next time; noise is drawn again then, which changes nothing on
                # average.
                self.partial_s += until_s - self.now_s
                self._spend(until_s - self.now_s)
                return
            self._spend(max(lasts_s, 0.0))
            self.iteration += turns
            if not self.is_cold:
                self.warm[self.current] = self.warm.get(self.current, 0) + turns
                before, before_s = self.sums.get(self.current, (0, 0.0))
                self.sums[self.current] = (
                    before + turns,
                    before_s + max(lasts_s, 0.0) + self.partial_s,
                )
                own = self.samples.setdefault(self.current, [])
                own.append(Sample(turns, max(lasts_s, 0.0) + self.partial_s, self.now_s))
                del own[:-KEPT_WINDOWS]
            self.is_cold, self.partial_s = False, 0.0

    def _spend(self, seconds: float) -> None:
        self._pay(self.target, seconds, is_trial=self.is_trial)
        if self.current != self.target:
            self._pay(self.current, seconds, is_trial=False)
        self.now_s += seconds

    def _snapshot(self) -> Snapshot:
        counts = {each.group.node_count for each in self.experiment.configurations}
        spec = JobSpec(
            self.experiment.name,
            ("train.py",),
            nodes_min=min(counts),
            nodes_max=max(counts),
            iterations=self.iterations,
        )
        job = Job(
            "job",
            spec,
            JobPhase.RUNNING,
            _START_S,
            iteration=self.iteration,
            training_phase="main",
            stops_when_asked=True,
        )
        prices = tuple(
            Price(number, Offering(name), usd_per_h, _START_S - 3600, self.now_s, "recorded")
            for number, (name, usd_per_h) in enumerate(self.experiment.usd_per_h.items(), 1)
        )
        return Snapshot(
            now_s=self.now_s,
            job=job,
            target=self.target,
            current=self.current,
            nodes=tuple(self._nodes()),
            node_types=self.experiment.node_types,
            prices=prices,
            series=tuple(Series(group, "main", tuple(own)) for group, own in self.samples.items()),
            switches=tuple(self.switches),
            changes=tuple(self.changes),
            spent_usd=self.usd,
            earlier=self.earlier,
            limits=Limits(
                trial_usd_share=TRIAL_SHARE, boot_prior_s=BOOT_S, switch_pause_prior_s=PAUSE_S
            ),
        )

    def _nodes(self) -> Iterable[Node]:
        types = {each.name: each for each in self.experiment.node_types}
        for group in {self.target, self.current} - {None}:
            phase = NodePhase.JOINED if group == self.current else NodePhase.BOOTING
            for offering, count in group.members:  # type: ignore[union-attr]
                for number in range(count):
                    name = f"{offering.node_type}-{number}"
                    workers = workers_on(PerNode.AUTO, types[offering.node_type])
                    yield Node(
                        name,
                        "job",
                        offering,
                        phase,
                        f"token-{name}",
                        self.now_s - BOOT_S,
                        workers=workers,
                    )


def play(experiment: Experiment, policy: Policy, *, hours: float, runs: int = 1) -> Outcome:
    """The last of so many runs of a job that is as long as the best configuration needs for so many
    hours.

    Each knows what those before it measured.
    """
    iterations = max(1, round(hours * _S_PER_H / experiment.best.step_s))
    earlier: tuple[Trained, ...] = ()
    for seed in range(runs):
        world = World(experiment, policy, iterations, seed, earlier)
        outcome = world.run()
        earlier += world.trained()
    return outcome


def cheapest_per_hour(snapshot: Snapshot) -> Plan:
    """Begins on what costs least an hour, and stays."""
    if snapshot.target is not None:
        return Plan(Action.HOLD, snapshot.target, Reason("best", "stays"))
    groups = _groups(snapshot)
    return Plan(
        Action.START,
        min(groups, key=lambda each: (groups[each], each)),
        Reason("start", "cheapest"),
    )


def try_all(snapshot: Snapshot) -> Plan:
    """Measures every group for eight windows, cheapest an hour first, then stays on the best."""
    groups, step_s = _groups(snapshot), {}
    for series in snapshot.series:
        if len(series.samples) >= snapshot.limits.trial_windows:
            taken = sum(each.elapsed_s for each in series.samples)
            step_s[series.group] = taken / sum(each.iterations for each in series.samples)
    left = sorted((groups[each], each) for each in groups if each not in step_s)
    if left and snapshot.target in step_s:
        return Plan(Action.TRIAL, left[0][1], Reason("trial", "next"))
    if left:
        if snapshot.target is None:
            return Plan(Action.START, left[0][1], Reason("start", "first"))
        return Plan(Action.HOLD, snapshot.target, Reason("measuring", "measures"))
    best = min(step_s, key=lambda each: step_s[each] * groups[each])
    if best == snapshot.target:
        return Plan(Action.HOLD, best, Reason("best", "stays"))
    return Plan(Action.MOVE, best, Reason("better_value", "best of all"))


def _groups(snapshot: Snapshot) -> dict[Group, float]:
    sizes = snapshot.job.spec.sizes
    counts = [count for count in (1, 2, 4, 8, 16) if count in sizes]
    return {
        Group.of(price.offering, count): count * price.usd_per_h
        for price in snapshot.prices
        for count in counts
    }


POLICIES: Mapping[str, Policy] = {
    "elasticd": decide,
    "try all": try_all,
    "cheapest per hour": cheapest_per_hour,
}


def summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The scores of DECIDING's table: shares from 0 to 1, ratios, and how often the cap was
    broken."""
    regrets = sorted(each.regret for each in outcomes)
    return {
        "optimum": mean(each.regret < 1e-9 for each in outcomes),
        "within_5": mean(each.regret <= 0.05 for each in outcomes),
        "p99_regret": regrets[math.ceil(0.99 * len(regrets)) - 1],
        "ratio": mean(each.ratio for each in outcomes),
        "ratio_median": median(each.ratio for each in outcomes),
        "trial_share": mean(each.trial_share for each in outcomes),
        "cap_broken": float(sum(each.has_broken_cap for each in outcomes)),
        "trials": mean(each.trials for each in outcomes),
        "cpu_s": sum(each.cpu_s for each in outcomes),
    }


def _row(title: str, score: Mapping[str, float]) -> str:
    return (
        f"{title:24}{score['optimum']:7.1%} {score['within_5']:10.1%} {score['p99_regret']:11.1%} "
        f"{score['ratio']:7.3f} ({score['ratio_median']:.3f}) {score['trials']:7.1f} "
        f"{score['trial_share']:6.1%} "
        f"{score['cap_broken']:8.0f} {score['cpu_s']:9.1f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--hours",
        type=float,
        action="append",
        help="length on the best configuration; may be repeated",
    )
    parser.add_argument(
        "--runs", type=int, default=1, help="each run knows what those before it measured"
    )
    parser.add_argument("--policy", choices=tuple(POLICIES), action="append")
    parser.add_argument("--only", default="", help="experiments whose name contains this")
    parser.add_argument("-v", "--verbose", action="store_true", help="one line an experiment")
    parser.add_argument("--story", action="store_true", help="each decision of each experiment")
    arguments = parser.parse_args()
    experiments = [each for each in load() if arguments.only in each.name]
    print(
        f"{'':24}optimum within 5 %  p99 regret  $/best (median)  trials  share  cap broken  CPU-s"
    )
    for hours in arguments.hours or (4.0, 24.0):
        for name in arguments.policy or POLICIES:
            outcomes = []
            for each in experiments:
                outcome = play(each, POLICIES[name], hours=hours, runs=arguments.runs)
                outcomes.append(outcome)
                if arguments.verbose or arguments.story:
                    print(
                        f"  {each.name[:34]:34} regret {outcome.regret:7.1%} $/best "
                        f"{outcome.ratio:6.3f} trials {outcome.trials:2} share "
                        f"{outcome.trial_share:5.1%} {outcome.cpu_s:5.1f} CPU-s"
                    )
                if arguments.story:
                    print("\n".join(outcome.story))
            print(_row(f"{name}, {hours:g} h", summary(outcomes)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
