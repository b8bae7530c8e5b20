"""The table: a line for each cell of a track, a column for each policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.decisions.track import OURS, TODAY, Row, Track

_MET: Mapping[bool | None, str] = {True: "met", False: "MISSED", None: "–"}


def lines_of(track: Track, rows: Sequence[Row]) -> list[str]:
    """Gives the lines of one track."""
    if not rows:
        return []
    policies = _policies(rows)
    cells = {(each.cell, each.policy): each for each in rows}
    names = dict.fromkeys(each.cell for each in rows)
    lines = [["cell", "cases", *policies, "goal", OURS, f"{OURS} to the best rival", "more by"]]
    for cell in names:
        own = cells.get((cell, OURS)) or next(each for each in rows if each.cell == cell)
        texts = [_text(cells.get((cell, policy))) for policy in policies]
        cases = f"{own.values['cases']:.0f}" if "cases" in own.values else ""
        met = _MET[own.is_met] if own.policy == OURS else ""
        lines.append([cell, cases, *texts, own.goal, met, own.note, own.split])
    return [f"{track.NAME}: {track.TITLE}", *_aligned(lines), ""]


def missed(rows: Iterable[Row]) -> list[str]:
    """What to say of each goal that ours misses."""
    return [
        f"{each.track} {each.cell}: {each.text}, wanted {each.goal}"
        for each in rows
        if each.policy == OURS and each.is_met is False
    ]


def _policies(rows: Sequence[Row]) -> list[str]:
    found = dict.fromkeys(each.policy for each in rows)
    first = [each for each in (OURS, TODAY) if each in found]
    return [*first, *(each for each in found if each not in first)]


def _text(row: Row | None) -> str:
    return "–" if row is None else row.text


def _aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    return [
        "  "
        + "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
