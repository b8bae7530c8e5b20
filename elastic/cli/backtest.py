"""`elasticd backtest`: simulates a job in a market of recorded prices."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.job import read_spec
from elastic.cli.options import OutputOption
from elastic.cli.render import Column, Output
from elastic.durations import BOOT_PRIOR_S
from elastic.errors import InvalidInput, NotFound
from elastic.model import Capacity

if TYPE_CHECKING:
    from elastic.model import JobSpec
    from elastic.simulator import Backtest, Program, SimulatedMarket, SimulationSettings

_SUFFIXES = (".yaml", ".yml", ".json")
COLUMNS = (
    Column("POLICY", "name"),
    Column("DOLLARS", "usd", figures.usd, is_number=True),
    Column("OF CLAIRVOYANT", "ratio", figures.number, is_number=True),
    Column("TIME", "elapsed_s", figures.duration, is_number=True),
    Column("FINISHED", "finished"),
    Column("LATE", "late", figures.count, is_number=True),
)


def backtest(
    job: Annotated[
        str, typer.Argument(help="The job's YAML or JSON; or a job that has run, by id or name.")
    ],
    prices: Annotated[
        list[Path] | None,
        typer.Option("--prices", help="Price events, CSV or JSON; may be given several times."),
    ] = None,
    availability: Annotated[
        Path | None,
        typer.Option(
            "--availability", help="When spot pools were up, JSON; every pool always if absent."
        ),
    ] = None,
    speeds: Annotated[
        Path | None, typer.Option("--speeds", help="CSV of node_type,nodes,step_s.")
    ] = None,
    node_types: Annotated[
        Path | None,
        typer.Option(
            "--node-types", help="What hardware the types have: JSON, as of `type ls -o json`."
        ),
    ] = None,
    hours: Annotated[
        float | None,
        typer.Option(
            "--hours", min=0.01, help="Instead of speeds: the job's hours on any one node."
        ),
    ] = None,
    policy: Annotated[
        str | None, typer.Option("--policy", help="Instead of the job's own policy.")
    ] = None,
    starts: Annotated[
        int, typer.Option("--starts", min=1, max=1000, help="Starts, evenly over the record.")
    ] = 1,
    boot_s: Annotated[
        float, typer.Option("--boot", min=0.0, help="Seconds that a machine takes to join.")
    ] = BOOT_PRIOR_S,
    seed: Annotated[
        int, typer.Option("--seed", help="Of the noise in simulated measurements.")
    ] = 0,
    output: OutputOption = Output.TABLE,
) -> None:
    """Simulate a job with recorded prices; compare its cost with simple rules and foresight."""
    # Imported here, since other commands do not need the simulator.
    from elastic.policy import decide
    from elastic.simulator import SimulationSettings
    from elastic.simulator import backtest as live

    _be_quiet()
    terms = SimulationSettings(boot_s=boot_s, seed=seed)
    if Path(job).suffix in _SUFFIXES or job == "-":
        spec, program, market = _from_files(
            job, prices or [], availability, speeds, hours, policy, node_types
        )
    else:
        # Refused and not ignored: the answer would look as if the files had been used.
        if prices or availability or speeds or hours or node_types:
            raise InvalidInput(
                f"{job}: a job that has run brings its own prices, pools and speeds: leave the "
                "files out"
            )
        spec, program, market = _from_record(job, policy)
    # Spread evenly, so that cheap and expensive times of the record count alike.
    from_s = [market_span_s(market) * number / starts for number in range(starts)]
    found = live(spec, program, market, decide=decide, terms=terms, from_s=from_s)
    if output is Output.JSON:
        render.show_json(asdict(found))
        return
    _show(spec, program, market, found, terms)


def market_span_s(market: SimulatedMarket) -> float:
    """The length of the record: that of its longest pool, else that of its prices."""
    lasts_s = [each.availability.lasts_s for each in market.pools.values()]
    # A pool without a record is up for ever, and says nothing about how long the record is.
    finite_s = [each for each in lasts_s if each != float("inf")]
    return max(finite_s, default=max(steps[-1][0] for steps in market.prices.values()))


def _from_files(
    file: str,
    prices: Sequence[Path],
    availability: Path | None,
    speeds: Path | None,
    hours: float | None,
    policy: str | None,
    node_types: Path | None = None,
) -> tuple[JobSpec, Program, SimulatedMarket]:
    from elastic.pricing import read_trace
    from elastic.simulator import (
        Program,
        Speeds,
        market_of,
        read_availability,
        read_node_types,
        read_speeds,
    )

    if not prices:
        raise InvalidInput("--prices: wanted a file of price events, got none", field="prices")
    spec = _spec_of(file, policy)
    if spec.iterations is None:
        raise InvalidInput(
            f"{file}: iterations: wanted how many there are, a backtest has to end",
            field="iterations",
        )
    if (speeds is None) == (hours is None):
        raise InvalidInput(
            "backtest: wanted either --speeds or --hours, to know how fast the job runs"
        )
    # Measured speeds, or hours of work on a node of any type.
    if speeds is not None:
        pace = read_speeds(speeds)
    else:
        assert hours is not None
        pace = Speeds({}, default_s=hours * 3600 / spec.iterations)
    rows = [row for path in prices for row in read_trace(path)]
    records = None
    if availability is not None:
        records = read_availability(availability)
    market = market_of(
        rows, records, node_types=None if node_types is None else read_node_types(node_types)
    )
    return spec, Program(pace, spec.iterations), market


def _spec_of(file: str, policy: str | None) -> JobSpec:
    from elastic.simulator.simulation import BEGINS_S

    # The market begins at a made-up instant, so a deadline must be a duration.
    document, _ = read_spec(file)
    to_spec = import_module("api.specs").to_spec
    spec: JobSpec = to_spec(document, now_s=BEGINS_S)
    deadline_s = spec.objective.deadline_s
    # A date is the same, whenever the market begins.
    is_date = to_spec(document, now_s=0.0).objective.deadline_s == deadline_s
    if deadline_s is not None and (is_date or deadline_s <= BEGINS_S):
        raise InvalidInput(
            f"{file}: objective.deadline: wanted a time from the start, such as 36h, got a date",
            field="objective.deadline",
        )
    return _simulable(spec, policy)


def _from_record(job: str, policy: str | None) -> tuple[JobSpec, Program, SimulatedMarket]:
    from elastic.config import load_settings
    from elastic.simulator.recorded import recorded
    from elastic.store import inspect_store, read_store, shown

    url = load_settings().url
    # Opening would migrate the database: a command that only reads must not.
    state = inspect_store(url)
    if state.revision is None:
        raise NotFound(
            f"{job}: no such file, and no database at {shown(url)} that could know such a job"
        )
    if not state.is_migrated:
        raise InvalidInput(
            f"{shown(url)}: wanted this version's tables, got {state.revision}: `elasticd db "
            "migrate`"
        )
    store = read_store(url)
    try:
        spec, program, market = recorded(store, job)
    finally:
        store.close()
    return _simulable(spec, policy), program, market


def _simulable(spec: JobSpec, policy: str | None) -> JobSpec:
    """The spec for the simulator, which starts workers again at each change, as mode restart."""
    from elastic.model import Mode
    from elastic.policy import POLICIES

    if policy is not None and policy not in POLICIES:
        raise InvalidInput(
            f"--policy: wanted one of {', '.join(POLICIES)}, got {policy!r}", field="policy"
        )
    if (policy or spec.policy) == "fixed" and spec.fixed_node_type is None:
        raise InvalidInput(
            "--policy fixed: wanted policy.node_type in the job's file, found none",
            field="policy",
        )
    # Without its code: nothing is run, and the archive may be gone.
    return replace(spec, mode=Mode.RESTART, policy=policy or spec.policy, code=None)


def _show(
    spec: JobSpec,
    program: Program,
    market: SimulatedMarket,
    found: Backtest,
    terms: SimulationSettings,
) -> None:
    from elastic.simulator import is_undescribed

    # A pool without a record is always up, but a pool.
    spot = sum(each.capacity is Capacity.SPOT for each in market.offerings)
    span_s = market_span_s(market)
    record = f"a record of {figures.duration(span_s)}" if span_s else "prices that never change"
    print(
        f"{spec.name}: {program.iterations:,} iterations, {len(found.starts)} start(s) in "
        f"{record}; {figures.counted(len(market.offerings), 'offering')}, {spot} of them spot "
        f"pools; boots of {figures.duration(terms.boot_s)}"
    )
    has_deadline = spec.objective.deadline_s is not None
    render.show_list(rows_of(found, has_deadline=has_deadline), COLUMNS, Output.TABLE)
    # What the table does not show: changes, losses, unknown hardware, runs without an end.
    losses = fmean(each.losses for each in found.starts)
    moves = fmean(each.moves for each in found.starts)
    unknown = sorted(each.name for each in market.node_types if is_undescribed(each))
    if unknown and len(market.node_types) > 1:
        print(
            f"The hardware of {', '.join(unknown[:4])} is not known, so the policy treats them as "
            "equal. --node-types says what they have."
        )
    print(
        f"On average {figures.number(moves)} changes of group and {figures.number(losses)} "
        "machines taken back."
    )
    unfinished = [each for each in found.starts if not each.is_finished]
    if unfinished:
        phases = ", ".join(sorted({each.phase for each in unfinished}))
        usd = fmean(each.usd for each in unfinished)
        done = fmean(each.iteration for each in unfinished)
        print(
            f"{len(unfinished)} of {len(found.starts)} did not finish: {phases}, after "
            f"{figures.usd(usd)} and {figures.count(round(done))} of "
            f"{figures.count(program.iterations)} iterations on average. Dollars are those of "
            "finished runs alone."
        )


def rows_of(found: Backtest, *, has_deadline: bool) -> list[dict[str, Any]]:
    """One row per policy: mean dollars of the runs that finished, and their ratio to foresight's.

    A run that did not finish has no dollars, and is late if there is a deadline.
    """
    # The first yardstick is the clairvoyant's, the least that a run could cost.
    least = [each.yardsticks[0].usd for each in found.starts]
    named = [
        {
            # A run that was broken off is cheap because it did less: its dollars would flatter the
            # policy.
            "usd": each.usd if each.is_finished else None,
            "elapsed_s": each.elapsed_s,
            "late_s": each.late_s,
            "name": found.policy,
        }
        for each in found.starts
    ]
    # Then the yardsticks, in the order in which they first appear.
    names = dict.fromkeys(each.name for start in found.starts for each in start.yardsticks)
    runs: list[list[dict[str, Any]]] = [named]
    for name in names:
        own = [
            next((each for each in start.yardsticks if each.name == name), None)
            for start in found.starts
        ]
        runs.append(
            [
                {"name": name, "usd": each.usd, "late_s": each.late_s}
                for each in own
                if each is not None
            ]
        )
    return [_row(each, least, has_deadline=has_deadline) for each in runs]


def _row(
    runs: Sequence[dict[str, Any]], least: Sequence[float | None], *, has_deadline: bool
) -> dict[str, Any]:
    usd = [each["usd"] for each in runs if each["usd"] is not None]
    # Each run against foresight on the same market: a mean of ratios, not a ratio of means.
    ratios = [
        each["usd"] / best
        for each, best in zip(runs, least, strict=True)
        if each["usd"] is not None and best
    ]
    is_late = [each["late_s"] > 0 or (has_deadline and each["usd"] is None) for each in runs]
    row: dict[str, Any] = {
        "name": runs[0]["name"],
        "late": sum(is_late),
        "finished": f"{len(usd)} of {len(runs)}",
    }
    if usd:
        row["usd"] = fmean(usd)
    if ratios:
        row["ratio"] = fmean(ratios)
    lasted_s = [
        each["elapsed_s"] for each in runs if each["usd"] is not None and "elapsed_s" in each
    ]
    if lasted_s:
        row["elapsed_s"] = fmean(lasted_s)
    return row


def _be_quiet() -> None:
    """Silences the simulated daemon's log, which says nothing about this machine."""
    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
