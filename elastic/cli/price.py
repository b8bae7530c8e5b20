"""`elasticd price`: what offerings cost, now and before."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from elastic import figures
from elastic.cli import completing, render
from elastic.cli.options import LimitOption, ListOutputOption, connection_of, limit_of
from elastic.cli.render import Column, ListOutput
from elastic.durations import HISTORY_DAYS

app = typer.Typer(help="What offerings cost, and cost before.", no_args_is_help=True)

COLUMNS = (
    Column("PRICE", "id", is_number=True, is_extra=True),
    Column("OFFERING", "offering", render.offering),
    Column("USD/H", "usd_per_h", figures.price, is_number=True),
    Column("VALID FROM", "valid_from_s", figures.instant),
    Column("HEARD", "observed_at_s", figures.instant, is_extra=True),
    Column("STALE", "is_stale", lambda is_stale: "yes" if is_stale else "no"),
    Column("BLOCKED", "unavailable", render.blocks, is_extra=True),
    Column("SOURCE", "source", is_extra=True),
)


HISTORY_COLUMNS = (
    Column("OFFERING", "offering", render.offering),
    Column("LAST", "last.usd_per_h", figures.price, is_number=True),
    Column("LOWEST", "lowest_usd_per_h", figures.price, is_number=True),
    Column("MEAN", "mean_usd_per_h", figures.price, is_number=True),
    Column("HIGHEST", "highest_usd_per_h", figures.price, is_number=True),
    Column("PRICES", "points", lambda points: figures.count(len(points)), is_number=True),
    Column("FIRST FROM", "points", lambda points: figures.instant(points[0]["valid_from_s"])),
    Column("LOWEST TO HIGHEST", "drawn"),
    Column("SOURCE", "last.source"),
)
_LEVELS = "▁▂▃▄▅▆▇█"


@app.command("ls")
def list_prices(
    context: typer.Context,
    is_current: Annotated[
        bool, typer.Option("--current", "-c", help="Only those in force now.")
    ] = False,
    limit: LimitOption = None,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List prices, newest first."""
    with connection_of(context).open() as client:
        render.show_list(
            client.items(
                "/v1/prices",
                limit=limit_of(limit, output, in_table=50),
                current="true" if is_current else None,
            ),
            COLUMNS,
            output,
        )


@app.command("history")
def show_history(
    context: typer.Context,
    node_type: Annotated[
        str,
        typer.Argument(
            metavar="TYPE",
            help="The node type, such as c5.large.",
            autocompletion=completing.node_types,
        ),
    ],
    days: Annotated[float, typer.Option(min=0.01, max=3660, help="How far back.")] = HISTORY_DAYS,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """Show what a node type's offerings have cost: EC2's spot history, and what came since."""
    with connection_of(context).open() as client:
        found = client.get("/v1/prices/history", node_type=node_type, days=days)["items"]
    if output is ListOutput.TABLE:
        found = [{**each, "last": each["points"][-1], "drawn": sparkline(each)} for each in found]
    render.show_list(found, HISTORY_COLUMNS, output)


def sparkline(history: Mapping[str, Any], *, width: int = 30) -> str:
    """Draws a history's prices over time, from the lowest to the highest; blank before the first.

    >>> told = [{"valid_from_s": 1.0, "usd_per_h": 0.1}, {"valid_from_s": 3.0, "usd_per_h": 0.4}]
    >>> sparkline({"from_s": 0.0, "to_s": 4.0, "points": told}, width=4)
    ' ▁▁█'
    """
    from_s = history["from_s"]
    points = history["points"]
    step_s = (history["to_s"] - from_s) / width
    prices = [each["usd_per_h"] for each in points]
    span = max(prices) - min(prices)
    drawn = ""
    for index in range(width):
        # Each character shows the price in force at the end of its stretch of time.
        past = bisect_left(
            points, from_s + (index + 1) * step_s, key=lambda each: each["valid_from_s"]
        )
        share = 0.0
        if past and span:
            share = (prices[past - 1] - min(prices)) / span
        drawn += _LEVELS[round(share * (len(_LEVELS) - 1))] if past else " "
    return drawn
