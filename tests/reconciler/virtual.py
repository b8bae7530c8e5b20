"""A virtual cluster around the real reconciler: a fake cloud, agents that obey the daemon, a clock
told to move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from elastic.clock import ManualClock
from elastic.model import (
    AGENT_SAYS,
    Action,
    AgentState,
    Exit,
    Generation,
    Group,
    Job,
    JobSpec,
    Limits,
    Mode,
    Node,
    NodePhase,
    NodeReport,
    NodeType,
    Notice,
    NoticeKind,
    Offering,
    Outcome,
    Plan,
    Preparing,
    Pulse,
    Reason,
    Rounds,
    ScriptError,
    Snapshot,
    Window,
)
from elastic.pricing import Quote, static_prices
from elastic.providers import FakeCloud, FakeProvider, InstanceState
from elastic.reconciler import (
    LaunchTerms,
    LeaseHolder,
    Machines,
    Reconciler,
    TerminationPermission,
    reply_for,
)
from elastic.store import HeartbeatReport, Store, open_store
from tests.builders import timeouts
from tests.empty_database import lay_out

TYPES = (NodeType("small", 1.0, 1.0), NodeType("large", 4.0, 4.0))
SMALL, LARGE = Offering("small"), Offering("large")
STEP_S = {"small": 1.0, "large": 0.5}
LEASE_S = 600.0
_TRACEBACK = "Traceback (most recent call last):\n  no\nValueError: no"


class FakeRendezvous:
    """Answers at once, at a made-up address, and remembers whom it was ended for, and with what it
    was begun anew."""

    def __init__(self) -> None:
        self.ended: list[str] = []
        self.begun: list[Rounds] = []
        self.is_alive = True

    def lives(self, job_id: str) -> bool:
        return self.is_alive

    def endpoint(self, job_id: str, *, rounds: Rounds) -> str | None:
        if not self.is_alive:
            self.begun.append(rounds)
            self.is_alive = True
        return f"127.0.0.1:1/{job_id}"

    def end(self, job_id: str) -> None:
        self.ended.append(job_id)


class Prices:
    """Quotes what it is told to, or fails as it is told to."""

    name = "told"

    def __init__(self, *quotes: Quote, error: Exception | None = None) -> None:
        self.quotes = quotes
        self.error = error

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        if self.error is not None:
            raise self.error
        return tuple(quote for quote in self.quotes if quote.valid_from_s <= now_s)


def small_forever(snapshot: Snapshot) -> Plan:
    """A policy that wants one small node."""
    wanted = Group.of(SMALL)
    action = Action.HOLD if snapshot.target == wanted else Action.START
    return Plan(action, wanted, Reason("told", "as told"))


@dataclass(slots=True)
class VirtualAgent:
    """What one machine's agent does: runs the assigned generation, stops when told to, counts its
    windows."""

    seq: int = 0
    generation: int | None = None
    exit: Exit | None = None
    is_crashing: bool = False
    refusal: str = ""
    notice: Notice | None = None
    turned_at_s: float | None = None


@dataclass(slots=True)
class SkewedClock:
    """The clock of the daemon's host: off by `skew_s` from the world's."""

    world: ManualClock
    skew_s: float = 0.0

    def now_s(self) -> float:
        return self.world.now_s() + self.skew_s

    def sleep(self, duration_s: float) -> None:
        self.world.advance(duration_s)


@dataclass(slots=True)
class VirtualCluster:
    """Drives ticks and agents, second by second. `done` holds each job's iterations, as a
    checkpoint would.

    A job in `fails_at` fails with that error whenever it comes to that iteration, and begins again
    at 0. `prepares` says what a node gets ready, None where it is done with that. Nodes whose ids
    are in `cut` can neither be heard nor reached by others, and who trains with them makes no turn.
    With `has_leases` a machine powers itself off when it is told to, or once its lease is over;
    agents that are silent hear nothing either.
    """

    folder: Path
    decide: Callable[[Snapshot], Plan]
    prices: Mapping[Offering, float] = field(default_factory=lambda: {SMALL: 0.36, LARGE: 0.72})
    offerings: tuple[Offering, ...] | None = None
    clock: ManualClock = field(default_factory=lambda: ManualClock(1000.0))
    shared_cloud: FakeCloud | None = None
    cloud: FakeCloud = field(init=False)
    store: Store = field(init=False)
    rendezvous: FakeRendezvous = field(default_factory=FakeRendezvous)
    agents: dict[str, VirtualAgent] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    reclaims: dict[str, float] = field(default_factory=dict)
    agents_are_silent: bool = False
    cut: set[str] = field(default_factory=set)
    fails_at: dict[str, tuple[int, ScriptError]] = field(default_factory=dict)
    prepares: Callable[[Node], Preparing | None] = lambda node: None
    traceback: str = _TRACEBACK
    echo: ScriptError | None = None
    """What crashing agents say of the exception in it."""
    has_leases: bool = False
    lease_ends_at_s: dict[str, float] = field(default_factory=dict)
    _speeds: dict[str, int] = field(default_factory=dict)
    host_clock: SkewedClock = field(init=False)
    reconciler: Reconciler = field(init=False)
    right: TerminationPermission = field(init=False)
    leader_lease: LeaseHolder = field(init=False)

    def __post_init__(self) -> None:
        self.host_clock = SkewedClock(self.clock)
        self.cloud = self.shared_cloud or FakeCloud(
            TYPES,
            clock=self.clock,
            offerings=self.offerings,
            boot_s=3.0,
            exit_s=2.0,
            minimum_billed_s=0.0,
        )
        self.restart()

    def restart(self) -> None:
        """Starts another daemon on the same database, as after a crash: nothing in memory is
        kept."""
        self.store = open_store(lay_out(self.folder / "elasticd.db"))
        provider = FakeProvider(self.cloud)
        self.right = TerminationPermission(provider.prove_end, LEASE_S, self.clock.now_s)
        self.leader_lease = LeaseHolder(
            cluster="virtual",
            holder=self.store.holder(),
            place=str(self.folder),
            clock=self.host_clock,
            register=provider.lease_register,
        )
        self.reconciler = Reconciler(
            store=self.store,
            provider=provider,
            prices=static_prices(self.prices, valid_from_s=0.0),
            machines=Machines(
                store=self.store,
                provider=provider,
                terms=LaunchTerms("http://127.0.0.1:1", str),
                right=self.right,
                leader_lease=self.leader_lease,
            ),
            rendezvous=self.rendezvous,
            decide=self.decide,
            limits=Limits(minimum_billed_s=0.0, reaction_s=5.0),
            timeouts=timeouts(reaction_s=5.0, standstill_s=60.0),
            max_failures=3,
        )

    def submit(self, **spec: object) -> Job:
        values = {
            "name": "job",
            "command": ("train.py",),
            "nodes_max": 4,
            "iterations": 10_000,
        } | spec
        job_spec = JobSpec(**values)  # type: ignore[arg-type]  # tests name the fields they are about
        return self.store.jobs.submit(
            job_spec, key=None, request_hash="h", now_s=self.clock.now_s()
        )[0]

    def take_back(self, node: Node, *, in_s: float) -> None:
        """The cloud tells the node that its machine goes, and takes it when the time has come."""
        now_s = self.clock.now_s()
        notice = Notice(NoticeKind.INTERRUPTION, now_s, now_s + in_s, "terminate")
        self.agents.setdefault(node.id, VirtualAgent()).notice = notice
        assert node.provider_id is not None
        self.reclaims[node.provider_id] = now_s + in_s

    def run(self, seconds: int, *, ticking: bool = True) -> None:
        """Lets the world go on for so many seconds, with or without a daemon that ticks."""
        for _ in range(seconds):
            if ticking:
                self.reconciler.tick(now_s=self.host_clock.now_s())
            self.clock.advance(1.0)
            for provider_id in [
                each for each, at_s in self.reclaims.items() if at_s <= self.clock.now_s()
            ]:
                del self.reclaims[provider_id]
                self.cloud.reclaim(provider_id)
            if self.has_leases:
                self._power_off()
            if not self.agents_are_silent:
                for node in [each for each in self.store.nodes.listed() if each.id not in self.cut]:
                    self._agent_second(node)

    def run_slowly(self, seconds: int, *, every_s: int = 10) -> None:
        """Lets time go by with a tick every so often; more than half a lease apart they would be a
        daemon's absence."""
        for _ in range(seconds // every_s):
            self.run(1)
            self.clock.advance(every_s - 1.0)

    def _power_off(self) -> None:
        """A machine's first lease begins with it; its own timer ends it when the last one is
        over."""
        for machine in self.cloud.machines():
            if machine.state in (InstanceState.PENDING, InstanceState.RUNNING):
                ends_at_s = self.lease_ends_at_s.setdefault(
                    machine.provider_id, machine.launched_at_s + LEASE_S
                )
                if self.clock.now_s() >= ends_at_s:
                    self.cloud.reclaim(machine.provider_id)

    def _agent_second(self, node: Node) -> None:
        machines = {machine.node_id: machine for machine in self.cloud.machines()}
        machine = machines.get(node.id)
        if machine is None or machine.state is not InstanceState.RUNNING:
            return
        if node.phase is NodePhase.BOOTING:
            self.store.nodes.joined(node.id, now_s=self.host_clock.now_s())
        elif node.phase is NodePhase.JOINED:
            self._heartbeat(node, self.agents.setdefault(node.id, VirtualAgent()))
        elif node.phase is NodePhase.TERMINATING and self.has_leases:
            self.cloud.reclaim(machine.provider_id)

    def _heartbeat(self, node: Node, agent: VirtualAgent) -> None:
        job = self.store.jobs.get(node.job_id)
        generation = self.store.generations.latest(job.id)
        lease_s = self.right.lease_left_s()
        reply = reply_for(node, job, generation, lease_s=lease_s)
        if node.provider_id is not None:
            self.lease_ends_at_s[node.provider_id] = self.clock.now_s() + reply.lease_s
        if (preparing := self.prepares(node)) is not None:
            said = HeartbeatReport(NodeReport(AgentState.PREPARING, preparing=preparing))
            self.store.heartbeats.take_in(node.id, said, now_s=self.host_clock.now_s())
            return
        windows: list[Window] = []
        wanted = None if reply.assignment is None else reply.assignment.generation
        if job.spec.mode is Mode.LIVE and None not in (wanted, agent.generation):
            agent.generation = (
                wanted  # workers in a session go on as members of the next generation
            )
        if agent.generation is not None and agent.generation != wanted:
            agent.exit = Exit(agent.generation, Outcome.DRAINED, 0, self.done.get(job.id, 0))
            agent.generation = agent.turned_at_s = None
        elif wanted is not None and (agent.exit is None or agent.exit.generation != wanted):
            agent.generation = wanted
            assert generation is not None
            if self.cut.isdisjoint(generation.node_ids):
                agent.turned_at_s = self.clock.now_s()
                windows = self._train(node, agent, job, generation)
        pulse = (
            None
            if agent.turned_at_s is None
            else Pulse(self.clock.now_s() - agent.turned_at_s, 1.0, 1.0)
        )
        self.store.heartbeats.take_in(
            node.id,
            HeartbeatReport(
                report=NodeReport(
                    AgentState.IDLE if agent.generation is None else AgentState.RUNNING,
                    agent.generation,
                    mode=None if agent.generation is None else job.spec.mode,
                    pulse=pulse,
                ),
                last_exit=agent.exit,
                windows=windows,
                acked_seq=agent.seq,
                notice=agent.notice,
            ),
            now_s=self.host_clock.now_s(),
        )

    def _iterations_a_second(self, node_id: str) -> int:
        if node_id not in self._speeds:
            node_type = self.store.nodes.get(node_id).offering.node_type
            self._speeds[node_id] = int(1.0 / STEP_S[node_type])
        return self._speeds[node_id]

    def _train(
        self, node: Node, agent: VirtualAgent, job: Job, generation: Generation | None
    ) -> list[Window]:
        assert agent.generation is not None and generation is not None
        if agent.is_crashing or agent.refusal:
            said = f"{AGENT_SAYS}{agent.refusal}\n" if agent.refusal else self.traceback
            needs_person = bool(agent.refusal)
            agent.exit = Exit(
                agent.generation,
                Outcome.FAILED,
                1,
                log_tail=said,
                needs_person=needs_person,
                error=self.echo,
            )
            agent.generation = None
            return []
        if node.id != generation.node_ids[0]:
            return []
        agent.seq += 1
        iterations = sum(self._iterations_a_second(each) for each in generation.node_ids)
        done = self.done[job.id] = min(
            self.done.get(job.id, 0) + iterations, job.spec.iterations or 10**9
        )
        fails_at, error = self.fails_at.get(job.id, (None, None))
        if done == fails_at:
            agent.exit = Exit(
                agent.generation, Outcome.FAILED, 1, log_tail=self.traceback, error=error
            )
            agent.generation, self.done[job.id] = None, 0
        elif self.done[job.id] == job.spec.iterations:
            agent.exit, agent.generation = (
                Exit(agent.generation, Outcome.SUCCEEDED, 0, self.done[job.id]),
                None,
            )
        return [
            Window(
                node_id=node.id,
                seq=agent.seq,
                generation=generation.number,
                world_size=len(generation.node_ids),
                phase="main",
                iteration=done,
                iterations=iterations,
                elapsed_s=1.0,
                is_cold=False,
                ended_at_s=self.host_clock.now_s(),
            )
        ]
