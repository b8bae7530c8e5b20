"""Shows what a job's own page has beyond the overview: spec, events, log, pictures, report."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from api import schemas
from api.dashboard.views.acting import Choice
from api.dashboard.views.decisions import NamedNumber
from api.dashboard.views.parts import (
    Instant,
    Number,
    amount,
    dollars,
    group_name,
    instant,
    instant_or_none,
    words,
)
from api.job_logs import Shown, written
from elastic import figures
from elastic.figures import count, duration, number, percent, price, size, usd
from elastic.model import (
    Generation,
    Group,
    Job,
    JobSpec,
    Node,
    NprocPerNode,
    OnMiss,
    StartCondition,
)
from elastic.policy import Use
from elastic.store import Event

Value = TypeVar("Value")

_PICTURES = (".png", ".jpg", ".jpeg")
_MOST_RANKS = 64
# A page shows the newest ones; the command line lists all.
_MOST_OUTPUTS = 50


@dataclass(frozen=True, slots=True)
class GenerationRow:
    """One membership of the job's group."""

    number: int
    group: str
    started: Instant
    drain: Instant | None
    ended: Instant | None
    lasted: str


@dataclass(frozen=True, slots=True)
class EventRow:
    """One thing that happened."""

    id: int
    at: Instant
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class PictureView:
    """An image that the job left."""

    name: str
    href: str
    alt: str


@dataclass(frozen=True, slots=True)
class OutputRow:
    """A file that was uploaded."""

    path: str
    href: str
    size: Number
    written: Instant


@dataclass(frozen=True, slots=True)
class OutputsView:
    """The newest files that a job's workers wrote."""

    rows: tuple[OutputRow, ...]
    # How many are not shown.
    more: int


@dataclass(frozen=True, slots=True)
class NodeCostRow:
    """What one node cost."""

    node_id: str
    node_type: str
    lived: str
    usd: Number


@dataclass(frozen=True, slots=True)
class FixedRow:
    """What one group alone would have cost."""

    group: str
    usd: Number
    lasts: Number
    # The difference to what was spent.
    against: str


@dataclass(frozen=True, slots=True)
class UsePart:
    """One use of a job's dollars, as a part of a bar."""

    name: str
    usd: Number
    share: str
    # In percent of the bar.
    begins: float
    width: float


@dataclass(frozen=True, slots=True)
class ReportView:
    """The job's closing report."""

    totals: tuple[NamedNumber, ...]
    by_node: tuple[NodeCostRow, ...]
    fixed: tuple[FixedRow, ...]
    quality: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogView:
    """Lines of a job's log."""

    text: str
    # The address of later lines; empty once the job is over.
    follow: str
    # The number of the last line here.
    after: int
    generation: int
    # Whether these are a failed worker's lines, from its traceback on.
    is_failure: bool
    # The process that wrote the last line.
    source: str
    # The ranks to choose from, and the one that was chosen.
    ranks: tuple[int, ...]
    rank: int | None


@dataclass(frozen=True, slots=True)
class JobExtras:
    """The rest of a job's page."""

    generations: tuple[GenerationRow, ...]
    events: tuple[EventRow, ...]
    spec: tuple[tuple[str, str], ...]
    pictures: tuple[PictureView, ...]
    outputs: OutputsView
    log: LogView
    # The pages that act on the job now.
    actions: tuple[Choice, ...]
    uses: tuple[UsePart, ...]
    report: ReportView | None


def generation_rows(
    generations: Sequence[Generation], nodes: Sequence[Node], *, now_s: float
) -> tuple[GenerationRow, ...]:
    """Generations, newest first."""
    by_id = {node.id: node for node in nodes}
    return tuple(_generation_row(each, by_id, now_s) for each in reversed(generations))


def event_rows(events: Sequence[Event], *, now_s: float) -> tuple[EventRow, ...]:
    """Events in the order given."""
    return tuple(
        EventRow(each.id, instant(each.at_s, now_s), words(each.kind), each.text) for each in events
    )


def pictures(job: Job, files: Sequence[schemas.Artifact]) -> tuple[PictureView, ...]:
    """The images among a job's files, newest first."""
    # The name decides between files of one second, so that two looks give one order.
    newest = sorted(files, key=lambda each: (each.modified_at_s, each.name), reverse=True)
    return tuple(
        PictureView(each.name, each.href, f"{each.name}, made by job {job.spec.name}")
        for each in newest
        if each.name.lower().endswith(_PICTURES)
    )


