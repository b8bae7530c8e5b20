"""One job in a virtual world: the clock jumps from event to event, and ticks when things may
change.

The daemon looks every `tick_s` seconds. A look at a world in which nothing has changed changes
nothing, so most looks are left out. After each change the next looks come 1, 16 and 256 ticks
later, up to `quiet_s` apart. A look comes at once if an agent has news, a machine is taken, a price
moves or a refusal has run out.

Before a longer gap, `decide` itself (which is pure) is asked what it would do at its end if the job
only went on as now. If it would do anything else, the look comes when that would first be done: at
the budget, at the safety net or after a cooldown.
"""

from __future__ import annotations

import functools
import heapq
import math
import random
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import structlog

from elastic.clock import ManualClock
from elastic.durations import (
    ANSWER_TIMEOUT_S,
    BOOT_PRIOR_S,
    END_GRACE_S,
    GONE_LISTED_S,
    HEARTBEAT_S,
    HOUR_S,
    LEASE_S,
    MINUTE_S,
    POOL_ASKED_AGAIN_S,
    REGISTER_S,
    TICK_S,
)
from elastic.errors import ElasticError
from elastic.liveness import silence_bounds
from elastic.model import (
    Action,
    Generation,
    Group,
    Job,
    JobSpec,
    Limits,
    Mode,
    Node,
    NodePhase,
    Notice,
    NoticeKind,
    Offering,
    Plan,
    Rounds,
    Snapshot,
    Unavailable,
    last_safe_instant,
)
from elastic.policy import can_be_met
from elastic.pricing import PriceSource, TracePrices
from elastic.providers import FakeCloud, FakeProvider, Instance, InstanceState
from elastic.reconciler import LaunchTerms as LaunchTerms
from elastic.reconciler import (
    LeaseHolder,
    Machines,
    Reconciler,
    TerminationPermission,
    Timeouts,
    reply_for,
)
from elastic.simulator.agents import Agents
from elastic.simulator.market import SimulatedMarket
from elastic.simulator.program import Program
from elastic.store import Store, open_store

log = structlog.get_logger(__name__)

_MEMORY = Path("/dev/shm")

# The instant at which every simulated market begins.
BEGINS_S = 1_700_000_000.0
# In place of the hash of the request that submits the job.
REQUEST = "simulated"

# A price that moves by less waits for the next look: no margin of a move is that small, and the
# ledger has the price anyway.
_NEWSWORTHY = 0.02
# How much longer each look waits than the one before, while nothing changes. What takes its time,
# such as a drain, is over within a few looks; everything else wakes the daemon by itself.
_GROWTH = 16.0
# The code of the reason with which a policy waits for windows.
_MEASURING = "measuring"
# Six looks a day at a cluster in which nothing happens cost little (decision 0120).
_LONGEST_LOOK_S = 14_400.0
_REACTION_S = TICK_S + HEARTBEAT_S + ANSWER_TIMEOUT_S


@dataclass(frozen=True, slots=True)
class SimulationSettings:
    """How the simulated daemon and its cloud are set up, in seconds."""

    limits: Limits = field(default_factory=lambda: Limits(reaction_s=_REACTION_S))
    tick_s: float = TICK_S
    heartbeat_s: float = HEARTBEAT_S
    # The longest time between two looks at a cluster that trains. It only saves work: a look that
    # could decide something is never left out.
    quiet_s: float = _LONGEST_LOOK_S
    # The same for a cluster without machines.
    waiting_s: float = _LONGEST_LOOK_S
    lease_s: float = LEASE_S
    register_s: float = REGISTER_S
    boot_s: float = BOOT_PRIOR_S
    # An instance shuts down within seconds: an assumption, and nothing is decided by it.
    exit_s: float = END_GRACE_S
    # No simulated script hangs, and looks that are left out must raise no alarm.
    standstill_s: float = HOUR_S
    max_failures: int = 3
    seed: int = 0


class VirtualRendezvous:
    """A meeting place that is always there: virtual workers need none."""

    def lives(self, job_id: str) -> bool:
        return True

    def endpoint(self, job_id: str, *, rounds: Rounds) -> str | None:
        return f"127.0.0.1:1/{job_id}"

    def end(self, job_id: str) -> None:
        pass


