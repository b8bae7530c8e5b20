"""`elasticd sweep`: the same program on several layouts, one run after another.

A run is a job with a fixed layout, and its name says which. A run whose job there is already, with
the same specification, is not bought again: so a sweep that broke off goes on where it was.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, product
from statistics import mean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.exits import ExitCode
from elastic.cli.options import ListOutputOption, YesOption, confirm, connection_of
from elastic.cli.render import Column, ListOutput
from elastic.cli.watch import POLL_S, watched_job
from elastic.clock import SystemClock
from elastic.durations import SELDOM_S
from elastic.errors import Conflict, InvalidInput

if TYPE_CHECKING:
    from elastic.client.rest import Client, JsonObject
    from elastic.clock import Clock

_MOST_RUNS = 500
_MOST_WINDOWS = 100_000
_BAR = 30
# The phase of a run whose job the daemon did not take.
_REFUSED = "refused"
# What keeps a run from training for longer is said. A boot on this machine takes less.
_DELAY_S = SELDOM_S


@dataclass(frozen=True, slots=True)
class Layout:
    """How many nodes of which type train, and how many workers each has."""

    node_type: str
    nodes: int
    ranks: int

    @property
    def workers(self) -> int:
        return self.nodes * self.ranks

    def __str__(self) -> str:
        return f"{self.nodes} x {self.node_type}, {self.ranks} a node"


@dataclass(frozen=True, slots=True)
class LayoutRun:
    """One run of a layout, as it ended. What is unknown is None."""

    layout: Layout
    number: int
    # None if it was refused.
    job: str | None
    phase: str
    # Why it ended so, or was refused.
    message: str | None = None
    seconds: float = 0.0
    usd: float = 0.0
    iterations: int = 0
    # In warm windows alone.
    iterations_per_s: float | None = None
    iterations_per_usd: float | None = None
    # What the script itself reported, such as the seconds of an epoch.
    reported: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """The runs of one layout together. Efficiency is a worker's pace over that of the first row."""

    layout: Layout
    runs: int
    failed: int
    seconds: float | None
    usd: float | None
    iterations_per_s: float | None
    low: float | None
    high: float | None
    iterations_per_usd: float | None
    efficiency: float | None
    # Of those that failed.
    refused: int = 0


COLUMNS = (
    Column("LAYOUT", "layout"),
    Column("RUNS", "runs", is_number=True),
    Column("SECONDS", "seconds", figures.number, is_number=True),
    Column("USD A RUN", "usd", figures.usd, is_number=True),
    Column("IT/S", "iterations_per_s", figures.number, is_number=True),
    Column("FROM TO", "spread"),
    Column("IT/$", "iterations_per_usd", figures.number, is_number=True),
    Column("EFFICIENCY", "efficiency", figures.percent, is_number=True),
    Column("", "bar"),
)


def sweep(
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="The job's YAML or JSON.")],
    nodes: Annotated[str, typer.Option("--nodes", help="Numbers of nodes, such as 1,2,4.")] = "1",
    ranks: Annotated[
        str, typer.Option("--ranks", help="Workers on each node, such as 1,2,4.")
    ] = "1",
    layouts: Annotated[
        str | None,
        typer.Option(
            "--layouts", help="Nodes and workers on each, such as 1x1,2x4; not every combination."
        ),
    ] = None,
    types: Annotated[
        str | None, typer.Option("--types", help="Node types; else node_types of the job.")
    ] = None,
    repeat: Annotated[int, typer.Option("--repeat", min=1, max=100, help="Runs a layout.")] = 1,
    budget: Annotated[
        float | None, typer.Option("--budget", min=0.0, help="Dollars for the whole sweep.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Run all of it again, whatever has run before.")
    ] = False,
    yes: YesOption = False,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """Run the same program on several layouts, one after another, and compare them.

    The same line again goes on with a sweep that broke off.
    """
    from elastic.cli.job import read_spec

    document, code = read_spec(file)
    if not isinstance(document.get("name"), str):
        raise InvalidInput(f"{file}: name: wanted a value, got none", field="name")
    sizes = _sizes(layouts) or list(product(_numbers("--nodes", nodes), _numbers("--ranks", ranks)))
    wanted = layouts_of(
        _names(types) or [str(each) for each in document.get("node_types") or ()], sizes
    )
    count = len(wanted) * repeat
    if count > _MOST_RUNS:
        raise InvalidInput(
            f"sweep: wanted at most {_MOST_RUNS} runs, got {len(wanted)} layouts, {repeat} each"
        )
    capped = "without a budget" if budget is None else f"for at most {figures.usd(budget)}"
    with connection_of(context).open() as client:
        _check(client, document, wanted, budget)
        missing = count if again else _missing(client, document, wanted, repeat)
        if missing:
            question = f"runs to buy, one after another: {missing} of {count}, {capped}?"
            confirm(question, yes=yes, can_ask=file != "-")
        if code is not None:
            client.put(f"/v1/code/{code.sha256}", code.content, media_type="application/zip")
        follower = _Follower(client, SystemClock())
        runs = list(_played(follower, document, wanted, repeat, budget, again=again))
    if output is ListOutput.TABLE:
        render.show_list(shown(rows_of(runs)), COLUMNS, output)
        for each in runs:
            if each.phase == _REFUSED:
                print(f"{each.layout}: refused: {each.message}")
    else:
        render.show_list([_flat(each) for each in runs], COLUMNS, output)
    if len(runs) < count or any(each.phase != "succeeded" for each in runs):
        raise typer.Exit(ExitCode.ERROR)