def log_view(job: Job, found: Shown, *, ranks: Sequence[int], rank: int | None) -> LogView:
    """A job's log, which the page follows while the job runs."""
    query = "" if rank is None else f"?rank={rank}"
    last = found.lines[-1] if found.lines else None
    return LogView(
        text="".join(written(found, is_labelled=True)),
        # Empty once it is over: each open page would otherwise hold one of the few streams.
        follow="" if job.phase.is_final else f"/v1/jobs/{job.id}/logs{query}",
        after=0 if last is None else last.id,
        generation=0 if last is None else last.generation,
        is_failure=found.is_failure,
        source="" if last is None else last.source,
        ranks=tuple(ranks[:_MOST_RANKS]),
        rank=rank,
    )


def output_rows(files: Sequence[schemas.OutputFile], *, now_s: float) -> OutputsView:
    """The files written last, newest first."""
    newest = sorted(files, key=lambda each: (-each.modified_at_s, each.path))[:_MOST_OUTPUTS]
    rows = tuple(
        OutputRow(
            each.path,
            each.href,
            Number(size(each.bytes), each.bytes),
            instant(each.modified_at_s, now_s),
        )
        for each in newest
    )
    return OutputsView(rows, more=len(files) - len(rows))


def use_parts(spent: Mapping[Use, float]) -> tuple[UsePart, ...]:
    """The uses of dollars as parts of one bar, in a fixed order; those of $0 are left out.

    >>> parts = use_parts({Use.USEFUL: 3.0, Use.BOOT: 1.0, Use.IDLE: 0.0})
    >>> [(each.name, each.begins, each.width) for each in parts]
    [('useful', 0.0, 75.0), ('boot', 75.0, 25.0)]
    """
    total = sum(spent.values())
    begins = 0.0
    parts = []
    # Always in this order, so that a colour keeps its place while the numbers change.
    for use in Use:
        usd_of = spent.get(use, 0.0)
        if usd_of <= 0 or total <= 0:
            continue
        width = 100 * usd_of / total
        parts.append(
            UsePart(
                use.value,
                dollars(usd_of),
                percent(usd_of / total),
                round(begins, 3),
                round(width, 3),
            )
        )
        begins += width
    return tuple(parts)


def report_view(report: schemas.Report) -> ReportView:
    """A job's closing report."""
    rate = report.iterations_per_usd
    totals = (
        NamedNumber(
            "iterations_done",
            "iterations done",
            Number(count(report.iterations_done), report.iterations_done),
        ),
        NamedNumber("spent_usd", "spent", dollars(report.spent_usd)),
        NamedNumber("report_iterations_per_usd", "iterations per dollar, all in", amount(rate)),
        NamedNumber("elapsed_s", "took", Number(duration(report.elapsed_s), report.elapsed_s)),
        NamedNumber(
            "changes",
            "changes decided",
            Number(count(len(report.decisions)), len(report.decisions)),
        ),
    )
    return ReportView(
        totals=totals,
        by_node=tuple(
            NodeCostRow(
                each.node_id, each.offering.node_type, duration(each.seconds), dollars(each.usd)
            )
            for each in report.nodes
        ),
        fixed=tuple(_fixed_row(each, report.spent_usd) for each in report.fixed),
        quality=tuple(
            (words(name), plain(value))
            for name, value in report.quality.items()
            if value is not None
        ),
        notes=tuple(each.text for each in report.notes),
    )


