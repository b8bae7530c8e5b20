"""The table of the zoo: one line a run, and under it where it falls short."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.zoo.script_log import Round
from benchmarks.zoo.verdict import Seen

HEADER = (
    f"{'ROW':14}{'PRELOAD':8}{'COUNT':>6}{'LOG':>6}{'IT/S':>8}{'LOG':>8}{'FILES':>6}{'LOST':>5}"
    f"{'STARTS':>7}{'NODES':>6}{'S':>5}  RESUMED AT; WHAT THE DAEMON SAID"
)


def lines_of(seen: Seen, shortfalls: list[str], logs: str) -> Iterator[str]:
    """Writes a run."""
    rate = seen.rate
    ours, theirs = (f"{rate.ours:.2f}", f"{rate.theirs:.2f}") if rate else ("-", "-")
    resumed = " ".join(map(_begin, seen.log.rounds)) or "-"
    yield (
        f"{seen.row.name:14}{seen.preload:8}{seen.iteration:>6}{seen.survived:>6}{ours:>8}{theirs:>8}"
        f"{len(seen.log.saved):>6}{len(seen.lost):>5}{seen.log.starts:>7}{seen.nodes:>6}{seen.seconds:>5.0f}"
        f"  {resumed}; {seen.phase}: {_short(seen.said)}"
    )
    for each in shortfalls:
        yield f"    falls short: {each}"
    if shortfalls:
        yield f"    logs: {logs}"


def _begin(each: Round) -> str:
    """Where a round began, and with how many ranks: `412x2`; two numbers where its ranks began
    apart."""
    return f"{'|'.join(f'{at:g}' for at in each.begins_at)}x{each.world_size}"


def _short(text: str, length: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else f"...{line[-length:]}"
