"""One job on one screen: its plan before it starts, its standing, its closing report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elastic.cli import render
from elastic.cli.candidates import candidate_table
from elastic.cli.render import Column

_REPORT_NODES = (
    Column("NODE", "node_id"),
    Column("OFFERING", "offering", render.offering),
    Column("SECONDS", "seconds", render.count, is_number=True),
    Column("USD", "usd", render.usd, is_number=True),
)
_REPORT_DECISIONS = (
    Column("DECISION", "id", is_number=True),
    Column("AT", "at_s", render.instant),
    Column("ACTION", "plan.action"),
    Column("TARGET", "plan.target", render.group),
    Column("REASON", "plan.reason.text", can_wrap=True),
)


def show_plan(priced: Mapping[str, Any]) -> None:
    """Prints what a job would begin with, and what is known of its cost, before anybody pays for it."""
    spec, plan = priced["spec"], priced["plan"]
    print(f"job {spec['name']}: {' '.join(spec['command'])}")
    print(f"iterations: {spec['iterations'] or 'until the script ends'}; {_limits(spec['objective'])}")
    first = render.group(plan["target"]) if plan["target"] else "no nodes"
    print(f"first: {plan['action']} {first}: {plan['reason']['text']}")
    if priced["measured_by"]:
        print(f"rates as job {priced['measured_by']} measured them:")
    render.show(candidate_table(priced["candidates"], chosen=plan["target"]))


def show_job(job: Mapping[str, Any]) -> None:
    """Prints a job's standing, its money and its candidates."""
    spec, progress = job["spec"], job["progress"]
    group = job["current_group"] or job["target_group"]
    eta = "" if progress["eta_s"] is None else f", {render.duration(progress['eta_s'])} left"
    print(f"job {job['id']} ({spec['name']}): {job['phase']}" + (f": {job['message']}" if job.get("message") else ""))
    print(f"iteration {progress['iteration']} of {progress['iterations'] or 'unknown'}{eta}")
    print(f"on {render.group(group) if group else 'no nodes'}, spent {render.usd(job['spent_usd'])}")
    if job["waits_because"]:
        print(f"waits: {job['waits_because']}")
    print(_limits(spec["objective"]))
    print(_tier(spec["tier"], job["running_tier"]))
    if job.get("files_at"):
        print(f"checkpoints and artifacts: {job['files_at']} (`elasticd job artifacts {spec['name']}` lists them)")
    if job["candidates"]:
        print()
        render.show(candidate_table(job["candidates"], chosen=job["target_group"]))


def show_report(report: Mapping[str, Any]) -> None:
    """Prints the closing report: every dollar from the ledger, and what the alternatives would have cost."""
    print(
        f"job {report['name']}: {report['phase']}, {report['iterations_done']} iterations"
        f" in {render.duration(report['elapsed_s'])}"
    )
    render.show(render.table_of(report["nodes"], _REPORT_NODES))
    gained = report["iterations_per_usd"]
    print(f"total {render.usd(report['spent_usd'])}" + ("" if gained is None else f", {render.rate(gained)} it/$"))
    _show_fixed(report)
    print("\ndecisions that changed something:")
    render.show(render.table_of(report["decisions"], _REPORT_DECISIONS))
    if report["quality"]:
        said = ", ".join(f"{name} = {_value(value)}" for name, value in report["quality"].items())
        print(f"\nwhat the job says of its result:\n{render.paragraph(said)}")
    for note in dict.fromkeys(each["text"] for each in report["notes"]):
        print(f"note: {note}")
    for artifact in report["artifacts"]:
        print(f"artifact: {artifact['name']} ({artifact['bytes']:,} bytes)")


def _show_fixed(report: Mapping[str, Any]) -> None:
    """Prints what the same iterations would have cost on one group from first to last, at the rates measured."""
    for title, fixed in (("best", report["best_fixed"]), ("worst", report["worst_fixed"])):
        if fixed is not None:
            took = render.duration(fixed["lasts_s"])
            print(f"{title} fixed choice: {render.group(fixed['group'])}, {render.usd(fixed['usd'])} in {took}")


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _tier(wanted: str, running: str | None) -> str:
    lower = running is not None and running != wanted
    return f"tier {wanted}" + (f", running on {running}: its events say why" if lower else "")


def _limits(objective: Mapping[str, Any]) -> str:
    parts = [f"maximize {objective['maximize']}"]
    if objective.get("deadline_s") is not None:
        parts.append(f"by {render.instant(objective['deadline_s'])}")
    if objective.get("budget_usd") is not None:
        parts.append(f"for at most {render.usd(objective['budget_usd'])}")
    if objective.get("max_usd_per_hour") is not None:
        parts.append(f"at no more than {render.usd(objective['max_usd_per_hour'])} an hour")
    return ", ".join(parts)
