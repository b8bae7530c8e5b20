"""Many jobs at once: in what order they are listed, and some of them side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from elastic import figures
from elastic.cli import render
from elastic.cli.render import Column
from elastic.model import JobOrder

if TYPE_CHECKING:
    from rich.table import Table


def ordered(jobs: Sequence[Mapping[str, Any]], order: JobOrder) -> list[Mapping[str, Any]]:
    """Jobs in this order; those of which it is not known come last.

    >>> jobs = [{"id": "a", "spent_usd": 1.0}, {"id": "b", "spent_usd": 2.0}]
    >>> [each["id"] for each in ordered(jobs, JobOrder.COST)]
    ['b', 'a']
    """
    return sorted(jobs, key=lambda job: _key(job, order))


def comparison(
    found: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
) -> Table:
    """Jobs with their reports, side by side: a column for each."""
    names = [job["spec"]["name"] for job, _ in found]
    rows = [
        _row("phase", [job["phase"] for job, _ in found]),
        _row("iterations done", [figures.count(each["iterations_done"]) for _, each in found]),
        _row("it/$, all counted", [_known(each["iterations_per_usd"]) for _, each in found]),
        _row("spent", [figures.usd(each["spent_usd"]) for _, each in found]),
        _row("useful", [_useful(each) for _, each in found]),
        _row("took", [figures.duration(each["elapsed_s"]) for _, each in found]),
        _row("time left", [_left(job) for job, _ in found]),
    ]
    reported = dict.fromkeys(name for _, each in found for name in each["quality"])
    rows += [
        _row(name, [_known(each["quality"].get(name)) for _, each in found]) for name in reported
    ]
    # Columns by their place: two of the jobs may have one name.
    columns = [Column("", "label"), *(Column(name, str(at)) for at, name in enumerate(names))]
    return render.table_of(rows, columns)


def _key(job: Mapping[str, Any], order: JobOrder) -> tuple[float, ...]:
    match order:
        case JobOrder.NEWEST:
            return ()
        case JobOrder.ATTENTION:
            # False sorts before True: first what needs somebody, and what goes on before what is
            # over.
            return (not job["attention"], job["is_final"])
        case JobOrder.COST:
            return (-job["spent_usd"],)
        case JobOrder.VALUE:
            if not job["spent_usd"] > 0:
                return (1.0,)
            return (-job["progress"]["iteration"] / job["spent_usd"],)
        case JobOrder.TIME_LEFT:
            left_s = job["progress"]["eta_s"]
            return (left_s is None, left_s or 0.0)


def _row(label: str, values: Sequence[str]) -> dict[str, str]:
    return {"label": label, **{str(at): value for at, value in enumerate(values)}}


def _known(value: object) -> str:
    if value is None:
        return render.UNKNOWN
    if isinstance(value, float):
        return figures.number(value, 4)
    return str(value)


def _useful(report: Mapping[str, Any]) -> str:
    spent_usd = report["spent_usd"]
    if not spent_usd > 0:
        return render.UNKNOWN
    useful_usd = sum(each["usd"] for each in report["uses"] if each["name"] == "useful")
    return figures.percent(useful_usd / spent_usd)


def _left(job: Mapping[str, Any]) -> str:
    left_s = job["progress"]["eta_s"]
    if left_s is None:
        return render.UNKNOWN
    return figures.duration(left_s)