def spec_lines(spec: JobSpec, *, is_preloaded: bool | None) -> tuple[tuple[str, str], ...]:
    """What was asked for, as names and values; what was left open is left out.

    `is_preloaded` says whether all workers were preloaded; None while there were none.
    """
    objective = spec.objective
    lines = (
        ("command", shlex.join(spec.command)),
        ("workload", spec.workload or ""),
        ("iterations", _known(spec.iterations, count)),
        ("global batch", _known(spec.global_batch, str)),
        ("nodes", _nodes(spec)),
        ("workers a node", _workers(spec.nproc_per_node)),
        ("mode", _mode(spec, is_preloaded=is_preloaded)),
        ("precision", spec.precision or ""),
        ("outputs", _outputs(spec.outputs)),
        ("node types", ", ".join(spec.node_types) or "any"),
        ("capacity", spec.capacity.value),
        ("policy", f"{spec.policy} {spec.fixed_node_type or ''}".strip()),
        ("maximize", words(objective.maximize)),
        ("budget", _known(objective.budget_usd, usd)),
        ("deadline", _known(objective.deadline_s, figures.instant)),
        ("priority", "" if not spec.priority else str(spec.priority)),
        ("at most", _known(spec.max_duration_s, figures.duration)),
        ("starts", _starts(spec.start)),
        ("most an hour", _known(objective.max_usd_per_hour, lambda most: f"{price(most)}/h")),
        ("an hour sooner is worth", _known(objective.value_of_time_usd_per_h, usd)),
        # The default is not worth a line.
        ("on miss", "" if objective.on_miss is OnMiss.FASTEST else objective.on_miss.value),
        ("most samples a worker", _pairs(spec.most_samples)),
        ("phases", ", ".join(_phase(each.name, each.until_iteration) for each in spec.phases)),
        ("hyperparameters", _pairs(spec.hyperparameters)),
        ("image", spec.image or ""),
        ("requirements", ", ".join(spec.requirements)),
        ("setup", "; ".join(spec.setup)),
        ("data", spec.data or ""),
        ("environment", _pairs(spec.shown_env)),
    )
    return tuple((name, value) for name, value in lines if value)


def _starts(start: StartCondition) -> str:
    """What must hold before the job has machines; empty if nothing must."""
    parts = (
        _known(start.not_before_s, lambda at_s: f"not before {figures.instant(at_s)}"),
        _known(start.hours, lambda hours: f"within {hours}"),
        _known(start.usd_per_h_below, lambda most: f"below {price(most)}/h"),
    )
    return ", ".join(filter(None, parts))


def plain(value: bool | float | str) -> str:
    """A value that a script reported, as people read it."""
    match value:
        case bool():
            if value:
                return "yes"
            return "no"
        case int():
            return count(value)
        case float():
            return number(value)
        case str():
            return value


def _known(value: Value | None, write: Callable[[Value], str]) -> str:
    """The value as text; empty if it was left open."""
    if value is None:
        return ""
    return write(value)


def _mode(spec: JobSpec, *, is_preloaded: bool | None) -> str:
    if not spec.preload:
        return f"{spec.mode}, not preloaded"
    if is_preloaded is False:
        return f"{spec.mode}, not preloaded on every node"
    return spec.mode.value


def _generation_row(
    generation: Generation, by_id: Mapping[str, Node], now_s: float
) -> GenerationRow:
    # Those of an adopted job that were gone before are not on record here.
    members = Counter(
        by_id[node_id].offering for node_id in generation.node_ids if node_id in by_id
    )
    if generation.ended_at_s is None:
        end_s = now_s
    else:
        end_s = generation.ended_at_s
    return GenerationRow(
        number=generation.number,
        group=group_name(Group(tuple(sorted(members.items())))),
        started=instant(generation.started_at_s, now_s),
        drain=instant_or_none(generation.drain_at_s, now_s),
        ended=instant_or_none(generation.ended_at_s, now_s),
        lasted=duration(max(end_s - generation.started_at_s, 0.0)),
    )


def _fixed_row(choice: schemas.FixedChoiceOut, spent_usd: float) -> FixedRow:
    names = [
        f"{number} × {each.node_type}" if number > 1 else each.node_type
        for each, number in choice.group.members
    ]
    more = choice.usd - spent_usd
    return FixedRow(
        group=" + ".join(names),
        usd=dollars(choice.usd),
        lasts=Number(duration(choice.lasts_s), choice.lasts_s),
        against=f"{usd(abs(more))} {'more' if more >= 0 else 'less'}",
    )


def _nodes(spec: JobSpec) -> str:
    if spec.nodes_min == spec.nodes_max:
        count = str(spec.nodes_min)
    else:
        count = f"{spec.nodes_min} to {spec.nodes_max}"
    if spec.nodes_wanted is None:
        return count
    return f"{count}, scaled to {spec.nodes_wanted}"


def _outputs(globs: Sequence[str] | None) -> str:
    if globs is None:
        return ""
    return ", ".join(globs) or "none"


def _workers(asked: NprocPerNode) -> str:
    if isinstance(asked, Mapping):
        return _pairs(asked)
    return str(asked)


def _pairs(values: Mapping[str, object]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in values.items())


def _phase(name: str, until_iteration: int | None) -> str:
    if until_iteration is None:
        return name
    return f"{name} until {until_iteration:,}"
