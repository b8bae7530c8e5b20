"""`elasticd decision`: what was decided, why, and whether it would be decided again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from elastic import figures
from elastic.cli import render
from elastic.cli.exits import ExitCode
from elastic.cli.job_pages import candidate_table, tell_of_left_out
from elastic.cli.options import (
    JobOption,
    LimitOption,
    ListOutputOption,
    OutputOption,
    connection_of,
    show_items,
)
from elastic.cli.render import Column, ListOutput, Output
from elastic.log_line import plain_lines

app = typer.Typer(help="What was decided, and why.", no_args_is_help=True)

DecisionArgument = Annotated[int, typer.Argument(help="The decision's id.", min=1)]

COLUMNS = (
    Column("DECISION", "id", is_number=True),
    Column("AT", "at_s", figures.instant),
    Column("JOB", "job_id", is_extra=True),
    Column("ACTION", "plan.action"),
    Column("TARGET", "plan.target", render.group, is_extra=True),
    Column("TICKS", "ticks", is_number=True, is_extra=True),
    Column("REASON", "plan.reason.text", can_wrap=True),
)


@app.command("ls")
def list_decisions(
    context: typer.Context,
    job: JobOption = None,
    limit: LimitOption = None,
    output: ListOutputOption = ListOutput.TABLE,
) -> None:
    """List decisions, newest first; holds that repeat share one line."""
    show_items(context, "/v1/decisions", COLUMNS, limit=limit, output=output, in_table=20, job=job)


@app.command("explain")
def explain(
    context: typer.Context,
    decision: DecisionArgument,
    what_if: Annotated[
        bool, typer.Option("--what-if", help="Say what would have had the others chosen.")
    ] = False,
    output: OutputOption = Output.TABLE,
) -> None:
    """Say why a decision was made, and from what; `-o json` prints its whole snapshot."""
    with connection_of(context).open() as client:
        found = client.get(f"/v1/decisions/{decision}")
        asked = None
        if what_if:
            asked = client.get(f"/v1/decisions/{decision}/what-if")
    if output is Output.JSON:
        render.show_json(found if asked is None else {**found, "what_if": asked["losers"]})
        return
    explain_decision(found)
    if asked is not None:
        _tell_what_if(asked["losers"])


@app.command("replay")
def replay(
    context: typer.Context, decision: DecisionArgument, output: OutputOption = Output.TABLE
) -> None:
    """Decide again from the stored snapshot; ends with status 1 if the plan differs."""
    with connection_of(context).open() as client:
        found = client.post(f"/v1/decisions/{decision}:replay")
    if output is Output.JSON:
        render.show_json(found)
    elif found["is_equal"]:
        print(f"decision {decision}: the same snapshot gives the same plan")
    else:
        print(
            f"decision {decision}: the same snapshot now gives another plan: "
            f"{found['plan']['reason']['text']}"
        )
    if not found["is_equal"]:
        # After the output in every form: a script that compares many looks at the status alone.
        raise typer.Exit(ExitCode.ERROR)


def explain_decision(decision: Mapping[str, Any]) -> None:
    """Prints a decision: the choice, the reason, the numbers that decided, every candidate, the
    limits that bit."""
    plan = decision["plan"]
    target = "no nodes"
    if plan["target"]:
        target = render.group(plan["target"])
    held = ""
    if decision["ticks"] > 1:
        held = f", held for {decision['ticks']} ticks"
    print(
        f"decision {decision['id']} of job {decision['job_id']}, "
        f"{figures.instant(decision['at_s'])}{held}"
    )
    print(
        f"{plan['action']}: {target}  (policy {decision['policy']} {decision['version']}, "
        f"{plan['reason']['code']})"
    )
    print(plain_lines(plan["reason"]["text"]))
    if plan["reason"]["numbers"]:
        numbers = ", ".join(
            f"{name} = {figures.number(value, 6)}"
            for name, value in plan["reason"]["numbers"].items()
        )
        print(render.paragraph(numbers))
    for limit in plan["limited_by"]:
        print(f"limited by {limit}")
    if plan["candidates"]:
        print()
        # A hold that goes on is weighed again from time to time.
        if decision["weighed_at_s"] > decision["at_s"]:
            print(f"as of {figures.instant(decision['weighed_at_s'])}:")
        render.show(candidate_table(plan["candidates"], chosen=plan["target"]))
    tell_of_left_out(plan)


def _tell_what_if(losers: Sequence[Mapping[str, Any]]) -> None:
    """Prints what alone would have had each of the others chosen."""
    if not losers:
        print("\nthere was no other candidate")
        return
    print("\nthe other candidates:")
    for each in losers:
        print(render.paragraph(f"{each['name']}: {each['text']}"))
