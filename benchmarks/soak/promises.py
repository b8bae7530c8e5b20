"""What elasticd promises, checked after each look of a simulated daemon against what is true."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from benchmarks.soak.life import FaultyLife
from elastic.model import JobPhase, Node, NodePhase
from elastic.providers import InstanceState
from elastic.providers.fake import Operation

_MINUTE = 60.0
# The rest of a budget is kept back for a good end.
_MOSTLY = 0.8
# A job that is over, and for so long its machines may take to be gone: a lease and a few looks.
AFTERWARDS = 1_500.0


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
    _stray_since_s: dict[str, float] = field(default_factory=dict)

    def look(self, life: FaultyLife) -> None:
        """Checks what can be seen at any instant."""
        nodes = {each.id: each for each in life.store.nodes.listed(life.job_id, include_gone=True)}
        self._at_most_one_machine(life)
        self._strays_are_ended(life, nodes)
        self._the_end_is_proven(life, nodes)
        self._budget_holds(life)
        self._nothing_is_bought_for_a_job_that_is_over(life)
        self._the_job_goes_on(life)

    def end(self, life: FaultyLife) -> None:
        """Checks what must be true once the job is over and its machines had time to end."""
        left = [each.provider_id for each in life.cloud.machines() if _costs(each.state)]
        if left:
            self._broken(life, "P3", f"{len(left)} machines live on after the job: {left[:3]}")
        ledger_usd = life.ledger_usd()
        bill_usd = life.bill_usd()
        if not math.isfinite(ledger_usd) or abs(ledger_usd - bill_usd) > 0.01 * bill_usd + 0.01:
            self._broken(life, "P7", f"the ledger says ${ledger_usd:.4f}, the bill ${bill_usd:.4f}")
        self._decisions_can_be_made_again(life)

    def _broken(self, life: FaultyLife, promise: str, what: str) -> None:
        self.violations.append(Violation(promise, life.elapsed_s, what))
        raise PromiseBroken(what)

    def _at_most_one_machine(self, life: FaultyLife) -> None:
        bought = Counter(each.node_id for each in life.cloud.machines())
        for node_id, count in bought.items():
            if count > 1:
                self._broken(life, "P2", f"{count} machines were bought for the node {node_id}")

    def _strays_are_ended(self, life: FaultyLife, nodes: dict[str, Node]) -> None:
        """A machine that nobody wants is gone within two minutes of an undisturbed daemon."""
        now_s = life.clock.now_s()
        stray = set()
        for machine in life.cloud.visible():
            node = nodes.get(machine.node_id)
            if machine.state in (InstanceState.PENDING, InstanceState.RUNNING) and (
                node is None or node.phase is NodePhase.TERMINATING or node.phase.is_gone
            ):
                stray.add(machine.provider_id)
        if not life.is_quiet:
            stray = set()
        self._stray_since_s = {each: self._stray_since_s.get(each, now_s) for each in stray}
        for name, since_s in self._stray_since_s.items():
            if now_s - since_s > 2 * _MINUTE:
                self._broken(life, "P3", f"nobody wants {name}, and it lives on")

    def _the_end_is_proven(self, life: FaultyLife, nodes: dict[str, Node]) -> None:
        """No node is called gone whose machine lives."""
        alive = {
            each.provider_id
            for each in life.cloud.machines()
            if each.state in (InstanceState.PENDING, InstanceState.RUNNING)
        }
        for node in nodes.values():
            if node.phase is NodePhase.TERMINATED and node.provider_id in alive:
                self._broken(life, "P8", f"{node.id} is called gone, and {node.provider_id} lives")

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

    def _nothing_is_bought_for_a_job_that_is_over(self, life: FaultyLife) -> None:
        for call in list(life.cloud.calls):
            if call.operation is Operation.LAUNCH and life.job.phase.is_final:
                self._broken(life, "P10", "a machine was bought for a job that is over")
        life.cloud.calls.clear()

    def _the_job_goes_on(self, life: FaultyLife) -> None:
        """Nothing but its own end, its budget or its user ends a job."""
        job = life.job
        if not job.phase.is_final or job.phase is JobPhase.SUCCEEDED:
            return
        budget_usd = life.spec.objective.budget_usd or math.inf
        if job.phase is JobPhase.BUDGET_EXHAUSTED and life.bill_usd() > _MOSTLY * budget_usd:
            return
        self._broken(life, "ends", f"{job.phase}: {job.message}")

    def _decisions_can_be_made_again(self, life: FaultyLife) -> None:
        for decision in life.store.decisions.listed(life.job_id, limit=20):
            snapshot = life.store.decisions.snapshot(decision.id)
            if life.decide(snapshot) != decision.plan:
                self._broken(life, "P13", f"decision {decision.id} is another one when made again")


def _costs(state: InstanceState) -> bool:
    return state in (InstanceState.PENDING, InstanceState.RUNNING, InstanceState.STOPPING)
