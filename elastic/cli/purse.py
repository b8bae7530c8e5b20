"""`elasticd purse`: what all jobs together may cost, have cost, and who waits for that."""

from __future__ import annotations

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.options import OutputOption, connection_of
from elastic.cli.render import Column, Output

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
