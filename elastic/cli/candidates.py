"""How the candidates of a decision compare, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from elastic.cli import render
from elastic.cli.render import Column

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = (
    Column("", "mark"),
    Column("GROUP", "group", render.group),
    Column("PHASE", "training_phase"),
    Column("WINDOWS", "samples", is_number=True),
    Column("USD/H", "usd_per_h", render.price, is_number=True),
    Column("S/IT", "step_s", render.interval, is_number=True),
    Column("IT/USD (95 %)", "iterations_per_usd", render.interval, is_number=True),
    Column("EFFECTIVE", "effective_iterations_per_usd", render.rate, is_number=True),
    Column("USD LEFT", "remaining_usd", render.usd, is_number=True),
    Column("TIME LEFT", "remaining_s", render.duration, is_number=True),
)

UNAVAILABLE = Column("NOT TO BE HAD", "unavailable", can_wrap=True)


def candidate_table(candidates: Sequence[Mapping[str, Any]], *, chosen: Mapping[str, Any] | None) -> Table:
    """Gives the table of `candidates`, best effective iterations per dollar first, an arrow at the `chosen` group."""
    ranked = sorted(candidates, key=_rank)
    marked = [{**each, "mark": "->" if each["group"] == chosen else " "} for each in ranked]
    has_lacks = any(each.get("unavailable") for each in candidates)
    return render.table_of(marked, (*COLUMNS, UNAVAILABLE) if has_lacks else COLUMNS)


def _rank(candidate: Mapping[str, Any]) -> tuple[bool, float, str]:
    effective = candidate.get("effective_iterations_per_usd")
    return (effective is None, -(effective or 0.0), render.group(candidate["group"]))
