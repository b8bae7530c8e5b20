"""`elasticd ledger`: what every node has cost, at the prices then in force."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.options import JobOption, LimitOption, ListOutputOption, connection_of, limit_of
from elastic.cli.render import Column, ListOutput

app = typer.Typer(help="Where the dollars went.", no_args_is_help=True)

COLUMNS = (
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


@app.command("ls")
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
    render.show_list(rows, COLUMNS, output)
    if output is ListOutput.TABLE:
        render.show(f"total {figures.usd(total_usd)}")


@app.command("summary")
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
