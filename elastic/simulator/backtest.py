"""Backtests: a job runs through a recorded market, once or from several starts, beside its
yardsticks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from elastic.errors import InvalidInput
from elastic.model import JobPhase, JobSpec, Plan, Snapshot
from elastic.simulator.market import SimulatedMarket
from elastic.simulator.program import Program
from elastic.simulator.simulation import BEGINS_S, SimulationSettings, simulated
from elastic.simulator.yardsticks import Yardstick, yardsticks

# A job is given up after this many times its deadline, or after 20 times the work on its slowest
# group.
_PATIENCE = 3.0
_MOST_TIMES = 20.0


@dataclass(frozen=True, slots=True)
class BacktestLife:
    """One run of the job."""

    # Where in the market it began, in seconds.
    from_s: float
    phase: JobPhase
    iteration: int
    elapsed_s: float
    late_s: float
    # Dollars of all machines at the true prices.
    usd: float
    # What the daemon's ledger says.
    ledger_usd: float
    machines: int
    # How often the wanted group changed.
    moves: int
    # How many machines the cloud took back.
    losses: int
    # How often the daemon looked.
    ticks: int
    yardsticks: tuple[Yardstick, ...]

    @property
    def is_finished(self) -> bool:
        """Whether all iterations were done. If not, its cost says nothing of what the job costs."""
        return self.phase is JobPhase.SUCCEEDED


@dataclass(frozen=True, slots=True)
class Backtest:
    """All runs of a job, and the policy that decided."""

    policy: str
    starts: tuple[BacktestLife, ...]


def backtest(
    spec: JobSpec,
    program: Program,
    market: SimulatedMarket,
    *,
    decide: Callable[[Snapshot], Plan],
    terms: SimulationSettings | None = None,
    from_s: Sequence[float] = (0.0,),
) -> Backtest:
    """Runs the job through the market once for each of `from_s`.

    A deadline in `spec` counts from `BEGINS_S`. Raises InvalidInput if nothing that is sold can run
    the job, or if its speed there is not known.
    """
    terms = terms or SimulationSettings()
    sold = _sold(spec, program, market)
    starts = tuple(_live(spec, program, sold.from_s(at_s), at_s, decide, terms) for at_s in from_s)
    return Backtest(spec.policy, starts)


def _sold(spec: JobSpec, program: Program, market: SimulatedMarket) -> SimulatedMarket:
    """The part of the market that the job admits, and on which its speed is known."""
    known = {each.name for each in market.node_types if program.speeds.knows(each.name)}
    prices = {
        each: steps
        for each, steps in market.prices.items()
        if spec.admits(each) and each.node_type in known
    }
    if not prices:
        types = ", ".join(sorted({each.node_type for each in market.offerings}))
        raise InvalidInput(
            f"{spec.name}: wanted a node type with a price and a speed that the job admits; prices "
            f"are of {types}, speeds of {', '.join(sorted(known)) or 'none of them'}, capacity is "
            f"{spec.capacity}"
        )
    names = {each.node_type for each in prices}
    return replace(
        market,
        node_types=tuple(each for each in market.node_types if each.name in names),
        prices=prices,
        pools={each: pool for each, pool in market.pools.items() if each in prices},
    )


def _live(
    spec: JobSpec,
    program: Program,
    market: SimulatedMarket,
    from_s: float,
    decide: Callable[[Snapshot], Plan],
    terms: SimulationSettings,
) -> BacktestLife:
    if spec.objective.deadline_s is None:
        asked_s = None
    else:
        asked_s = spec.objective.deadline_s - BEGINS_S
    # How long a run may take before it is given up.
    slowest_s = max(
        program.speeds.step_s(((each.name, spec.nodes_min),)) for each in market.node_types
    )
    work_s = program.iterations * slowest_s
    most_s = max(_MOST_TIMES * work_s, _PATIENCE * (asked_s or 0.0))
    with simulated(spec, program, market, decide=decide, terms=terms) as world:
        job = world.run(until_s=most_s)
        lasts_s = work_s + terms.boot_s + program.start_s
        elapsed_s = (
            BEGINS_S + world.elapsed_s if job.finished_at_s is None else job.finished_at_s
        ) - BEGINS_S
        return BacktestLife(
            from_s=from_s,
            phase=job.phase,
            iteration=world.agents.done,
            elapsed_s=elapsed_s,
            late_s=0.0 if asked_s is None else max(elapsed_s - asked_s, 0.0),
            usd=world.bill_usd(),
            ledger_usd=world.ledger_usd(),
            machines=len(world.cloud.machines()),
            moves=world.moves,
            losses=world.losses,
            ticks=world.ticks,
            yardsticks=yardsticks(
                spec,
                program,
                market,
                horizon_s=max(elapsed_s, lasts_s) if asked_s is None else asked_s,
                boot_s=terms.boot_s,
                pause_s=program.start_s,
                is_deadline=asked_s is not None,
            ),
        )
