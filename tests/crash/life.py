"""One job's whole life: two nodes, a price change, a move to two others, the end; and daemons that
die in it.

A death that the first job's life holds no longer comes in that of a second one, under the daemon
that was restarted.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from elastic.model import Job, JobPhase, Outcome, spent_usd
from elastic.store import Database, Store
from tests.crash.agents import Agent
from tests.crash.daemon import NODES, Daemon, Rehearsal, Site, cheapest
from tests.crash.laboratory import Laboratory, Sighting
from tests.crash.points import Point

SOON_S, QUIET_S, AWAY_S = 4.0, 300.0, 8.0
TRAINS_S = 900.0
CHEAP_USD_PER_H, DEAR_USD_PER_H = 0.034, 0.12
"""What the first node type costs before and after the price change; the second costs 0.062."""
_MOST_JOBS = 3
_MOST_ROUNDS = 300


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one life. `wrongs` says what must not be; `died_at` are the deaths that took
    place."""

    died_at: tuple[Point, ...]
    points: tuple[Point, ...]
    wrongs: tuple[str, ...]
    lasted_s: float
    ledger_usd: float
    billed_usd: float


@dataclass(slots=True)
class Life:
    """Plays the world around the daemons: time, prices, agents, and the user who submits and asks.

    The cloud lists what it has sold only `shown_after_s` later.
    """

    site: Site
    lab: Laboratory
    deaths: Sequence[Point]
    shown_after_s: float = 0.0
    is_rehearsal: bool = False
    daemon: Daemon | Rehearsal = field(init=False)
    now_s: float = field(init=False)
    stage: str = "before"
    jobs: list[Job | None] = field(default_factory=list)
    agents: dict[str, Agent] = field(default_factory=dict)
    died_at: list[Point] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    wrongs: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.now_s = self.site.started_at_s
        self.lab.show_after(self.shown_after_s)
        self.daemon = self._start()

    def run(self) -> Verdict:
        self._live()
        while len(self.died_at) < len(self.deaths) and len(self.jobs) < _MOST_JOBS:
            self._live()
        self.points += self.daemon.points
        self.daemon.end()
        return self._judged()

    def _live(self) -> None:
        """One job from its submission on, until nothing of it is left."""
        self.jobs.append(None)
        self.stage = "launch"
        self.lab.set_spot_price("c5.large", CHEAP_USD_PER_H)
        self._settle()
        for _ in range(_MOST_ROUNDS):
            self._round()
            if self.job is not None and self.job.phase.is_final:
                break
        self.stage = "after"
        self._settle()

    def _settle(self) -> None:
        """Time for two looks at prices and machines."""
        for _ in range(2):
            self._pass_by(QUIET_S)
            self._ask("tick")

    @property
    def job(self) -> Job | None:
        return self.jobs[-1]

    def _start(self) -> Daemon | Rehearsal:
        if self.is_rehearsal:
            return Rehearsal(self.site)
        return Daemon(self.site, die_at=next(iter(self.deaths[len(self.died_at) :]), None))

    def _ask(self, what: str, *args: Any) -> Any:
        """The daemon's answer; None where it refused, or died: then another one is there next
        time."""
        answer = self.daemon.ask(what, *args, stage=self.stage, now_s=self.now_s)
        if answer is None:
            self._require_killed(self.daemon.end())
            self.died_at.append(self.deaths[len(self.died_at)])
            self._pass_by(AWAY_S)
            self.points += self.daemon.points
            self.daemon = self._start()
            return None
        if answer[0] == "error" and what == "tick":
            self.wrongs[f"a tick failed: {answer[1]}"] = None
        return answer[1] if answer[0] == "ok" else None

    def _require_killed(self, status: int | None) -> None:
        was_due = len(self.died_at) < len(self.deaths)
        if (
            status is None
            or not was_due
            or not os.WIFSIGNALED(status)
            or os.WTERMSIG(status) != signal.SIGKILL
        ):
            raise RuntimeError(
                f"a daemon ended by itself, with status {status}; its standard error says why"
            )

    def _round(self) -> None:
        if self.job is None:
            self.jobs[-1] = self._ask("submit", f"key-{len(self.jobs)}")
        self._ask("tick")
        machines = self._mine()
        self._look(machines)
        running = {each.instance_id: each for each in machines if each.phase == "running"}
        self.agents = {
            key: self.agents.get(key) or Agent(machine) for key, machine in running.items()
        }
        for agent in self.agents.values():
            self._serve(agent)
        if self.job is not None:
            self.jobs[-1] = self._ask("job", self.job.id) or self.job
        is_busy = len(machines) != NODES or not all(
            agent.is_training for agent in self.agents.values()
        )
        self._tell_on()
        self._pass_by(
            SOON_S if is_busy or self.stage == "end" or len(self.agents) != NODES else QUIET_S
        )

    def _serve(self, agent: Agent) -> None:
        if agent.me is None:
            agent.me = self._ask("register", agent.registration())
            return
        if agent.is_training and agent.machine.instance_id == min(
            key for key, each in self.agents.items() if each.generation == agent.generation
        ):
            agent.train(self.now_s)
        word = self._ask("heartbeat", *agent.heartbeat(self.now_s))
        if word is not None:
            agent.obey(word, self.now_s)

    def _tell_on(self) -> None:
        """Lets the story go on once what it waits for has lasted long enough."""
        wanted = {"launch": "c5.large", "move": "c5.xlarge"}.get(self.stage)
        training = [
            each
            for each in self.agents.values()
            if each.is_training and each.machine.node_type == wanted
        ]
        if len(training) < NODES or any(
            self.now_s - each.began_at_s < TRAINS_S for each in training
        ):
            return
        if self.stage == "launch":
            self.lab.set_spot_price("c5.large", DEAR_USD_PER_H)
            self.stage = "move"
        else:
            self.stage = "end"
            for each in training:
                each.stop(Outcome.SUCCEEDED)

    def _pass_by(self, duration_s: float) -> None:
        self.lab.pass_by(duration_s)
        self.now_s += duration_s

    def _mine(self) -> list[Sighting]:
        return [each for each in self.lab.living() if each.cluster == self.site.cluster]

    def _look(self, machines: Sequence[Sighting]) -> None:
        """Never more instances of a type than are wanted, and of the second none before it is
        wanted."""
        for node_type, count in Counter(each.node_type for each in machines).items():
            if count > NODES:
                self.wrongs[
                    f"{count} instances of {node_type} lived at once, {NODES} were wanted"
                ] = None
            if self.stage in ("before", "launch") and node_type != "c5.large":
                self.wrongs[f"an instance of {node_type} lived before it was wanted"] = None

    def _judged(self) -> Verdict:
        bought = [each for each in self.lab.all() if each.cluster == self.site.cluster]
        by_token = Counter(each.intent for each in bought)
        for token, count in by_token.items():
            if count != NODES:
                self.wrongs[f"token {token} bought {count} instances, {NODES} were wanted"] = None
        if len(by_token) != (wanted := 2 * len(self.jobs)):
            self.wrongs[f"{len(by_token)} purchases were made, {wanted} were wanted"] = None
        for each in self.lab.living():
            self.wrongs[f"{each.instance_id} is left running"] = None
        billed = self.lab.billed_usd()
        billed_usd = sum(billed[each.instance_id] for each in bought)
        ledger_usd = self._read_books(billed_usd)
        return Verdict(
            tuple(self.died_at),
            tuple(self.points),
            tuple(self.wrongs),
            self.now_s - self.site.started_at_s,
            ledger_usd,
            billed_usd,
        )

    def _read_books(self, billed_usd: float) -> float:
        store = Store(Database(self.site.url))
        jobs = store.jobs.listed()
        if [job.phase for job in jobs] != [JobPhase.SUCCEEDED] * len(self.jobs):
            self.wrongs[
                f"wanted {len(self.jobs)} jobs that succeeded, found {[job.phase for job in jobs]}"
            ] = None
        rows = [row for job in jobs for row in store.ledger.of_job(job.id)]
        usd = spent_usd(tuple(rows), self.now_s)
        if abs(usd - billed_usd) > 0.01 * billed_usd:
            self.wrongs[f"the ledger says {usd:.5f} USD, the bill {billed_usd:.5f}"] = None
        if any(row.to_s is None for row in rows):
            self.wrongs["a ledger row is still open"] = None
        for decision in store.decisions.listed(limit=500):
            if cheapest(store.decisions.snapshot(decision.id)) != decision.plan:
                self.wrongs[f"decision {decision.id} does not replay"] = None
        store.close()
        return usd
