"""Virtual agents: they join, follow the daemon's replies, train at a hidden pace, and report
changes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from elastic.clock import ManualClock
from elastic.durations import LOOK_S, MINUTE_S
from elastic.model import (
    AgentState,
    Batch,
    Beginning,
    Exit,
    Generation,
    Mode,
    Node,
    NodeReport,
    Notice,
    Outcome,
    Pulse,
    Window,
)
from elastic.simulator.program import Program
from elastic.store import HeartbeatReport, Store

# A heartbeat reports this many windows of a young generation, as real agents do: one each 0.5 s,
# and 5 s a tick. Once an estimate's memory is full (64, `throughput.RECENT_WINDOWS`), it reports
# one.
_ECHO = "RuntimeError: Connection closed by peer"
_FIRST_WINDOWS = 10
_MANY_WINDOWS = 64


@dataclass(slots=True)
class _Agent:
    node: Node
    state: AgentState = AgentState.IDLE
    generation: int | None = None
    mode: Mode | None = None
    exit: Exit | None = None
    seq: int = 0
    notice: Notice | None = None
    has_news: bool = True
    windows: list[Window] = field(default_factory=list)
    beginnings: dict[int, Beginning] = field(default_factory=dict)


@dataclass(slots=True)
class _Training:
    """Workers that make turns."""

    generation: Generation
    # The node that reports the turns.
    leader: str
    step_s: float
    # Up to when turns have been counted.
    at_s: float
    begun_s: float
    # The iteration at which they began.
    begun_at: int
    windows: int = 0


@dataclass(slots=True)
class Agents:
    """The agents of one job's nodes, and its script."""

    store: Store
    clock: ManualClock
    program: Program
    # `later(at_s, act)` lets `act` happen at an instant.
    later: Callable[[float, Callable[[], None]], None]
    heartbeat_s: float
    mode: Mode
    chance: random.Random
    # The iterations that would survive if every node saved now.
    done: int = 0
    # Iterations that were lost, in all.
    lost: int = 0
    # Whether an agent has something to report.
    has_news: bool = False
    _agents: dict[str, _Agent] = field(default_factory=dict)
    _training: _Training | None = None
    # Nodes that are about to follow a reply, with the generation in it.
    _obeying: set[tuple[str, int | None]] = field(default_factory=set)

    @property
    def step_s(self) -> float | None:
        """Seconds an iteration of what trains now; None if nothing does."""
        if self._training is None:
            return None
        return self._training.step_s

    def join(self, node: Node) -> None:
        """The machine has booted, and its agent registers."""
        joined = self.store.nodes.joined(node.id, now_s=self.clock.now_s())
        self._agents[node.id] = _Agent(joined)
        self.has_news = True

    def notice(self, node_id: str, notice: Notice) -> None:
        """The cloud tells a machine that it will be taken back."""
        agent = self._agents.get(node_id)
        if agent is not None:
            agent.notice = notice
            agent.has_news = True
            self.has_news = True

    def gone(self, node_id: str) -> None:
        """The machine is gone: its agent is silent from now on, and its peers' workers end."""
        agent = self._agents.get(node_id)
        if agent is None:
            return
        self._count(is_last=True)
        # Its heartbeats arrived until now.
        self._beat(agent)
        del self._agents[node_id]
        training = self._training
        if training is not None and node_id in training.generation.node_ids:
            # What was done since the last save is lost.
            since_s = (self.clock.now_s() - training.begun_s) % self.program.checkpoint_s
            lost = min(int(since_s / training.step_s), self.done - training.begun_at)
            self.done -= lost
            self.lost += lost
            self._training = None
        if agent.generation is not None:
            for each in self._agents.values():
                if each.generation == agent.generation:
                    # gloo's connections close at once, and torchrun looks every second.
                    self._end(each, Outcome.FAILED, after_s=LOOK_S)

    def hear(self, node: Node, wanted: int | None) -> None:
        """The reply that a node's next heartbeat will get: the generation that it must run."""
        agent = self._agents.get(node.id)
        if agent is None or agent.generation == wanted or (node.id, wanted) in self._obeying:
            return
        if agent.exit is not None and agent.exit.generation == wanted:
            return
        self._obeying.add((node.id, wanted))
        self.later(self.clock.now_s() + self.heartbeat_s, lambda: self._obey(node.id, wanted))

    def beat(self) -> None:
        """Sends every agent's heartbeat of now."""
        self._count()
        for agent in self._agents.values():
            self._beat(agent)
        self.has_news = False

    def _beat(self, agent: _Agent) -> None:
        """Stores what is new; otherwise only that the node lives."""
        now_s = self.clock.now_s()
        training = self._training
        pulse = None
        if (
            training is not None
            and agent.generation == training.generation.number
            and training.windows
        ):
            pulse = Pulse(0.0, training.step_s, training.step_s)
        report = NodeReport(agent.state, agent.generation, mode=agent.mode, pulse=pulse)
        if not agent.has_news and not agent.windows:
            self.store.presence.record(agent.node.id, report, now_s=now_s)
            return
        said = HeartbeatReport(
            report=report,
            last_exit=agent.exit,
            windows=tuple(agent.windows),
            acked_seq=agent.seq,
            notice=agent.notice,
            beginnings=agent.beginnings,
        )
        self.store.heartbeats.take_in(agent.node.id, said, now_s=now_s)
        agent.has_news = False
        agent.windows.clear()
        agent.beginnings.clear()

    def _obey(self, node_id: str, wanted: int | None) -> None:
        self._obeying.discard((node_id, wanted))
        agent = self._agents.get(node_id)
        if agent is None or agent.generation == wanted:
            return
        if agent.generation is not None:
            # It must stop what it runs first, and report that.
            if self._training is not None and self._training.generation.number == agent.generation:
                self._count(is_last=True)
                self._training = None
            if agent.state is AgentState.RUNNING:
                self._end(agent, Outcome.DRAINED, after_s=self.program.save_s)
            return
        generation = self.store.generations.latest(agent.node.job_id)
        if generation is None or generation.number != wanted:
            return
        agent.generation = wanted
        agent.mode = self.mode
        agent.state = AgentState.RUNNING
        agent.has_news = self.has_news = True
        members = [self._agents.get(each) for each in generation.node_ids]
        if all(each is not None and each.generation == wanted for each in members):
            self.later(self.clock.now_s() + self.program.start_s, lambda: self._begin(generation))

    def _begin(self, generation: Generation) -> None:
        members = [self._agents.get(each) for each in generation.node_ids]
        alive = [
            each for each in members if each is not None and each.generation == generation.number
        ]
        if len(alive) < len(members) or any(each.state is not AgentState.RUNNING for each in alive):
            return
        counts: dict[str, int] = {}
        for each in alive:
            counts[each.node.offering.node_type] = counts.get(each.node.offering.node_type, 0) + 1
        step_s = self.program.speeds.step_s(tuple(sorted(counts.items())))
        now_s = self.clock.now_s()
        leader = alive[0]
        self._training = _Training(generation, leader.node.id, step_s, now_s, now_s, self.done)
        if self.done:
            leader.seq += 1
            leader.beginnings[leader.seq] = Beginning(
                self.done, "checkpoint", stops_when_asked=True, batch=Batch.JOB, at_s=now_s
            )
            leader.has_news = True
        self._await_end(self._training)
        self.later(now_s + step_s, self._note_news)  # the first turn is news

    def _note_news(self) -> None:
        self.has_news = True

    def _await_end(self, training: _Training) -> None:
        left = self.program.iterations - self.done
        soonest_s = self.clock.now_s() + max(self.program.noise * training.step_s, 1e-3)
        self.later(
            max(training.at_s + left * training.step_s, soonest_s),
            lambda: self._look_for_end(training),
        )

    def _look_for_end(self, training: _Training) -> None:
        if self._training is not training:
            return
        self._count(is_last=True)
        if self.done < self.program.iterations:
            self._await_end(training)
            return
        self._training = None
        for each in self._agents.values():
            if each.generation == training.generation.number:
                self._end(each, Outcome.SUCCEEDED, after_s=0.0)

    def _end(self, agent: _Agent, outcome: Outcome, *, after_s: float) -> None:
        """The workers of one node end; its next heartbeat after that reports it."""
        number = agent.generation
        assert number is not None

        def told() -> None:
            if agent.generation != number:
                return
            code, tail = (1, _ECHO) if outcome is Outcome.FAILED else (0, "")
            agent.exit = Exit(number, outcome, code, self.done, log_tail=tail)
            agent.generation = None
            agent.state = AgentState.IDLE
            agent.has_news = self.has_news = True

        agent.state = AgentState.DRAINING
        agent.has_news = True
        if after_s:
            self.later(self.clock.now_s() + after_s, told)
        else:
            told()

    def _count(self, *, is_last: bool = False) -> None:
        """Counts the turns made up to now, in windows that the leader reports.

        `is_last` counts them even if they are few.
        """
        training = self._training
        if training is None:
            return
        leader = self._agents[training.leader]
        now_s = self.clock.now_s()
        wanted = 1
        if training.windows < _MANY_WINDOWS:
            wanted = _FIRST_WINDOWS
        # Each window costs the store eight statements.
        if wanted == 1 and not is_last and now_s - training.at_s < MINUTE_S:
            return
        budget_s = (now_s - training.at_s) / wanted
        while self.done < self.program.iterations:
            pace_s = training.step_s * max(
                1.0 + self.program.noise * self.chance.gauss(0.0, 1.0), 0.1
            )
            # The first window is a single turn, which is cold.
            if training.windows == 0:
                turns = 1
            else:
                turns = max(int(budget_s / pace_s), 1)
            turns = min(turns, self.program.iterations - self.done)
            if training.at_s + turns * pace_s > now_s:
                break
            training.at_s += turns * pace_s
            training.windows += 1
            self.done += turns
            leader.seq += 1
            # Of a longer window the last part is enough, which has the same pace: each minute costs
            # the store a row.
            told = min(turns, max(int(MINUTE_S / pace_s), 1))
            leader.windows.append(
                Window(
                    node_id=leader.node.id,
                    seq=leader.seq,
                    generation=training.generation.number,
                    world_size=training.generation.world_size,
                    phase="main",
                    iteration=self.done,
                    iterations=told,
                    elapsed_s=told * pace_s,
                    is_cold=training.windows == 1,
                    ended_at_s=training.at_s,
                )
            )
