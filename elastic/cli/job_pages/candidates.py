"""How the candidates of a decision compare, as a table."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from elastic import figures
from elastic.cli import render
from elastic.cli.render import Column

if TYPE_CHECKING:
    from rich.table import Table

_WORKERS = Column("WORKERS", "workers", render.workers)

COLUMNS = (
    Column("", "mark"),
    Column("GROUP", "group", render.group),
    _WORKERS,
    Column("PHASE", "training_phase"),
    Column("WINDOWS", "samples", is_number=True),
    Column("USD/H", "usd_per_h", figures.price, is_number=True),
    Column("S/IT", "step_s", render.interval, is_number=True),
    Column("IT/USD (95 %)", "iterations_per_usd", render.interval, is_number=True),
    Column("EFFECTIVE", "effective_iterations_per_usd", figures.number, is_number=True),
    Column("USD LEFT", "remaining_usd", figures.usd, is_number=True),
    Column("TIME LEFT", "remaining_s", figures.duration, is_number=True),
)

# The columns of candidates while none of them has trained.
UNMEASURED = (
    Column("", "mark"),
    Column("GROUP", "group", render.group),
    _WORKERS,
    Column("USD/H", "usd_per_h", figures.price, is_number=True),
    Column("BUDGET LASTS", "budget_lasts_s", figures.duration, is_number=True),
)

UNAVAILABLE = Column("UNAVAILABLE", "unavailable", can_wrap=True)

# A screen holds ten candidates beside what else a command prints.
_MOST_SHOWN = 10
_MOST_LEFT_OUT = 5
# What a node runs unless its type has more cores; not worth a column.
_ONE = {"processes": 1, "threads": 1}
_S_PER_H = 3600.0


def candidate_table(
    candidates: Sequence[Mapping[str, Any]],
    *,
    chosen: Mapping[str, Any] | None,
    budget_usd: float | None = None,
) -> Table:
    """The table of `candidates`, with an arrow at the `chosen` group.

    Those that buy most iterations come first, then the unmeasured ones, the cheapest first. While
    nothing was measured, speeds have no columns, and the time that `budget_usd` would last has one.
    """
    rows = [
        {
            **each,
            "mark": "->" if each["group"] == chosen else " ",
            "budget_lasts_s": _lasts_s(budget_usd, each),
        }
        for each in sorted(candidates, key=_rank)
    ]
    columns: tuple[Column, ...] = UNMEASURED
    if any(is_known(each) for each in candidates):
        columns = COLUMNS
    # Columns in which every row would be alike are left out: nothing remains of a job that is over.
    missing = {
        path
        for path in ("remaining_usd", "remaining_s")
        if all(each.get(path) is None for each in candidates)
    }
    if budget_usd is None:
        missing.add("budget_lasts_s")
    if not any(each.get("unavailable") for each in candidates):
        missing.add("unavailable")
    if not any(workers != _ONE for each in candidates for workers in each.get("workers", ())):
        missing.add("workers")
    return render.table_of(
        rows, [each for each in (*columns, UNAVAILABLE) if each.path not in missing]
    )


def shortlist(
    candidates: Sequence[Mapping[str, Any]], *, kept: Collection[Mapping[str, Any] | None]
) -> list[Mapping[str, Any]]:
    """The candidates that a person needs to see, and always those of the groups `kept`."""
    # A group does the same work in every zone, so the cheapest zone stands for all of them. Of one
    # type's unmeasured groups, the smallest stands for the larger ones.
    found: dict[tuple[object, ...], Mapping[str, Any]] = {}
    for each in sorted(
        candidates,
        key=lambda each: (each.get("unavailable") is not None, _count(each), *_rank(each)),
    ):
        # The first of each kind stays, since they come in the order in which they are worth
        # showing.
        found.setdefault(_kind(each), each)
    best = sorted(found.values(), key=_rank)[:_MOST_SHOWN]
    return best + [each for each in candidates if each["group"] in kept and each not in best]


def tell_of_left_out(plan: Mapping[str, Any]) -> None:
    """Prints the first reasons why node types cannot run the job, and how many were not tried."""
    reasons = list(plan.get("left_out", {}).values())
    more = len(reasons) - _MOST_LEFT_OUT
    if reasons:
        text = f"left out: {'; '.join(reasons[:_MOST_LEFT_OUT])}"
        print(render.paragraph(text + (f"; and {more} more" if more > 0 else "")))
    if pruned := plan.get("pruned"):
        counts = ", ".join(f"{count:,} {why.replace('_', ' ')}" for why, count in pruned.items())
        print(
            render.paragraph(f"{sum(pruned.values()):,} more offerings were not weighed: {counts}")
        )


def is_known(candidate: Mapping[str, Any]) -> bool:
    """Whether its speed was measured or is foreseen."""
    return bool(candidate.get("samples")) or candidate.get("step_s") is not None


def _kind(candidate: Mapping[str, Any]) -> tuple[object, ...]:
    """What candidates have in common of which one is shown."""
    members = candidate["group"]["members"]
    # Mixed groups have no size of their own: which of them is the smallest is not one number.
    is_counted = is_known(candidate) or len(members) > 1
    kinds = sorted(
        (each["node_type"], each["capacity"], count if is_counted else 0) for each, count in members
    )
    return is_known(candidate), *kinds


def _count(candidate: Mapping[str, Any]) -> int:
    return sum(count for _, count in candidate["group"]["members"])


def _lasts_s(budget_usd: float | None, candidate: Mapping[str, Any]) -> float | None:
    usd_per_h: float | None = candidate.get("usd_per_h")
    if budget_usd is not None and usd_per_h:
        return budget_usd / usd_per_h * _S_PER_H
    return None


def _rank(candidate: Mapping[str, Any]) -> tuple[bool, float, bool, float, str]:
    effective = candidate.get("effective_iterations_per_usd")
    usd_per_h = candidate.get("usd_per_h")
    by_price = math.inf if usd_per_h is None else usd_per_h
    return (
        # What the policy itself compares first, moves and start-up included.
        effective is None,
        -(effective or 0.0),
        not is_known(candidate),
        by_price,
        render.group(candidate["group"]),
    )
