"""Money: `elasticd price`, `elasticd ledger`, `elasticd purse` and `elasticd audit`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from elastic import figures
from elastic.cli import completing, render
from elastic.cli.exits import ExitCode
from elastic.cli.options import (
    JobOption,
    LimitOption,
    ListOutputOption,
    OutputOption,
    connection_of,
    limit_of,
)
from elastic.cli.render import Column, ListOutput, Output
from elastic.durations import HISTORY_DAYS

prices = typer.Typer(help="What offerings cost, and cost before.", no_args_is_help=True)

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


@prices.command("ls")
def list_prices(
    context: typer.Context,
    is_current: Annotated[
        bool, typer.Option("--current", "-c", help="Only those in force now.")
    ] = False,
    limit: LimitOption = None,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List prices, newest first."""
    current = "true" if is_current else None
    most = limit_of(limit, output, in_table=50)
    with connection_of(context).open() as client:
        found = client.items("/v1/prices", limit=most, current=current)
        render.show_list(found, COLUMNS, output)
        # In a list for programs all items are prices.
        if output is ListOutput.TABLE:
            for each in client.get("/v1/prices", limit=1)["disbelieved"]:
                print(_not_believed(each))


def _not_believed(told: Mapping[str, Any]) -> str:
    usd_per_h = told["usd_per_h"]
    price = "what is no number" if usd_per_h is None else f"{figures.price(usd_per_h)}/h"
    return (
        f"not believed: {render.offering(told['offering'])} at {price} from "
        f"{figures.instant(told['valid_from_s'])} on, told by {told['source']}: {told['why']}"
    )


@prices.command("history")
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
    usd_per_h = [each["usd_per_h"] for each in points]
    span = max(usd_per_h) - min(usd_per_h)
    drawn = ""
    for index in range(width):
        # Each character shows the price in force at the end of its stretch of time.
        past = bisect_left(
            points, from_s + (index + 1) * step_s, key=lambda each: each["valid_from_s"]
        )
        share = 0.0
        if past and span:
            share = (usd_per_h[past - 1] - min(usd_per_h)) / span
        drawn += _LEVELS[round(share * (len(_LEVELS) - 1))] if past else " "
    return drawn


ledger = typer.Typer(help="Where the dollars went.", no_args_is_help=True)

_ROWS = (
    Column("ROW", "id", is_number=True, is_extra=True),
    Column("JOB", "job_id"),
    Column("NODE", "node_id", is_extra=True),
    Column("OFFERING", "offering", render.offering),
    Column("USD/H", "usd_per_h", figures.price, is_number=True),
    Column("FROM", "from_s", figures.instant),
    Column("TO", "to_s", figures.instant, is_extra=True),
    Column("USD", "usd", figures.usd, is_number=True),
    Column("PRICE", "price_id", is_number=True, is_extra=True),
    Column("TOLD BY", "price_source", is_extra=True),
    Column("AT", "price_observed_at_s", figures.instant, is_extra=True),
)
_BURN = Column("USD/H NOW", "burn_usd_per_h", figures.price, is_number=True)


class By(StrEnum):
    """What `summary` adds up by."""

    JOB = "job"
    NODE = "node"
    TYPE = "type"
    ZONE = "zone"
    DAY = "day"
    MONTH = "month"


@ledger.command("ls")
def list_ledger(
    context: typer.Context,
    job: JobOption = None,
    limit: LimitOption = None,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List ledger rows, newest first, and the sum of all."""
    with connection_of(context).open() as client:
        rows = client.items("/v1/ledger", limit=limit_of(limit, output, in_table=50), job=job)
        total_usd = client.get("/v1/ledger", limit=1, job=job)["total_usd"]
    render.show_list(rows, _ROWS, output)
    if output is ListOutput.TABLE:
        render.show(f"total {figures.usd(total_usd)}")


@ledger.command("summary")
def summarise(
    context: typer.Context,
    by: Annotated[
        By, typer.Option("--by", help="Add up by this; days and months are UTC's.")
    ] = By.JOB,
    job: JobOption = None,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """Add the ledger up, and show what it costs an hour now."""
    with connection_of(context).open() as client:
        found = client.get("/v1/ledger/summary", by=by.value, job=job)
    if output is ListOutput.JSON:
        render.show_json(found)
        return
    columns = (
        Column(by.value.upper(), "key"),
        Column("USD", "usd", figures.usd, is_number=True),
        _BURN,
    )
    render.show_list(found["items"], columns, output)
    if output is ListOutput.CSV:
        return
    render.show(
        f"total {figures.usd(found['total_usd'])}, going on at "
        f"{figures.price(found['burn_usd_per_h'])}/h"
    )


_CAPS = (
    Column("CAP OF THE", "unit"),
    Column("USD", "usd", figures.usd, is_number=True),
    Column("SPENT", "spent_usd", figures.usd, is_number=True),
    Column("COMMITTED", "committed_usd", figures.usd, is_number=True),
    Column("LEFT", "left_usd", figures.usd, is_number=True),
    Column("UNTIL", "ends_at_s", figures.instant),
)
_JOBS = (
    Column("JOB", "name"),
    Column("PRIORITY", "priority", is_number=True),
    Column("PHASE", "phase"),
    Column("USD/H NOW", "burn_usd_per_h", figures.price, is_number=True),
    Column("WHY", "why", can_wrap=True),
)


def purse(context: typer.Context, output: OutputOption = Output.TABLE) -> None:
    """Show what all jobs together may cost, what is left of that, and which jobs wait for it."""
    with connection_of(context).open() as client:
        found = client.get("/v1/purse")
    if output is Output.JSON:
        render.show_json(found)
        return
    if found["caps"]:
        render.show_list(found["caps"], _CAPS, Output.TABLE)
    else:
        print("The purse has no cap: the settings below `purse` name them.")
    line = f"all machines together cost {figures.price(found['burn_usd_per_h'])}/h"
    if found["rate_usd_per_h"] is not None:
        line += f", and at most {figures.price(found['rate_usd_per_h'])}/h now"
    print(f"{line}; days and months are those of {found['zone']}")
    if found["jobs"]:
        print()
        render.show_list(found["jobs"], _JOBS, Output.TABLE)


_DIFFERENCES = (
    Column("DIFFERENCE", "difference"),
    Column("MACHINE", "provider_id"),
    Column("NODE", "node_id"),
    Column("FOUND", "found", can_wrap=True),
    Column("USD OFF", "off_usd", figures.usd, is_number=True),
    Column("DO", "advice", can_wrap=True),
)


def audit(context: typer.Context, output: OutputOption = Output.TABLE) -> None:
    """Compare the ledger with the cloud, machine by machine; status 1 if they differ."""
    with connection_of(context).open() as client:
        found = client.get("/v1/audit")
    if output is Output.JSON:
        render.show_json(found)
    elif found["findings"]:
        render.show_list(found["findings"], _DIFFERENCES, output)
    else:
        compared = found["compared"]
        render.show(
            f"ledger and cloud agree about {compared} {'machine' if compared == 1 else 'machines'}"
        )
    if found["findings"]:
        # For a job of cron: its mail comes when a command fails.
        raise typer.Exit(ExitCode.ERROR)
