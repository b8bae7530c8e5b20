"""What elasticd promises, checked after each look of a simulated daemon against what is true.

The promises are those of the design, P1 to P15; `ends` is that nothing but its own end, its budget
or its user ends a job. Parts of some cannot be seen here, and other tests prove them:

- P1, that a commit survives kill -9 and a loss of power: `tests/crash`, `tests/store`. Here a death
  of the daemon rolls back what is not committed, and what was acknowledged must be there after it.
- P5, that `elasticd gc` needs no database: `tests/cli/test_gc.py`.
- P11, that a change must gain more than its measured cost: `tests/policy/test_properties.py`.
- P12, that torchrun's workers save before they go: `tests/crash`, `tests/e2e`. Here agents save as
  they do, so a daemon that does not wait for them loses iterations.
- P14, the lock of the database's file: `tests/test_daemon.py`. Here another daemon takes the lease.
- P15, all of it, since no request comes through HTTP here: `tests/api/test_guards.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.soak.faults import FaultKind
from benchmarks.soak.life import FaultyLife, is_stray
from elastic.durations import PRICE_MAX_AGE_S, SPOT_PRICE_MAX_AGE_S
from elastic.errors import ElasticError
from elastic.model import Capacity, Change, Group, JobPhase, Node, NodePhase
from elastic.policy.availability import UNAVAILABLE
from elastic.policy.deadline import LEAST_COST
from elastic.policy.safety_net import DEADLINE
from elastic.providers import Call, Instance, InstanceState, Operation

_MINUTE = 60.0
# The rest of a budget is kept back for a good end.
_MOSTLY = 0.8
# A job that is over, and for so long its machines may take to be gone: a lease and a few looks.
AFTERWARDS = 1_500.0
# P3: from the first sighting on.
_STRAY_S = 120.0
# P4: beyond its lease.
_OUTLIVES_S = 600.0
# P14: a daemon finds out that it lost its lease when it renews it, each minute.
_FOUND_OUT_S = 75.0
# A price that is so far from the true one is wrong (`elastic.pricing.plausible`).
_WRONG = 5.5
# Whether these are at work makes no machine harder to end.
_HARMLESS = (FaultKind.STRAY, FaultKind.UNANSWERED, FaultKind.WRONG_DATE)
# P9: no machine is harder to end for these.
_NOT_NEEDED = (FaultKind.FULL_DISK, FaultKind.NO_PRICES, FaultKind.WRONG_PRICES)
# Changes that wait for no cooldown: what is held is forbidden, gone, or too late.
_COMPELLED = frozenset({"not_permitted", "scaled", "failing", UNAVAILABLE, DEADLINE, LEAST_COST})
_TRIAL = "trial"


@dataclass(frozen=True, slots=True)
class Violation:
    """A promise that was not kept: which, how long after the life's beginning, and what was seen."""

    promise: str
    at_s: float
    what: str


class PromiseBroken(Exception):
    """Ends a life in which a promise was not kept."""