@dataclass(slots=True)
class Simulation:
    """A job in a market."""

    folder: Path
    spec: JobSpec
    program: Program
    market: SimulatedMarket
    decide: Callable[[Snapshot], Plan]
    terms: SimulationSettings = SimulationSettings()
    # The prices that the daemon is given; None for the true ones, at once.
    feed: PriceSource | None = None
    clock: ManualClock = field(default_factory=lambda: ManualClock(BEGINS_S))
    # The Idempotency-Key under which the job is submitted.
    key: str | None = None
    ticks: int = 0
    # How often the wanted group changed.
    moves: int = 0
    # How many machines a pool took back.
    losses: int = 0
    cloud: FakeCloud = field(init=False)
    store: Store = field(init=False)
    reconciler: Reconciler = field(init=False)
    right: TerminationPermission = field(init=False)
    agents: Agents = field(init=False)
    job_id: str = field(init=False)
    # What will happen: when, in which order, and what.
    _events: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _event_count: int = 0
    _node_of: dict[str, str] = field(default_factory=dict)
    _booting: set[str] = field(default_factory=set)
    # What the last look saw; None once the job is over.
    _seen: object = None
    # The wanted group at the last look.
    _target: Group | None = None
    # The longest gap before the next look.
    _interval_s: float = 0.0
    _next_tick_s: float = BEGINS_S
    # The latest decision, with what it was made from.
    _decided: tuple[Snapshot, Plan] | None = None

    def __post_init__(self) -> None:
        terms = self.terms
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
        self._wire(FakeProvider(self.cloud))
        job, _ = self.store.jobs.submit(
            self.spec, key=self.key, request_hash=REQUEST, now_s=self.clock.now_s()
        )
        self.job_id = job.id
        self.agents = Agents(
            store=self.store,
            clock=self.clock,
            program=self.program,
            later=self._later,
            heartbeat_s=terms.heartbeat_s,
            mode=Mode.RESTART,
            chance=random.Random(terms.seed),
        )
        for offering in self.market.pools:
            self._follow_pool(offering, 0.0)
        self._await_price(self.clock.now_s())

    def close(self) -> None:
        self.store.close()

    @property
    def job(self) -> Job:
        """The job as it stands."""
        return self.store.jobs.get(self.job_id)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the market began."""
        return self.clock.now_s() - BEGINS_S

    def ledger_usd(self) -> float:
        """What the daemon's ledger says that the job has cost."""
        return self.store.ledger.spent(self.job_id, self.clock.now_s())

    def bill_usd(self) -> float:
        """What the machines really cost, counted without any ledger."""
        return bill_usd(
            self.cloud.machines(),
            self.market,
            began_s=BEGINS_S,
            minimum_s=self.cloud.minimum_billed_s,
            now_s=self.clock.now_s(),
        )

    def run(self, *, until_s: float) -> Job:
        """Runs until the job is over, or until so many seconds after the market's beginning; gives
        the job."""
        end_s = BEGINS_S + until_s
        while self.clock.now_s() < end_s:
            at_s = min(self._next_tick_s, self._events[0][0] if self._events else math.inf, end_s)
            self.clock.advance(max(at_s - self.clock.now_s(), 0.0))
            self._happen()
            if self.clock.now_s() >= self._next_tick_s:
                self._tick()
                if self._is_over():
                    break
            elif self.agents.has_news:
                self._tick_by(self.clock.now_s())
        return self.job

    def _is_over(self) -> bool:
        return self._seen is None

    def _wire(self, provider: FakeProvider) -> None:
        terms = self.terms
        self.right = TerminationPermission(provider.prove_end, terms.lease_s, self.clock.now_s)
        leader_lease = LeaseHolder(
            cluster="simulated",
            holder=self.store.holder(),
            place=str(self.folder),
            clock=self.clock,
            register=provider.lease_register,
        )
        self.reconciler = Reconciler(
            store=self.store,
            provider=provider,
            prices=self.feed or TracePrices(self.market.rows(), started_at_s=BEGINS_S),
            machines=Machines(
                store=self.store,
                provider=provider,
                terms=LaunchTerms("http://127.0.0.1:1", str),
                right=self.right,
                leader_lease=leader_lease,
                register_s=terms.register_s,
            ),
            rendezvous=VirtualRendezvous(),
            decide=self._decide,
            limits=terms.limits,
            timeouts=Timeouts(
                register_s=terms.register_s,
                lease_s=terms.lease_s,
                reaction_s=terms.tick_s + terms.heartbeat_s + ANSWER_TIMEOUT_S,
                standstill_s=terms.standstill_s,
                silence=silence_bounds(heartbeat_s=terms.heartbeat_s),
            ),
            max_failures=terms.max_failures,
        )

    def _decide(self, snapshot: Snapshot) -> Plan:
        plan = self.decide(snapshot)
        self._decided = snapshot, plan
        return plan

    def _later(self, at_s: float, act: Callable[[], None]) -> None:
        self._event_count += 1
        heapq.heappush(self._events, (at_s, self._event_count, act))

    def _happen(self) -> None:
        while self._events and self._events[0][0] <= self.clock.now_s():
            heapq.heappop(self._events)[2]()

    def _tick_by(self, at_s: float) -> None:
        """Has the daemon look at the first of its ticks that is not before `at_s`."""
        number = math.ceil((at_s - BEGINS_S) / self.terms.tick_s - 1e-9)
        self._next_tick_s = min(self._next_tick_s, BEGINS_S + number * self.terms.tick_s)

    def _tick(self) -> None:
        now_s = self.clock.now_s()
        self.agents.beat()
        try:
            self.reconciler.tick(now_s=now_s)
        except ElasticError as error:
            log.warning("a simulated look failed", error=str(error))
        self.ticks += 1
        self._next_tick_s = math.inf
        self._look()

    def _look(self) -> None:
        """Follows what the tick has changed: machines that boot, replies to agents, and the next
        look."""
        job = self.job
        nodes = self.store.nodes.listed(self.job_id)
        if job.phase.is_final:
            self._seen = None
            return
        # What the agents will be told, and what has changed since the last look.
        generation = self.store.generations.latest(self.job_id)
        self._tell_agents(job, nodes, generation)
        now_s = self.clock.now_s()
        target = self.store.jobs.target(self.job_id)
        self.moves += self._target not in (None, target)
        self._target = target
        if generation is None:
            members = None
        else:
            members = (generation.number, generation.drain_at_s, generation.ended_at_s)
        blocks = self.reconciler.provider.blocks.listed(now_s=now_s)
        stand = tuple((node.id, node.phase, node.stopping_at_s) for node in nodes)
        wanted: tuple[Offering, ...] = ()
        if target is not None:
            wanted = tuple(offering for offering, _ in target.members)
        # Another refusal by the same pool is no change: its block is renewed, and it stays closed.
        closed = _closed(blocks, wanted)
        seen = (job.phase, target, members, stand, closed)
        if seen != self._seen:
            self._seen = seen
            self._interval_s = self.terms.tick_s
        else:
            if nodes:
                longest_s = self.terms.quiet_s
            else:
                longest_s = self.terms.waiting_s
            self._interval_s = min(_GROWTH * self._interval_s, longest_s)
        self._plan_next(now_s, blocks)
        self._await_drain(now_s, nodes)
        if self._decided is not None and not set(closed) <= set(
            _closed(self._decided[0].unavailable, wanted)
        ):
            # It was refused only now: the next tick decides from that.
            self._tick_by(now_s + self.terms.tick_s)

    def _tell_agents(
        self, job: Job, nodes: tuple[Node, ...], generation: Generation | None
    ) -> None:
        """What the next heartbeats' replies will tell the agents."""
        lease_s = self.right.lease_left_s()
        for node in nodes:
            if node.phase is NodePhase.BOOTING:
                self._await_boot(node)
            elif node.phase is NodePhase.JOINED:
                reply = reply_for(node, job, generation, lease_s=lease_s)
                self.agents.hear(
                    node, None if reply.assignment is None else reply.assignment.generation
                )
            elif node.phase is NodePhase.TERMINATING:
                self.agents.gone(node.id)

    def _await_drain(self, now_s: float, nodes: Iterable[Node]) -> None:
        """Looks when a node that will be taken back must be asked to save."""
        at_s = last_safe_instant(
            nodes,
            drain_grace_s=self.spec.drain_grace_s,
            reaction_s=self.reconciler.timeouts.reaction_s,
        )
        if at_s is not None and at_s > now_s:
            self._tick_by(at_s)

    def _plan_next(self, now_s: float, blocks: tuple[Unavailable, ...]) -> None:
        self._tick_by(now_s + self._gap_s(now_s))
        # Also look when refusals run out. Those that end together are looked at once.
        ends_s = sorted(self._asked_with_hope_s(block) for block in blocks)
        if ends_s and math.isfinite(ends_s[0]):
            self._tick_by(max(end_s for end_s in ends_s if end_s <= ends_s[0] + MINUTE_S))

    def _asked_with_hope_s(self, block: Unavailable) -> float:
        """When a pool is asked again with a chance: until it is up, each attempt is refused as
        before."""
        pool = self.market.pools.get(block.offering)
        at_s = block.until_s - BEGINS_S
        if pool is None or pool.availability.is_up(at_s):
            return block.until_s
        turn_s = pool.availability.next_turn_s(at_s)
        if math.isinf(turn_s):
            return math.inf
        return block.until_s + POOL_ASKED_AGAIN_S * math.ceil((turn_s - at_s) / POOL_ASKED_AGAIN_S)

    def _gap_s(self, now_s: float) -> float:
        """For how many seconds the job would go on as now, if only time passed."""
        tick_s = self.terms.tick_s
        longest_s = self._interval_s
        if self._decided is None:
            return tick_s
        _, plan = self._decided
        if longest_s <= tick_s or _is_learning(plan):
            return self._until_the_next_window_s()
        if self._goes_on_at(now_s + longest_s):
            return longest_s
        # Search for the first instant at which it would not hold.
        quiet_s = 0.0
        while longest_s - quiet_s > 2 * tick_s:
            middle_s = (quiet_s + longest_s) / 2
            if self._goes_on_at(now_s + middle_s):
                quiet_s = middle_s
            else:
                longest_s = middle_s
        return max(quiet_s, tick_s)

    def _until_the_next_window_s(self) -> float:
        """A tick, or as long as the next window of what is being measured."""
        step_s = self.agents.step_s
        if step_s is None:
            return self.terms.tick_s
        return max(self.terms.tick_s, step_s)

    def _goes_on_at(self, at_s: float) -> bool:
        """Whether the policy would hold at an instant as it does now."""
        assert self._decided is not None, "nothing is predicted before the first decision"
        snapshot, plan = self._decided
        closed = tuple(
            replace(block, until_s=min(self._asked_with_hope_s(block), at_s + GONE_LISTED_S))
            for block in snapshot.unavailable
        )
        then = replace(_later_snapshot(snapshot, plan, at_s), unavailable=closed)
        later = self.decide(then)
        if (later.action, later.target, later.may_buy) != (
            Action.HOLD,
            self._target,
            plan.may_buy,
        ):
            return False
        # Once on-demand would be late, the policy holds again: it would have moved before that.
        return can_be_met(then, later) or not can_be_met(snapshot, plan)

    def _await_boot(self, node: Node) -> None:
        if node.id in self._booting or node.launched_at_s is None or node.provider_id is None:
            return
        self._booting.add(node.id)
        self._node_of[node.provider_id] = node.id
        self._later(node.launched_at_s + self.terms.boot_s, lambda: self._boot(node))

    def _boot(self, node: Node) -> None:
        machine = next(
            (each for each in self.cloud.visible() if each.provider_id == node.provider_id), None
        )
        known = self.store.nodes.get(node.id)
        if (
            machine is not None
            and machine.state is InstanceState.RUNNING
            and known.phase is NodePhase.BOOTING
        ):
            self.agents.join(node)

    def _follow_pool(self, offering: Offering, at_s: float) -> None:
        """Brings the cloud to the pool's present state, and again whenever that turns.

        `at_s` counts from the market's beginning. It is exact, where instants are rounded.
        """
        pool = self.market.pools[offering]
        if pool.availability.is_up(at_s):
            self.cloud.capacity.pop(offering, None)
        else:
            self.cloud.capacity[offering] = 0
            if pool.takes_back:
                self._take_back(offering, pool.notice_s)
        turn_s = pool.availability.next_turn_s(at_s)
        if math.isfinite(turn_s):
            self._later(BEGINS_S + turn_s, lambda: self._follow_pool(offering, turn_s))

    def _take_back(self, offering: Offering, notice_s: float) -> None:
        now_s = self.clock.now_s()
        for machine in self.cloud.visible():
            if machine.offering != offering or machine.state not in (
                InstanceState.PENDING,
                InstanceState.RUNNING,
            ):
                continue
            self.losses += 1
            if notice_s > 0:
                notice = Notice(NoticeKind.INTERRUPTION, now_s, now_s + notice_s, "terminate")
                self.agents.notice(machine.node_id, notice)
            self._later(now_s + notice_s, partial(self._reclaim, machine.provider_id))

    def _reclaim(self, provider_id: str) -> None:
        machine = next(
            (each for each in self.cloud.visible() if each.provider_id == provider_id), None
        )
        if machine is None or machine.state in (InstanceState.STOPPING, InstanceState.GONE):
            return
        self.cloud.reclaim(provider_id, why="Server.SpotInstanceTermination", was_taken=True)
        self.agents.gone(machine.node_id)
        self._tick_by(self.clock.now_s())

    def _await_price(self, after_s: float) -> None:
        """Has the daemon look when a price moves that it may follow; smaller moves are seen at the
        next look."""
        at_s = min((each for each in self._price_moves(after_s)), default=math.inf)
        if math.isfinite(at_s):
            self._later(at_s, lambda: self._note_price(at_s))

    def _note_price(self, at_s: float) -> None:
        self._tick_by(at_s)
        self._await_price(at_s)

    def _price_moves(self, after_s: float) -> Iterator[float]:
        capped = self.spec.objective.max_usd_per_hour is not None
        least = 0.0 if capped else _NEWSWORTHY  # the smallest move may cross a cap
        for steps in self.market.prices.values():
            # Compared as instants: fractions of a second are rounded in these.
            later = bisect_right(steps, after_s, key=lambda step: BEGINS_S + step[0])
            known = steps[max(later - 1, 0)][1]
            for at_s, usd_per_h in steps[later:]:
                if abs(usd_per_h / known - 1) >= least:
                    yield BEGINS_S + at_s
                    break


