"""A daemon's parts without a daemon: a store on disk, a job that trains, a fake cloud, a clock that
stands still."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from api.deps import Context
from elastic.clock import ManualClock
from elastic.config import Settings
from elastic.model import (
    Action,
    AgentState,
    Candidate,
    Group,
    Interval,
    Job,
    JobSpec,
    Limits,
    Node,
    NodeReport,
    NodeType,
    Offering,
    Plan,
    Reason,
    TrainingPhase,
    Window,
)
from elastic.policy import VERSIONS
from elastic.providers import FakeCloud, FakeProvider
from elastic.reconciler import NodeTokens, observe, read_catalog
from elastic.store import Database, HeartbeatReport, Store
from tests.builders import add_price, intend

START_S = 1_700_000_000.0
TOKEN = "a-token-that-nobody-guesses"
SMALL, LARGE = Offering("small"), Offering("large")
TYPES = (NodeType("small", 0.5, 2.0), NodeType("large", 1.0, 2.0))
SPEC: Mapping[str, Any] = {
    "name": "first",
    "command": ["/srv/train.py"],
    "nodes": {"min": 1, "max": 2},
    "iterations": 100,
}


@dataclass(slots=True)
class World:
    """What a test of the API looks at: its parts, and how often the reconciler was woken."""

    context: Context
    store: Store
    clock: ManualClock
    wakes: list[float] = field(default_factory=list)


def make_world(folder: Path, *, template: Path) -> World:
    """An empty daemon with two priced node types; its database is a copy of the empty one at
    `template`."""
    clock = ManualClock(START_S)
    shutil.copy(template, folder / "elasticd.db")
    store = Store(Database(f"sqlite:///{folder / 'elasticd.db'}"))
    wakes: list[float] = []
    context = Context(
        store=store,
        clock=clock,
        settings=Settings(data_dir=folder),
        provider=FakeProvider(FakeCloud(TYPES, clock=clock)),
        node_tokens=NodeTokens(b"secret"),
        wake=lambda: wakes.append(clock.now_s()),
        user_token=TOKEN,
    )
    for offering, usd_per_h in ((SMALL, 0.36), (LARGE, 0.72)):
        add_price(
            store, offering, usd_per_h, valid_from_s=START_S, observed_at_s=START_S, source="test"
        )
    return World(context, store, clock, wakes)


def train(world: World, *, iterations: int = 60) -> tuple[Job, Node]:
    """A job of 100 iterations, the first 20 a warm-up, on one small node: 0.5 s an iteration, a
    minute by the clock."""
    store, clock = world.store, world.clock
    phases = (TrainingPhase("warmup", 20), TrainingPhase("main"))
    spec = JobSpec("first", ("/srv/train.py",), nodes_max=2, iterations=100, phases=phases)
    job, _ = store.jobs.submit(spec, key=None, request_hash="h", now_s=clock.now_s())
    intended = intend(store, job.id, SMALL, why="first", now_s=clock.now_s())
    store.nodes.launched(intended.id, "fake-1", launched_at_s=clock.now_s(), minimum_s=60.0)
    node = store.nodes.joined(intended.id, now_s=clock.now_s())
    store.generations.start(job.id, (node,), rdzv_endpoint="127.0.0.1:1", now_s=clock.now_s())
    clock.advance(60.0)
    windows = [_window(node, done, clock.now_s()) for done in range(10, iterations + 1, 10)]
    store.heartbeats.take_in(
        node.id,
        HeartbeatReport(NodeReport(AgentState.RUNNING, 1), windows=windows, acked_seq=iterations),
        now_s=clock.now_s(),
    )
    return store.jobs.get(job.id), store.nodes.get(node.id)


def decide_once(world: World, job: Job, *, effective: float | None = None) -> int:
    """Records one decision by hand and gives its id.

    `effective` are the iterations per dollar to the end.
    """
    now_s = world.clock.now_s()
    facts, prices = world.store.facts.of(job.id, now_s=now_s), world.store.prices.in_force(now_s)
    snapshot = observe(
        facts, read_catalog(world.context.provider), prices, limits=Limits(), now_s=now_s
    )
    group = Group.of(SMALL)
    weighed = Candidate(
        group, "main", 4, usd_per_h=0.36, step_s=Interval(0.5, 0.4, 0.6), iterations_per_usd=Interval(20_000.0),
        effective_iterations_per_usd=effective, remaining_usd=0.002, remaining_s=20.0,
    )  # fmt: skip
    plan = Plan(
        Action.START,
        group,
        Reason("start", "small is the cheapest", {"usd_per_h": 0.36}),
        (weighed,),
    )
    return world.store.decisions.record(
        snapshot, plan, "best_value", version=VERSIONS["best_value"], sets_target=True
    )


def _window(node: Node, done: int, now_s: float) -> Window:
    return Window(
        node_id=node.id,
        seq=done,
        generation=1,
        world_size=1,
        phase="warmup" if done <= 20 else "main",
        iteration=done,
        iterations=10,
        elapsed_s=2.0 if done <= 20 else 5.0,
        is_cold=False,
        ended_at_s=now_s,
    )