def layouts_of(types: Sequence[str], sizes: Sequence[tuple[int, int]]) -> tuple[Layout, ...]:
    """Every size on every type, in their order; a size is nodes and workers on each.

    >>> [str(each) for each in layouts_of(["c5.large"], [(1, 4), (2, 4)])]
    ['1 x c5.large, 4 a node', '2 x c5.large, 4 a node']
    """
    if not types:
        raise InvalidInput(
            "sweep: wanted the node types to compare, from --types or node_types of the job, got "
            "none; `elasticd type ls` lists them"
        )
    return tuple(Layout(node_type, *size) for node_type in types for size in sizes)


def job_of(
    document: Mapping[str, Any], layout: Layout, number: int, *, left_usd: float | None
) -> dict[str, Any]:
    """The job of one run: the document with a fixed layout, and at most what is left to spend."""
    objective = dict(document.get("objective") or {})
    if left_usd is not None:
        # The job's own budget holds for each run, and the sweep's for all of them together.
        objective["budget_usd"] = min(left_usd, objective.get("budget_usd") or math.inf)
    name = f"{document['name']}-{layout.nodes}x{layout.ranks}"
    return {
        **document,
        # Cut so that the run's number fits: names have 63 characters at most, and these must
        # differ.
        "name": f"{name[:52]}-{layout.node_type.replace('.', '-').lower()}"[:58] + f"-{number}",
        "nodes": {"min": layout.nodes, "max": layout.nodes},
        "nproc_per_node": layout.ranks,
        "node_types": [layout.node_type],
        # best_value would move to another type, and the layout would not be measured.
        "policy": {"name": "fixed", "node_type": layout.node_type},
        "objective": objective,
    }


def rows_of(runs: Iterable[LayoutRun]) -> tuple[Row, ...]:
    """The runs of each layout together, in the order in which they ran."""
    rows: list[Row] = []
    # Runs of one layout come one after another, so `groupby` finds them all.
    for layout, own in groupby(runs, key=lambda each: each.layout):
        every = tuple(own)
        # A run that failed cost dollars, but its time and its pace are those of no whole run. One
        # that was refused cost none.
        costs = [each.usd for each in every if each.phase != _REFUSED]
        done = [each for each in every if each.phase == "succeeded"]
        rates = [each.iterations_per_s for each in done if each.iterations_per_s is not None]
        bought = [each.iterations_per_usd for each in done if each.iterations_per_usd is not None]
        rate = mean(rates) if rates else None
        first = rows[0] if rows else None
        rows.append(
            Row(
                layout=layout,
                runs=len(every),
                failed=len(every) - len(done),
                seconds=mean(each.seconds for each in done) if done else None,
                usd=mean(costs) if costs else None,
                iterations_per_s=rate,
                low=min(rates, default=None),
                high=max(rates, default=None),
                iterations_per_usd=mean(bought) if bought else None,
                efficiency=_efficiency(rate, layout, first),
                refused=len(every) - len(costs),
            )
        )
    return tuple(rows)