def _closed(
    blocks: Iterable[Unavailable], wanted: Collection[Offering]
) -> tuple[tuple[Offering, int], ...]:
    return tuple((each.offering, each.nodes) for each in blocks if each.offering in wanted)


def _is_learning(plan: Plan) -> bool:
    """Whether the policy waits for windows: each of them may be the one that it waits for."""
    return plan.reason.code == _MEASURING


def _later_snapshot(snapshot: Snapshot, plan: Plan, at_s: float) -> Snapshot:
    """What would be seen at an instant if nothing changed: the same prices, and training at its
    pace."""
    after_s = max(at_s - snapshot.now_s, 0.0)
    prices = tuple(replace(price, observed_at_s=at_s) for price in snapshot.prices)
    in_force = sorted(snapshot.prices, key=lambda price: price.valid_from_s)
    usd_per_h = {price.offering: price.usd_per_h for price in in_force}
    burn = sum(
        usd_per_h.get(node.offering, 0.0) for node in snapshot.nodes if not node.phase.is_gone
    )
    job = snapshot.job
    total = snapshot.job.spec.iterations
    # Training goes on at the pace that the plan knows, and never quite to the end.
    own = plan.candidate(snapshot.current)
    if own is None or own.step_s is None:
        done = 0
    else:
        done = int(after_s / own.step_s.value)
    iteration = job.iteration + done
    if total is not None:
        iteration = min(iteration, max(total - 1, job.iteration))
    return replace(
        snapshot,
        now_s=at_s,
        prices=prices,
        spent_usd=snapshot.spent_usd + burn * after_s / 3600,
        job=replace(job, iteration=iteration),
    )