@dataclass(slots=True)
class Promises:
    """Watches one life, until a promise is broken."""

    violations: list[Violation] = field(default_factory=list)
    _deaths: int = 0
    _stray_since_s: dict[str, float] = field(default_factory=dict)
    _forbidden_since_s: float | None = None
    _lost_since_s: float | None = None
    # What was held and wanted at the look before, with the job's target.
    _held: dict[str, Node] = field(default_factory=dict)
    _target: Group | None = None
    _newest_change_s: float = 0.0

    def look(self, life: FaultyLife) -> None:
        """Checks what can be seen at any instant."""
        machines = life.cloud.machines()
        calls = tuple(life.cloud.calls)
        life.cloud.calls.clear()
        self._one_daemon_acts(life, calls)
        self._no_machine_outlives_its_lease(life, machines)
        self._budget_holds(life)
        self._prices_are_right(life, calls)
        if life.is_lost:
            self._what_is_held_lives_on(life, calls)
            return
        self._lost_since_s = None
        nodes = {each.id: each for each in life.store.nodes.listed(life.job_id, include_gone=True)}
        self._at_most_one_machine(life, machines, nodes)
        self._strays_are_ended(life, nodes)
        self._new_machines_register(life, nodes)
        self._the_end_is_proven(life, machines, nodes)
        self._a_broken_store_buys_nothing(life, calls)
        self._nothing_is_bought_for_a_job_that_is_over(life, calls)
        self._ends_are_recorded(life, calls, nodes)
        self._what_is_wanted_lives_on(life, nodes)
        self._changes_are_apart(life)
        self._iterations_are_kept(life, nodes)
        self._what_was_acknowledged_is_there(life, nodes)
        self._the_job_goes_on(life)

    def end(self, life: FaultyLife) -> None:
        """Checks what must be true once the job is over and its machines had time to end."""
        now_s = life.clock.now_s()
        left = [
            each.provider_id
            for each in life.cloud.machines()
            # One that appeared a moment ago is given the time that strays have.
            if _costs(each.state) and now_s - each.launched_at_s > _STRAY_S
        ]
        if left:
            self._broken(life, "P3", f"{len(left)} machines live on after the job: {left[:3]}")
        self._ledger_is_the_bill(life)
        self._iterations_add_up(life)
        self._decisions_can_be_made_again(life)

    def _broken(self, life: FaultyLife, promise: str, what: str) -> None:
        self.violations.append(Violation(promise, life.elapsed_s, what))
        raise PromiseBroken(what)

    def _what_was_acknowledged_is_there(self, life: FaultyLife, nodes: Mapping[str, Node]) -> None:
        """After each death what was answered before is on record, and a request is not done twice."""
        if self._deaths == life.deaths:
            return
        self._deaths = life.deaths
        try:
            job_id = life.ask_again()
        except ElasticError as error:
            self._broken(life, "P1", f"the same request is refused: {error}")
        else:
            if job_id != life.job_id:
                self._broken(life, "P1", "the same request has made another job")
        if life.adoptions:
            return  # a record outside the database holds no measurements
        for node_id, seq in life.agents.acknowledged.items():
            if node_id in nodes and life.store.nodes.acked_seq(node_id) < seq:
                self._broken(life, "P1", f"{node_id}: what was acknowledged up to {seq} is lost")

    def _at_most_one_machine(
        self, life: FaultyLife, machines: tuple[Instance, ...], nodes: Mapping[str, Node]
    ) -> None:
        bought = Counter(each.node_id for each in machines if not is_stray(each))
        for node_id, count in bought.items():
            if count > 1:
                self._broken(life, "P2", f"{count} machines were bought for the node {node_id}")
            if node_id not in nodes and not life.adoptions:
                self._broken(life, "P2", f"{node_id} was bought without an intent")

    def _strays_are_ended(self, life: FaultyLife, nodes: Mapping[str, Node]) -> None:
        """A machine that nobody wants is gone within two minutes of an undisturbed daemon."""
        now_s = life.clock.now_s()
        stray: dict[str, str] = {}
        for machine in life.cloud.visible():
            if not _lives(machine):
                continue
            node = nodes.get(machine.node_id)
            if node is None or node.phase.is_gone:
                stray[machine.provider_id] = "P3"
            elif node.phase is NodePhase.TERMINATING:
                stray[machine.provider_id] = "P8"
        is_quiet = life.is_quiet_but_for(*_HARMLESS)
        if not life.is_quiet_but_for(*_HARMLESS, *_NOT_NEEDED):
            stray = {}
        self._stray_since_s = {each: self._stray_since_s.get(each, now_s) for each in stray}
        for name, since_s in self._stray_since_s.items():
            if now_s - since_s > _STRAY_S:
                promise = stray[name]
                if promise == "P8" and not is_quiet:
                    promise = "P9"
                self._broken(life, promise, f"nobody wants {name}, and it lives on")

    def _no_machine_outlives_its_lease(
        self, life: FaultyLife, machines: tuple[Instance, ...]
    ) -> None:
        now_s = life.clock.now_s()
        if now_s >= life.forbidden_until_s:
            self._forbidden_since_s = None
        elif self._forbidden_since_s is None:
            self._forbidden_since_s = now_s
        since_s = self._forbidden_since_s
        for machine in machines:
            ends_s = life.lease_ends_s(machine)
            if ends_s is None or not _lives(machine):
                continue
            if now_s > ends_s + _OUTLIVES_S:
                self._broken(life, "P4", f"{machine.provider_id} outlives its lease")
            if since_s is not None:
                # Nobody can end it: its lease must run out.
                longest_s = 2 * life.terms.lease_s + _OUTLIVES_S
                if now_s - max(since_s, machine.launched_at_s) > longest_s:
                    self._broken(life, "P4", f"{machine.provider_id} lives, and cannot be ended")

    def _new_machines_register(self, life: FaultyLife, nodes: Mapping[str, Node]) -> None:
        now_s = life.clock.now_s()
        if not life.is_quiet_but_for(*_HARMLESS, FaultKind.NO_BOOT):
            return
        for machine in life.cloud.visible():
            node = nodes.get(machine.node_id)
            if node is None or node.phase is not NodePhase.BOOTING or not _lives(machine):
                continue
            # A daemon that was away could not hear it.
            since_s = max(machine.launched_at_s, life.away_until_s)
            if now_s - since_s > life.terms.register_s + _STRAY_S:
                self._broken(life, "P5", f"{node.id} has not registered, and lives on")

    def _budget_holds(self, life: FaultyLife) -> None:
        budget_usd = life.spec.objective.budget_usd
        if budget_usd is None:
            return
        usd_per_h = max(
            life.market.usd_per_h(each, life.elapsed_s) for each in life.market.offerings
        )
        most_usd = budget_usd + life.spec.nodes_max * usd_per_h * 600.0 / 3600.0
        if life.bill_usd() > most_usd:
            self._broken(life, "P6", f"spent ${life.bill_usd():.4f} of a budget of ${budget_usd}")

    def _ledger_is_the_bill(self, life: FaultyLife) -> None:
        ledger_usd = life.ledger_usd()
        bill_usd = life.bill_usd()
        # What a lost database knew is between two bounds, of which the ledger has the upper one.
        least_usd = ledger_usd - life.unknown_usd()
        slack_usd = 0.01 * bill_usd + 0.01
        if not math.isfinite(ledger_usd) or not (
            least_usd - slack_usd <= bill_usd <= ledger_usd + slack_usd
        ):
            self._broken(
                life,
                "P7",
                f"the ledger says ${least_usd:.4f} to ${ledger_usd:.4f}, the bill ${bill_usd:.4f}",
            )

    def _the_end_is_proven(
        self, life: FaultyLife, machines: tuple[Instance, ...], nodes: Mapping[str, Node]
    ) -> None:
        """No node is called gone whose machine lives."""
        alive = {each.node_id: each.provider_id for each in machines if _lives(each)}
        for node in nodes.values():
            if node.phase.is_gone and node.id in alive:
                self._broken(life, "P8", f"{node.id} is called gone, and {alive[node.id]} lives")

    def _a_broken_store_buys_nothing(self, life: FaultyLife, calls: tuple[Call, ...]) -> None:
        if life.is_disk_full and _of(calls, Operation.LAUNCH):
            self._broken(life, "P9", "a machine was bought, and nothing can be written down")

    def _nothing_is_bought_for_a_job_that_is_over(
        self, life: FaultyLife, calls: tuple[Call, ...]
    ) -> None:
        if _of(calls, Operation.LAUNCH) and life.job.phase.is_final:
            self._broken(life, "P10", "a machine was bought for a job that is over")

    def _ends_are_recorded(
        self, life: FaultyLife, calls: tuple[Call, ...], nodes: Mapping[str, Node]
    ) -> None:
        """No machine with a living node is ended without a record, but where none can be written."""
        if life.is_disk_full:
            return
        asked = {each.provider_id for each in _of(calls, Operation.TERMINATE)}
        by_machine = {each.provider_id: each.node_id for each in life.cloud.machines()}
        for provider_id in asked:
            node = nodes.get(by_machine.get(provider_id or "", ""))
            if node is not None and not (node.phase is NodePhase.TERMINATING or node.phase.is_gone):
                self._broken(life, "P10", f"{node.id} is {node.phase}, and its machine was ended")

    def _what_is_held_lives_on(self, life: FaultyLife, calls: tuple[Call, ...]) -> None:
        """What a lost database knew waits for a person, as long as its leases last."""
        now_s = life.clock.now_s()
        if self._lost_since_s is None:
            self._lost_since_s = now_s
        if now_s - self._lost_since_s < life.terms.lease_s and _of(calls, Operation.TERMINATE):
            self._broken(life, "P10", "the database was lost, and a machine was ended")

    def _what_is_wanted_lives_on(self, life: FaultyLife, nodes: Mapping[str, Node]) -> None:
        """A node with a fresh lease is ended only where what is wanted has changed, or where the
        cloud takes it back."""
        now_s = life.clock.now_s()
        target = life.store.jobs.target(life.job_id)
        if target is not None and target == self._target:
            wanted = dict(target.members)
            had = Counter(each.offering for each in self._held.values())
            for node_id, before in self._held.items():
                node = nodes.get(node_id)
                if (
                    node is not None
                    and node.phase is NodePhase.TERMINATING
                    and node.notice is None
                    and had[before.offering] <= wanted.get(before.offering, 0)
                ):
                    self._broken(life, "P10", f"{node_id} was ended, and it is wanted")
        self._target = target
        self._held = {
            each.id: each
            for each in nodes.values()
            if each.phase is NodePhase.JOINED
            and each.notice is None
            and each.stopping_at_s is None
            and now_s - (each.heartbeat_at_s or 0.0) < _MINUTE
        }

    def _changes_are_apart(self, life: FaultyLife) -> None:
        changes = life.store.decisions.changes(life.job_id, limit=8)
        if not changes or changes[-1].at_s == self._newest_change_s:
            return
        newest = changes[-1]
        self._newest_change_s = newest.at_s
        for earlier in changes[:-1]:
            if _undoes(newest, earlier) and (
                newest.at_s - earlier.at_s < life.terms.limits.cooldown_s - 1.0
            ):
                self._broken(
                    life,
                    "P11",
                    f"{newest.code} undoes {earlier.code} after {newest.at_s - earlier.at_s:.0f} s",
                )

    def _iterations_are_kept(self, life: FaultyLife, nodes: Mapping[str, Node]) -> None:
        """What the daemon ends has saved before, and nothing counts that was not done."""
        lost_with = list(life.agents.lost_with)
        life.agents.lost_with.clear()
        for node_id, lost in lost_with:
            node = nodes.get(node_id)
            if (
                node is not None
                and node.phase is NodePhase.TERMINATING
                and node.notice is None
                and life.is_quiet_but_for(*_HARMLESS, *_NOT_NEEDED)
            ):
                self._broken(life, "P12", f"{node_id} was ended while it trained: {lost} lost")
        job = life.job
        if job.iteration > life.agents.furthest:
            self._broken(life, "P12", f"{job.iteration} iterations of {life.agents.furthest} count")

    def _iterations_add_up(self, life: FaultyLife) -> None:
        job = life.job
        if job.phase is not JobPhase.SUCCEEDED or life.adoptions:
            return
        if job.iteration != life.program.iterations:
            self._broken(life, "P12", f"done with {job.iteration} of {life.program.iterations}")
        if job.redone > life.agents.lost:
            self._broken(
                life, "P12", f"{life.agents.lost} iterations were lost, {job.redone} are said to be"
            )

    def _prices_are_right(self, life: FaultyLife, calls: tuple[Call, ...]) -> None:
        """Nothing is bought at a price that is old or wrong, and no wrong one is believed."""
        launches = _of(calls, Operation.LAUNCH)
        if not launches and life.own_feed.factor == 1.0:
            return
        now_s = life.clock.now_s()
        known = {each.offering: each for each in life.store.prices.in_force(now_s)}
        for each in known.values():
            true_usd_per_h = life.market.usd_per_h(each.offering, life.elapsed_s)
            if not 1 / _WRONG < each.usd_per_h / true_usd_per_h < _WRONG:
                self._broken(life, "P13", f"{each.offering}: ${each.usd_per_h}/h is believed")
        for call in launches:
            assert call.request is not None, "a launch has a request"
            price = known.get(call.request.offering)
            oldest_s = PRICE_MAX_AGE_S
            if call.request.offering.capacity is Capacity.SPOT:
                oldest_s = SPOT_PRICE_MAX_AGE_S
            if price is None or now_s - price.observed_at_s > oldest_s + _MINUTE:
                self._broken(life, "P13", f"{call.request.offering} was bought at an old price")

    def _decisions_can_be_made_again(self, life: FaultyLife) -> None:
        for decision in life.store.decisions.listed(life.job_id, limit=20):
            snapshot = life.store.decisions.snapshot(decision.id)
            if life.decide(snapshot) != decision.plan:
                self._broken(life, "P13", f"decision {decision.id} is another one when made again")

    def _one_daemon_acts(self, life: FaultyLife, calls: tuple[Call, ...]) -> None:
        if not life.is_taken:
            return
        if _of(calls, Operation.LAUNCH):
            self._broken(life, "P14", "a machine was bought, and another daemon has them")
        since_s = life.clock.now_s() - life.taken_s[0]
        if since_s > _FOUND_OUT_S and _of(calls, Operation.TERMINATE):
            self._broken(life, "P14", "a machine was ended that another daemon has")

    def _the_job_goes_on(self, life: FaultyLife) -> None:
        """Nothing but its own end, its budget or its user ends a job."""
        job = life.job
        ending = job.ending or job.phase
        if ending is JobPhase.SUCCEEDED or not (
            job.phase.is_final or job.phase is JobPhase.DRAINING
        ):
            return
        budget_usd = life.spec.objective.budget_usd or math.inf
        spent_usd = life.bill_usd() + life.unknown_usd()
        if ending is JobPhase.BUDGET_EXHAUSTED and spent_usd > _MOSTLY * budget_usd:
            return
        self._broken(life, "ends", f"{ending}: {job.message}")


def _undoes(newest: Change, earlier: Change) -> bool:
    return (
        newest.to_group is not None
        and newest.to_group == earlier.from_group
        and newest.from_group == earlier.to_group
        and newest.code not in _COMPELLED
        and earlier.code != _TRIAL
    )


def _of(calls: tuple[Call, ...], operation: Operation) -> tuple[Call, ...]:
    return tuple(each for each in calls if each.operation is operation)


def _lives(machine: Instance) -> bool:
    return machine.state in (InstanceState.PENDING, InstanceState.RUNNING)


def _costs(state: InstanceState) -> bool:
    return state in (InstanceState.PENDING, InstanceState.RUNNING, InstanceState.STOPPING)
