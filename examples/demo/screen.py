"""The demo's terminal: one live picture, or plain lines where output is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from elastic import figures
from elastic.cli import render
from elastic.client.rest import JsonObject
from examples.demo.watching import Sight, line_of, name_of

_NEWS_SHOWN = 8
_BAR_CELLS = 24

Show = Callable[[Sight, str | None], None]
"""Shows a look at the job, and what the market has just done to it."""


@contextmanager
def open_screen(*, started_s: float) -> Iterator[Show]:
    """Gives the function that shows a look at the job."""
    console = Console(highlight=False)
    if not console.is_terminal:
        yield _lines(started_s)
        return
    news: list[str] = []
    with Live(console=console, refresh_per_second=4, transient=False) as live:

        def show(sight: Sight, word: str | None) -> None:
            news.extend(line_of(each, started_s=started_s) for each in sight.news)
            news.extend([word] if word else [])
            live.update(picture(sight, news[-_NEWS_SHOWN:]))

        yield show


def picture(sight: Sight, news: list[str]) -> RenderableType:
    """Gives everything at once: progress, iterations per dollar by node type, the choice and its
    reason, the news."""
    standing = sight.standing
    return Group(
        Text(standing.line(), style="bold"),
        ProgressBar(total=standing.iterations or 1, completed=standing.iteration, width=80),
        Panel(
            _ranking(sight),
            title="iterations per dollar, measured by the job itself (95 %)",
            title_align="left",
        ),
        Text(f"choice: {sight.choice}. {sight.reason}", style="green"),
        Text("\n".join(news), style="dim"),
    )


def _ranking(sight: Sight) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("", "type", "$/h", "windows", "it/s", "it/$", ""):
        table.add_column(title, justify="left" if title in ("", "type") else "right", no_wrap=True)
    best = max((_value_of(each) or 0.0 for each in sight.job["candidates"]), default=0.0)
    for each in sorted(
        sight.job["candidates"], key=lambda candidate: -(_value_of(candidate) or 0.0)
    ):
        table.add_row(*_row(each, sight, best))
    return table


def _row(candidate: JsonObject, sight: Sight, best: float) -> tuple[str, ...]:
    name, value = name_of(candidate), _value_of(candidate)
    step_s = render.at(candidate, "step_s.value")
    return (
        "→" if name == sight.choice else " ",
        name,
        figures.price(sight.prices[name]) if name in sight.prices else render.UNKNOWN,
        str(candidate["samples"]),
        figures.number(1 / step_s) if step_s else render.UNKNOWN,
        render.interval(candidate["iterations_per_usd"])
        if value is not None
        else "not measured yet",
        "█" * round(_BAR_CELLS * value / best) if value is not None and best > 0 else "",
    )


def _value_of(candidate: JsonObject) -> float | None:
    value: float | None = render.at(candidate, "iterations_per_usd.value")
    return value


def _lines(started_s: float) -> Show:
    """Prints what happens, and the ranking at each new decision."""
    last_decision = 0

    def show(sight: Sight, word: str | None) -> None:
        nonlocal last_decision
        for event in sight.news:
            print(line_of(event, started_s=started_s))
        if word is not None:
            print(word)
        newest = max(
            (each["id"] for each in sight.decisions if each["plan"]["action"] != "hold"), default=0
        )
        if newest != last_decision or sight.standing.is_over:
            last_decision = newest
            print(sight.standing.line())
            render.show(_ranking(sight))
        sys.stdout.flush()

    return show