@contextmanager
def simulated(
    spec: JobSpec,
    program: Program,
    market: SimulatedMarket,
    *,
    decide: Callable[[Snapshot], Plan],
    terms: SimulationSettings = SimulationSettings(),
    feed: PriceSource | None = None,
) -> Iterator[Simulation]:
    """A simulation whose database is removed after the block."""
    with fast_folder() as folder:
        simulation = Simulation(Path(folder), spec, program, market, decide, terms, feed)
        try:
            yield simulation
        finally:
            simulation.close()


def bill_usd(
    machines: Iterable[Instance],
    market: SimulatedMarket,
    *,
    began_s: float,
    minimum_s: float,
    now_s: float,
) -> float:
    """Dollars of all machines by `now_s`: each second of each at the price in force then.

    `began_s` is when the market began; a machine is billed for at least `minimum_s`.
    """
    return sum(_machine_usd(each, market, began_s, minimum_s, now_s) for each in machines)


def _machine_usd(
    machine: Instance, market: SimulatedMarket, began_s: float, minimum_s: float, now_s: float
) -> float:
    from_s = machine.launched_at_s - began_s
    end_s = (now_s if machine.exited_at_s is None else machine.exited_at_s) - began_s
    # Cut its life where its price changed.
    cuts_s = [at_s for at_s, _ in market.prices[machine.offering] if from_s < at_s < end_s]
    usd = 0.0
    for begin_s, until_s in zip([from_s, *cuts_s], [*cuts_s, end_s], strict=True):
        usd += (until_s - begin_s) * market.usd_per_h(machine.offering, begin_s) / 3600
    missing_s = max(minimum_s - (end_s - from_s), 0.0)
    return usd + missing_s * market.usd_per_h(machine.offering, end_s) / 3600


def lay_out(path: Path) -> str:
    """Gives the URL of the database at `path`, which is created if it does not exist."""
    url = f"sqlite:///{path}"
    if not path.exists():
        path.write_bytes(_template())
    return url


def fast_folder() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder, in memory if the system has one: a simulated store need not last."""
    return tempfile.TemporaryDirectory(
        prefix="elasticd-simulated-", dir=_MEMORY if _MEMORY.is_dir() else None
    )


@functools.cache
def _template() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "elasticd.db")
        open_store(f"sqlite:///{path}").close()
        return path.read_bytes()
