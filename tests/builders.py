"""Values for tests: each builder fills in everything that a test is not about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from elastic.liveness import silence_bounds
from elastic.model import (
    ONE_WORKER,
    Capacity,
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
    Price,
    Sample,
    Series,
    Snapshot,
    Switch,
    Window,
)
from elastic.reconciler import Timeouts
from elastic.store import PriceReport, Store

NOW_S = 1_700_000_000.0
"""The instant that builders take as the present."""


def offering(
    node_type: str = "local.half", *, capacity: Capacity = Capacity.ON_DEMAND, zone: str = "local"
) -> Offering:
    return Offering(node_type, capacity, zone)


def group(node_type: str = "local.half", count: int = 1, **where: Any) -> Group:
    return Group.of(offering(node_type, **where), count)


def node_type(name: str = "local.half", cpu: float = 0.5, **rest: Any) -> NodeType:
    return NodeType(name, cpu, **{"memory_gib": 2.0, **rest})


def price(
    of: str | Offering = "local.half",
    usd_per_h: float = 0.045,
    *,
    price_id: int = 1,
    valid_from_s: float = NOW_S - 3600,
    observed_at_s: float = NOW_S,
) -> Price:
    sold = offering(of) if isinstance(of, str) else of
    return Price(price_id, sold, usd_per_h, valid_from_s, observed_at_s, "test")


def prices(usd_per_h: Mapping[str, float], **rest: Any) -> tuple[Price, ...]:
    return tuple(
        price(name, usd, price_id=number, **rest)
        for number, (name, usd) in enumerate(usd_per_h.items(), 1)
    )


def add_price(store: Store, of: Offering, usd_per_h: float, **rest: Any) -> Price:
    """Stores what a source said of one price, and gives it as it is kept."""
    store.ledger.add_prices([PriceReport(of, usd_per_h, **rest)])
    return store.prices.listed(offering=of, limit=1)[0]


def job_spec(**rest: Any) -> JobSpec:
    return JobSpec(**{"name": "esrgan", "command": ("train.py",), "iterations": 10_000, **rest})


def job(
    *,
    iteration: int = 100,
    phase: JobPhase = JobPhase.RUNNING,
    training_phase: str | None = "main",
    submitted_at_s: float = NOW_S - 600,
    **spec: Any,
) -> Job:
    return Job(
        "job-1",
        job_spec(**spec),
        phase,
        submitted_at_s,
        iteration=iteration,
        training_phase=training_phase,
    )


def samples(
    step_s: float,
    windows: int = 8,
    *,
    iterations: int = 4,
    noise: float = 0.01,
    ended_at_s: float = NOW_S,
) -> tuple[Sample, ...]:
    """Warm windows around `step_s`: by turns `noise` (a ratio) slower and faster, the last ending
    at `ended_at_s`."""
    width_s = step_s * iterations
    paces = [1 + noise * (1 if number % 2 else -1) for number in range(windows)]
    if windows % 2:
        paces[-1] = 1.0
    return tuple(
        Sample(iterations, width_s * pace, ended_at_s - (windows - 1 - number) * width_s)
        for number, pace in enumerate(paces)
    )


def series(
    of: str | Group, step_s: float, windows: int = 8, *, training_phase: str = "main", **rest: Any
) -> Series:
    measured = group(of) if isinstance(of, str) else of
    return Series(measured, training_phase, samples(step_s, windows, **rest))


def window(
    elapsed_s: float = 1.0,
    *,
    iterations: int = 2,
    seq: int = 1,
    node_id: str = "node-1",
    generation: int = 1,
    world_size: int = 1,
    phase: str = "main",
    is_cold: bool = False,
    ended_at_s: float = NOW_S,
) -> Window:
    return Window(
        node_id=node_id,
        seq=seq,
        generation=generation,
        world_size=world_size,
        phase=phase,
        iteration=None,
        iterations=iterations,
        elapsed_s=elapsed_s,
        is_cold=is_cold,
        ended_at_s=ended_at_s,
    )


def node(
    of: str | Offering = "local.half",
    *,
    phase: NodePhase = NodePhase.JOINED,
    number: int = 1,
    **rest: Any,
) -> Node:
    bought = offering(of) if isinstance(of, str) else of
    return Node(f"node-{number}", "job-1", bought, phase, f"token-{number}", NOW_S - 300, **rest)


def intend(store: Store, job_id: str, of: Offering, *, why: str = "test", now_s: float) -> Node:
    """The intent to buy one node, on record."""
    (node,) = store.nodes.intend_launch(
        job_id, of, count=1, workers=ONE_WORKER, reason=why, request_hash="h", now_s=now_s
    ).nodes
    return node


def switch(
    to: str | Group = "local.half",
    *,
    pause_s: float = 5.0,
    boot_s: float = 3.0,
    ago_s: float = 60.0,
) -> Switch:
    reached = group(to) if isinstance(to, str) else to
    return Switch(reached, pause_s, boot_s, NOW_S - ago_s)


def change(
    to: str | Group | None,
    came_from: str | Group | None = None,
    *,
    code: str = "start",
    ago_s: float = 300.0,
) -> Change:
    left = group(came_from) if isinstance(came_from, str) else came_from
    reached = group(to) if isinstance(to, str) else to
    return Change(NOW_S - ago_s, left, reached, code)


def limits(**rest: Any) -> Limits:
    """Limits for a small machine: nodes come quickly, trials may cost half of the job, little is
    kept back."""
    small = {"trial_usd_share": 0.5, "switch_pause_prior_s": 5.0, "boot_prior_s": 3.0}
    return Limits(**{**small, "wind_down_s": 30.0, "minimum_billed_s": 0.0, **rest})


def timeouts(**rest: float) -> Timeouts:
    """What a daemon with the settings' defaults waits for, but that it never tells of a job that
    stands still."""
    usual = {
        "register_s": 600.0,
        "lease_s": 600.0,
        "reaction_s": 15.0,
    }
    return Timeouts(
        **{**usual, "standstill_s": 0.0, **rest}, silence=silence_bounds(heartbeat_s=1.0)
    )


_AS_TARGET = Group(())

_LOCAL_TYPES = (
    node_type("local.quarter", 0.25),
    node_type("local.half", 0.5),
    node_type("local.full", 1.0),
)


def snapshot(
    *,
    target: str | Group | None = None,
    current: str | Group | None = _AS_TARGET,
    measured: Iterable[Series] = (),
    changes: Sequence[Change] = (),
    job: Job | None = None,
    **rest: Any,
) -> Snapshot:
    """A job on this machine's three local types; by default what is wanted trains."""
    wanted = group(target) if isinstance(target, str) else target
    trains = wanted if current is _AS_TARGET else current
    training = group(trains) if isinstance(trains, str) else trains
    defaults: dict[str, Any] = {
        "now_s": NOW_S,
        "nodes": (),
        "node_types": _LOCAL_TYPES,
        "prices": prices({"local.quarter": 0.025, "local.half": 0.045, "local.full": 0.09}),
        "switches": (),
        "spent_usd": 0.001,
        "limits": limits(),
    }
    return Snapshot(
        job=job if job is not None else _a_job(),
        target=wanted,
        current=training,
        series=tuple(measured),
        changes=tuple(changes),
        **{**defaults, **rest},
    )


def _a_job() -> Job:
    return job()