def shown(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows as a table has them, with a bar for iterations per dollar."""
    most = max((each.iterations_per_usd or 0.0 for each in rows), default=0.0)
    return [
        {
            "layout": str(each.layout),
            "runs": _runs(each),
            "seconds": each.seconds,
            "usd": each.usd,
            "iterations_per_s": each.iterations_per_s,
            "spread": _spread(each),
            "iterations_per_usd": each.iterations_per_usd,
            "efficiency": each.efficiency,
            "bar": "█" * round(_BAR * (each.iterations_per_usd or 0.0) / most) if most else "",
        }
        for each in rows
    ]


def _check(
    client: Client, document: dict[str, Any], layouts: Sequence[Layout], budget: float | None
) -> None:
    """Has the daemon plan every layout, and prints its notes. Raises InvalidInput.

    So a layout that it refuses is known before another one was paid for.
    """
    refused = []
    noted: set[str] = set()
    for layout in layouts:
        try:
            plan = client.post("/v1/jobs:plan", job_of(document, layout, 1, left_usd=budget))
        except (InvalidInput, Conflict) as error:
            refused.append(f"{layout}: {error}")
        else:
            # The same for most layouts.
            for note in [each for each in plan["notes"] if each not in noted]:
                noted.add(note)
                typer.echo(f"{layout}: note: {note}", err=True)
    if refused:
        raise InvalidInput(
            f"sweep: {len(refused)} of {len(layouts)} layouts are refused, and nothing was bought:"
            + "".join(f"\n{each}" for each in refused)
        )


def _missing(
    client: Client, document: dict[str, Any], layouts: Sequence[Layout], repeat: int
) -> int:
    """How many runs are not there yet, and would be bought."""
    specs = (
        client.post("/v1/jobs:plan", job_of(document, layout, number, left_usd=None))["spec"]
        for layout in layouts
        for number in range(1, repeat + 1)
    )
    jobs = list(client.items("/v1/jobs", limit=_MOST_RUNS))
    return sum(_earlier(jobs, spec) is None for spec in specs)


def _played(
    follower: _Follower,
    document: dict[str, Any],
    layouts: Sequence[Layout],
    repeat: int,
    budget: float | None,
    *,
    again: bool,
) -> Iterator[LayoutRun]:
    """Runs every layout so often, one run after another, until the budget is spent."""
    spent = 0.0
    plan = [(layout, number) for layout in layouts for number in range(1, repeat + 1)]
    for place, (layout, number) in enumerate(plan, 1):
        left_usd = None if budget is None else budget - spent
        if left_usd is not None and left_usd <= 0:
            left_out = figures.counted(len(plan) - place + 1, "run")
            typer.echo(f"the budget is spent, which leaves out {left_out}", err=True)
            return
        try:
            run = _run(follower, document, layout, number, left_usd, again=again)
        except (InvalidInput, Conflict) as error:
            # Prices, and what is left of the budget, change while a sweep goes on. What the others
            # have measured was paid for.
            run = LayoutRun(layout, number, job=None, phase=_REFUSED, message=str(error))
        spent += run.usd
        if run.phase == _REFUSED:
            came = f"refused: {run.message}"
        else:
            came = (
                f"{run.phase}, {run.iterations} iterations in {figures.duration(run.seconds)} for "
                f"{figures.usd(run.usd)}"
            )
        typer.echo(f"run {place} of {len(plan)}: {layout}: {came}", err=True)
        yield run


def _run(
    follower: _Follower,
    document: dict[str, Any],
    layout: Layout,
    number: int,
    left_usd: float | None,
    *,
    again: bool,
) -> LayoutRun:
    client = follower.client
    body = job_of(document, layout, number, left_usd=left_usd)
    # The daemon completes the specification, and finds what is wrong with it.
    spec = client.post("/v1/jobs:plan", body)["spec"]
    jobs = () if again else client.items("/v1/jobs", limit=_MOST_RUNS)
    job = _earlier(jobs, spec) or client.post("/v1/jobs", body)
    # One after another: two runs at once might share this machine's cores, or wait for the purse.
    job = follower.ended(job, layout)
    path = f"/v1/jobs/{job['id']}"
    report = client.get(f"{path}/report")
    windows = client.items("/v1/measurements", limit=_MOST_WINDOWS, job=job["id"])
    return LayoutRun(
        layout=layout,
        number=number,
        job=job["id"],
        phase=job["phase"],
        message=job["message"],
        seconds=report["elapsed_s"],
        usd=report["spent_usd"],
        iterations=report["iterations_done"],
        iterations_per_s=pace_of([each["window"] for each in windows]),
        iterations_per_usd=report["iterations_per_usd"],
        reported=report["quality"],
    )


@dataclass(slots=True)
class _Follower:
    """Follows one run after another to its end."""

    client: Client
    clock: Clock
    # What was said already, each with what it is about.
    told: set[tuple[str, str]] = field(default_factory=set)

    def ended(self, job: JsonObject, layout: Layout) -> JsonObject:
        """The job once it is over; says meanwhile what to know of it, and what it waits for."""
        since_s: dict[str, float] = {}
        while True:
            seen = watched_job(job)
            # The other runs of a layout have the same notes.
            for notice in seen.notices():
                self._say(layout, str(layout), notice, notice)
            now_s = self.clock.now_s()
            delays = seen.delays()
            since_s = {kind: since_s.get(kind, now_s) for kind, _ in delays}
            for kind, text in delays:
                if now_s - since_s[kind] >= _DELAY_S:
                    self._say(layout, job["id"], kind, text)
            if job["is_final"]:
                return job
            self.clock.sleep(POLL_S)
            job = self.client.get(f"/v1/jobs/{job['id']}")

    def _say(self, layout: Layout, about: str, kind: str, text: str) -> None:
        if (about, kind) not in self.told:
            self.told.add((about, kind))
            typer.echo(f"{layout}: {text}", err=True)


def _earlier(jobs: Iterable[JsonObject], spec: JsonObject) -> JsonObject | None:
    """The newest job with this specification, whatever it may cost, unless it was stopped."""
    # The budget that is left differs from try to try, and changes nothing of what is measured.
    wanted = {**spec, "objective": None}
    for job in jobs:
        if {**job["spec"], "objective": None} == wanted:
            is_cut_short = job["phase"] in ("cancelled", "budget_exhausted")
            return None if is_cut_short else job
    return None


def pace_of(windows: Iterable[Mapping[str, Any]]) -> float | None:
    """Iterations per second in warm windows; None without any.

    >>> pace_of([{"is_cold": False, "iterations": 8, "elapsed_s": 2.0}])
    4.0
    """
    warm = [each for each in windows if not each["is_cold"]]
    elapsed_s = sum(each["elapsed_s"] for each in warm)
    if elapsed_s <= 0:
        return None
    return float(sum(each["iterations"] for each in warm) / elapsed_s)


def _efficiency(rate: float | None, layout: Layout, first: Row | None) -> float | None:
    if rate is None:
        return None
    if first is None:
        return 1.0
    if not first.iterations_per_s:
        return None
    return rate / layout.workers / (first.iterations_per_s / first.layout.workers)


def _spread(row: Row) -> str | None:
    if row.low is None or row.high is None or row.runs - row.failed < 2:
        return None
    return figures.span(row.low, row.high)


def _runs(row: Row) -> str:
    failed = row.failed - row.refused
    parts = [str(row.runs)]
    if failed:
        parts.append(f"{failed} failed")
    if row.refused:
        parts.append(f"{row.refused} refused")
    return ", ".join(parts)


def _flat(run: LayoutRun) -> dict[str, Any]:
    return {
        "node_type": run.layout.node_type,
        "nodes": run.layout.nodes,
        "ranks": run.layout.ranks,
        "run": run.number,
        "job": run.job,
        "phase": run.phase,
        "message": run.message,
        "seconds": run.seconds,
        "usd": run.usd,
        "iterations": run.iterations,
        "iterations_per_s": run.iterations_per_s,
        "iterations_per_usd": run.iterations_per_usd,
        "reported": dict(run.reported),
    }


def _names(text: str | None) -> list[str]:
    found = [each.strip() for each in (text or "").split(",") if each.strip()]
    # A layout that is named twice is one layout; --repeat runs it again.
    return list(dict.fromkeys(found))


def _sizes(text: str | None) -> list[tuple[int, int]]:
    sizes = []
    for each in _names(text):
        nodes, times, ranks = each.partition("x")
        if not (times and nodes.isdecimal() and ranks.isdecimal() and int(nodes) and int(ranks)):
            raise InvalidInput(f"--layouts: wanted nodes and workers such as 1x1,2x4, got {each!r}")
        sizes.append((int(nodes), int(ranks)))
    return sizes


def _numbers(option: str, text: str) -> list[int]:
    try:
        found = [int(each) for each in _names(text)]
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise InvalidInput(f"{option}: wanted whole numbers such as 1,2,4, got {text!r}")
    return found
