"""A job's life told to a real store: trials, a price that turns the ranking, a move, the end."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from elastic.model import (
    Action,
    AgentState,
    Candidate,
    Group,
    Interval,
    Job,
    JobPhase,
    JobSpec,
    Node,
    NodeReport,
    Objective,
    Offering,
    Plan,
    Price,
    Reason,
    Snapshot,
    TrainingPhase,
    Window,
)
from elastic.policy import VERSIONS
from elastic.store import HeartbeatReport, Store
from tests.builders import add_price, intend

START_S = 1_763_712_000.0  # 2025-11-21 08:00:00 UTC
QUARTER, HALF, FULL = Offering("local.quarter"), Offering("local.half"), Offering("local.full")
PRICES_USD_PER_H = {QUARTER: 0.025, HALF: 0.045, FULL: 0.09}
CHEAPER_FULL_USD_PER_H = 0.058
ITERATIONS_PER_S = {QUARTER: 0.92, HALF: 2.04, FULL: 3.91}
WINDOW_S = 5.0
WARMUP_ITERATIONS = 400

SPEC = JobSpec(
    name="esrgan-demo",
    command=("-m", "elastic.workloads.esrgan", "--preset", "demo"),
    workload="esrgan",
    hyperparameters={"preset": "demo", "blocks": 2, "crop": 32, "batch": 4, "lr": 0.0001},
    global_batch=4,
    iterations=12_000,
    objective=Objective(budget_usd=0.08),
    phases=(TrainingPhase("warmup", WARMUP_ITERATIONS), TrainingPhase("gan")),
)


@dataclass(slots=True)
class Story:
    """Tells a store what happens to one job; `now_s` is how far the telling is."""

    store: Store
    spec: JobSpec = SPEC
    now_s: float = START_S
    job_id: str = ""
    node: Node | None = None
    seq: int = 0
    iteration: int = 0
    prices: dict[Offering, float] = field(default_factory=lambda: dict(PRICES_USD_PER_H))
    measured: dict[Offering, int] = field(default_factory=dict)
    # What all windows belong to; empty for the two phases of `SPEC`.
    phase: str = ""

    def copied_to(self, store: Store) -> Story:
        """The same story, to be gone on with in a copy of its store."""
        return replace(self, store=store, prices=dict(self.prices), measured=dict(self.measured))

    def submit(self) -> Job:
        """The prices, and the job."""
        for offering, usd_per_h in self.prices.items():
            self._price(offering, usd_per_h, at_s=START_S - 60)
        job, _ = self.store.jobs.submit(self.spec, key=None, request_hash="h", now_s=self.now_s)
        self.job_id = job.id
        return job

    def decide(
        self, action: Action, offering: Offering, code: str, text: str, **numbers: float
    ) -> None:
        """A decision with its candidates and its snapshot."""
        target = Group.of(offering)
        plan = Plan(action, target, Reason(code, text, numbers), self.candidates())
        facts = self.store.facts.of(self.job_id, now_s=self.now_s)
        snapshot = Snapshot(
            now_s=self.now_s,
            job=self.store.jobs.get(self.job_id),
            target=self.store.jobs.target(self.job_id),
            current=None if self.node is None else Group.of(self.node.offering),
            nodes=self.store.nodes.listed(self.job_id),
            node_types=(),
            prices=self.store.prices.in_force(self.now_s),
            series=self.store.measurements.recent_series(self.job_id),
            switches=facts.switches,
            changes=facts.changes,
            spent_usd=self.store.ledger.spent(self.job_id, self.now_s),
        )
        self.store.decisions.record(
            snapshot, plan, "best_value", version=VERSIONS["best_value"], sets_target=True
        )

    def enter(self, phase: JobPhase) -> None:
        self.store.jobs.move(self.job_id, phase, now_s=self.now_s)

    def train_on(self, offering: Offering, duration_s: float, why: str = "the plan") -> None:
        """Brings up a node in place of the one before, and trains on it."""
        old = self.node
        bought = intend(self.store, self.job_id, offering, why=why, now_s=self.now_s)
        self.store.nodes.launched(
            bought.id, f"local-{bought.id}", launched_at_s=self.now_s + 0.4, minimum_s=60.0
        )
        self.now_s += 4.0
        node = self.store.nodes.joined(bought.id, now_s=self.now_s)
        self.store.generations.start(
            self.job_id, (node,), rdzv_endpoint="127.0.0.1:29400", now_s=self.now_s
        )
        if old is not None:
            self.store.nodes.intend_end(old.id, reason="another group trains", now_s=self.now_s)
            self.store.nodes.gone(old.id, at_s=self.now_s + 1.0)
        self.node, self.seq = node, 0
        self.now_s += 8.0
        self.train(duration_s)

    def train(self, duration_s: float) -> None:
        """Windows, one each five seconds."""
        assert self.node is not None
        windows = tuple(self._windows(self.node, duration_s))
        self.store.measurements.append(self.node.id, windows)
        self.measured[self.node.offering] = self.measured.get(self.node.offering, 0) + len(windows)
        self.beat()

    def beat(self) -> None:
        """A heartbeat."""
        assert self.node is not None
        self.store.heartbeats.take_in(
            self.node.id,
            HeartbeatReport(
                NodeReport(AgentState.RUNNING, len(self.store.generations.listed(self.job_id))),
                acked_seq=self.seq,
            ),
            now_s=self.now_s,
        )

    def change_price(self, offering: Offering, usd_per_h: float) -> None:
        self.prices[offering] = usd_per_h
        self._price(offering, usd_per_h, at_s=self.now_s)

    def finish(self) -> None:
        """The job succeeds and its node goes."""
        assert self.node is not None
        self.store.jobs.request_stop(self.job_id, JobPhase.SUCCEEDED, None, now_s=self.now_s)
        self.store.generations.end(
            self.job_id, len(self.store.generations.listed(self.job_id)), now_s=self.now_s
        )
        self.store.nodes.intend_end(self.node.id, reason="the job is complete", now_s=self.now_s)
        self.store.nodes.gone(self.node.id, at_s=self.now_s)
        self.enter(JobPhase.SUCCEEDED)

    def candidates(self) -> tuple[Candidate, ...]:
        return tuple(self._candidate(offering) for offering in self.prices)

    def _candidate(self, offering: Offering) -> Candidate:
        samples, usd_per_h = self.measured.get(offering, 0), self.prices[offering]
        if not samples:
            return Candidate(Group.of(offering), "gan", 0, usd_per_h)
        step_s = 1 / ITERATIONS_PER_S[offering]
        spread = 0.16 / math.sqrt(samples)
        rate = 3600 / (usd_per_h * step_s)
        left = (self.spec.iterations or 0) - self.iteration
        return Candidate(
            Group.of(offering),
            "gan",
            samples,
            usd_per_h,
            Interval(step_s, step_s * (1 - spread), step_s * (1 + spread)),
            Interval(rate, rate * (1 - spread), rate * (1 + spread)),
            effective_iterations_per_usd=rate * 0.965,
            remaining_usd=left / rate,
            remaining_s=left * step_s,
        )

    def _price(self, offering: Offering, usd_per_h: float, *, at_s: float) -> Price:
        return add_price(
            self.store,
            offering,
            usd_per_h,
            valid_from_s=at_s,
            observed_at_s=at_s,
            source="price trace",
        )

    def _windows(self, node: Node, duration_s: float) -> Iterator[Window]:
        end_s, generation = self.now_s + duration_s, len(self.store.generations.listed(self.job_id))
        is_first = self.seq == 0
        while self.now_s < end_s:
            self.seq += 1
            self.now_s += WINDOW_S
            phase = self.phase or ("warmup" if self.iteration < WARMUP_ITERATIONS else "gan")
            wobble = 1 + 0.035 * math.sin(self.seq * 2.3) + 0.025 * math.sin(self.seq * 0.71)
            pace = ITERATIONS_PER_S[node.offering] * wobble * (2.1 if phase == "warmup" else 1.0)
            iterations = max(round(pace * WINDOW_S), 1)
            self.iteration += iterations
            yield Window(
                node.id,
                self.seq,
                generation,
                1,
                phase,
                self.iteration,
                iterations,
                iterations / pace,
                is_first,
                self.now_s,
            )
            is_first = False


def begin(store: Store) -> Story:
    """A job that has just been submitted and waits for its first node."""
    story = Story(store)
    story.submit()
    return story


def tell(store: Store) -> Story:
    """The whole story up to the middle of the job's second life on the node type that a lower price
    made best."""
    story = begin(store)
    story.now_s += 3.0
    story.decide(
        Action.START,
        HALF,
        "start_unmeasured",
        "Nothing is measured yet: begin on local.half, the middle of three types.",
    )
    story.enter(JobPhase.PROFILING)
    story.train_on(HALF, 240.0, "start: nothing is measured yet")
    story.decide(
        Action.TRIAL,
        FULL,
        "trial",
        "local.full is unmeasured; 8 windows on it cost at most $0.0031 and could gain up to 31 %.",
        trial_usd=0.0031,
        possible_gain=0.31,
    )
    story.train_on(FULL, 190.0, "trial of local.full")
    story.decide(
        Action.TRIAL,
        QUARTER,
        "trial",
        "local.quarter is unmeasured; 8 windows on it cost at most $0.0011 and could gain up to 18 "
        "%.",
        trial_usd=0.0011,
        possible_gain=0.18,
    )
    story.train_on(QUARTER, 150.0, "trial of local.quarter")
    story.enter(JobPhase.RUNNING)
    story.decide(
        Action.MOVE,
        HALF,
        "move_pays",
        "local.half finishes for $0.063 with the move counted, local.full for $0.066, "
        "local.quarter for $0.077.",
        switch_usd=0.00021,
        gain=0.18,
    )
    story.train_on(HALF, 620.0, "move: local.half finishes cheapest")
    _hold(story)
    story.change_price(FULL, CHEAPER_FULL_USD_PER_H)
    story.now_s += 5.0
    story.decide(
        Action.MOVE,
        FULL,
        "move_pays",
        "local.full fell from $0.09 to $0.058 an hour: 242,690 iterations per dollar against "
        "163,200, 48.7 % more; moving costs $0.00023 and 12 s.",
        gain=0.487,
        switch_usd=0.00023,
        switch_pause_s=12.0,
        target_iterations_per_usd=242_690.0,
    )
    story.train_on(FULL, 700.0, "move: local.full fell to $0.058 an hour")
    _hold(story)
    return story


def _hold(story: Story) -> None:
    for _ in range(14):
        story.decide(
            Action.HOLD,
            story.node.offering if story.node else HALF,
            "best_already",
            "Nothing else would finish cheaper by the 10 % that a move must gain; the best other "
            "gains 3.4 %.",
            best_other_gain=0.034,
            margin=0.10,
        )
        story.train(10.0)
