"""One job on one screen: its plan before it starts, its status, its closing report."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any

from elastic import figures
from elastic.archive import Archive
from elastic.cli import render
from elastic.cli.job_pages.candidates import candidate_table, is_known, shortlist, tell_of_left_out
from elastic.cli.job_pages.frontier import Point, chart
from elastic.cli.render import Column
from elastic.log_line import plain_lines
from elastic.model import JobPhase, how_to_resume

_WIDTH = 100
# How many pools that refused a job are listed.
_POOLS = 5

_REPORT_NODES = (
    Column("NODE", "node_id"),
    Column("OFFERING", "offering", render.offering),
    Column("LIVED", "seconds", figures.duration, is_number=True),
    Column("USD", "usd", figures.usd, is_number=True),
)
_FRONTIER = (
    Column("", "letter"),
    Column("GROUP", "group", render.group),
    Column("DONE IN (95 %)", "lasts", is_number=True),
    Column("USD IN ALL (95 %)", "usd", is_number=True),
    Column("PACE", "pace"),
    Column("LATE", "late", is_number=True),
)
_HERE = Column("", "mark")
_REPORT_DECISIONS = (
    Column("DECISION", "id", is_number=True),
    Column("AT", "at_s", figures.instant),
    Column("ACTION", "plan.action"),
    Column("TARGET", "plan.target", render.group),
    Column("REASON", "plan.reason.text", can_wrap=True),
)


def show_plan(
    priced: Mapping[str, Any], *, has_all: bool = False, code: Archive | None = None
) -> None:
    """Prints what a job would begin with, and what is known of its cost.

    With `has_all` every candidate has a line. `code` is what is sent along.
    """
    spec = priced["spec"]
    plan = priced["plan"]
    candidates = priced["candidates"]
    print(
        f"job {spec['name']}: "
        f"{textwrap.shorten(' '.join(spec['command']), _WIDTH, placeholder=' ...')}"
    )
    if code is not None:
        if len(code.paths) == 1:
            files = "1 file"
        else:
            files = f"{len(code.paths):,} files"
        print(f"code: {files}, {figures.size(len(code.content))} packed")
    if spec["iterations"] is None:
        iterations = "until the script ends"
    else:
        iterations = f"{spec['iterations']:,}"
    print(f"iterations: {iterations}; {limits(spec)}")
    if spec.get("precision"):
        print(f"precision: {'; '.join(filter(None, [spec['precision'], priced['why_precision']]))}")
    print(f"first: {plan['reason']['text']}")
    if priced["measured_by"] and any(map(is_known, candidates)):
        print(f"rates as job {priced['measured_by']} measured them:")
    shown = candidates if has_all else shortlist(candidates, kept=[plan["target"]])
    if candidates:
        print()
        render.show(
            candidate_table(
                shown, chosen=plan["target"], budget_usd=priced["forecast"]["budget_usd"]
            )
        )
        _tell_of_more(candidates, shown, "--all lists them")
    tell_of_left_out(plan)
    if candidates:
        show_forecast(priced["forecast"])
    # Only clouds charge for disks and addresses.
    if any(price["extras_usd_per_h"] for price in priced["prices"]):
        print("USD/H is the whole node: the machine, its disk and its public address")
    for note in priced["notes"]:
        print(textwrap.fill(f"note: {note}", _WIDTH))


def show_job(job: Mapping[str, Any]) -> None:
    """Prints a job's status, its money and its candidates."""
    spec = job["spec"]
    group = job["current_group"] or job["target_group"]
    headline = f"job {job['id']} ({spec['name']}): {job['phase']}"
    # What it waits for has a line of its own.
    if job.get("message") and job["message"] != job["waits_because"]:
        headline += f": {job['message']}"
    print(plain_lines(headline))
    print(_progress(job["progress"]))
    print(
        f"on {render.group(group) if group else 'no nodes'}, spent {figures.usd(job['spent_usd'])}"
    )
    if job.get("error"):
        show_error(job["error"])
    if hint := how_to_resume(job["id"], JobPhase(job["phase"])):
        print(hint)
    for each in (
        *_waits(job),
        *job.get("preparing", ()),
        *(f"alarm: {alarm}" for alarm in job.get("alarms", ())),
    ):
        print(plain_lines(each))
    print(wanted_nodes(spec, is_over=JobPhase(job["phase"]).is_final))
    said = [("warning", job.get("warnings", ())), ("note", job.get("notes", ()))]
    for kind, text in ((kind, text) for kind, texts in said for text in texts):
        print(plain_lines(f"{kind}: {text}"))
    print(limits(spec))
    print(_mode(spec, is_preloaded=job["is_preloaded"]))
    if spec.get("precision"):
        print(f"computes in {spec['precision']}")
    if job.get("files_at"):
        print(
            f"checkpoints and artifacts: {job['files_at']} (`elasticd job artifacts "
            f"{spec['name']}` lists them)"
        )
    if spec.get("workload") is None and spec.get("outputs") != []:
        print(f"what it wrote: `elasticd job outputs {spec['name']} -o DIR` brings it")
    if job["candidates"]:
        print()
        shown = shortlist(job["candidates"], kept=[job["target_group"], job["current_group"]])
        render.show(candidate_table(shown, chosen=job["target_group"]))
        _tell_of_more(job["candidates"], shown, f"`elasticd job explain {spec['name']}` lists them")


def _progress(progress: Mapping[str, Any]) -> str:
    """How far a job is, how long it still takes, and what one iteration of it is."""
    line = f"iteration {progress['iteration']}"
    if progress["iterations"]:
        line += f" of {progress['iterations']}"
    if progress["eta_s"] is not None:
        line += f", {figures.duration(progress['eta_s'])} left"
    if progress.get("unit"):
        line += f"; an iteration is {progress['unit']}"
    return line


def _waits(job: Mapping[str, Any]) -> list[str]:
    """Why a job has no node, since when, and which pools refused it; nothing while it has one."""
    lines = []
    because = job["waits_because"]
    # Some reasons begin with the word, since they also stand alone.
    if because and because.startswith("waits"):
        lines = [because]
    elif because:
        lines = [f"waits: {because}"]
    waiting = job.get("waiting")
    if waiting:
        lines.append(f"no node since {figures.instant(waiting['since_s'])}")
        lines += [f"  {each['text']}" for each in waiting["pools"][:_POOLS]]
        if (more := len(waiting["pools"]) - _POOLS) > 0:
            lines.append(f"  and {more} more")
    return lines


def show_error(error: Mapping[str, Any]) -> None:
    """Prints why a job's program failed: the traceback's last lines, else one sentence."""
    where = ""
    if error["rank"] is not None:
        where = f" of rank {error['rank']}"
    print(f"last error{where}, at iteration {error['iteration'] or 0:,}:")
    print(textwrap.indent(plain_lines(error["lines"] or error["text"]), "  "))


def show_scaling(priced: Mapping[str, Any]) -> None:
    """Prints a job's nodes before and after scaling, and what each costs an hour."""
    print(f"now:  {_priced(priced['group'], priced['usd_per_h'])}")
    print(f"then: {_priced(priced['target_group'], priced['target_usd_per_h'])}")
    if priced["redone"]:
        print(textwrap.fill(_redone(priced), _WIDTH))
    print(textwrap.fill(priced["why"], _WIDTH))


def _redone(priced: Mapping[str, Any]) -> str:
    usd = priced["redone_usd"]
    count = priced["redone"]
    if usd is None:
        cost = "at a cost that is not known yet"
    else:
        cost = f"for about {figures.usd(usd)}"
    done = f"redo: {count:,} {'iteration' if count == 1 else 'iterations'} {cost}"
    if not priced["begins_at_zero"]:
        return f"{done}: those since the newest save"
    return f"{done}, and those until the move: the script begins at 0 again"


def limits(spec: Mapping[str, Any]) -> str:
    """What a job maximizes, and within which limits, in words."""
    objective = spec["objective"]
    parts = [f"maximize {objective['maximize']}"]
    if objective.get("deadline_s") is not None:
        parts.append(f"by {figures.instant(objective['deadline_s'])}")
    if objective.get("budget_usd") is not None:
        parts.append(f"for at most {figures.usd(objective['budget_usd'])}")
    if objective.get("max_usd_per_hour") is not None:
        parts.append(f"at no more than {figures.price(objective['max_usd_per_hour'])}/h")
    if objective.get("on_miss", "fastest") != "fastest" and len(parts) > 1:
        parts.append(f"on_miss {objective['on_miss']}")
    if spec.get("max_duration_s") is not None:
        parts.append(f"for at most {figures.duration(spec['max_duration_s'])}")
    if spec.get("priority"):
        parts.append(f"priority {spec['priority']}")
    return ", ".join(parts)


def wanted_nodes(spec: Mapping[str, Any], *, is_over: bool = False) -> str:
    """How many nodes a job may have and what it was scaled to, in words."""
    least = spec["nodes_min"]
    most = spec["nodes_max"]
    wanted = spec["nodes_wanted"]
    if least == most:
        count = f"{least}"
    else:
        count = f"{least} to {most}"
    kind = ""
    if spec["fixed_node_type"]:
        kind = f" of {spec['fixed_node_type']}"
    if wanted is None:
        scaled = ""
    else:
        scaled = f", scaled to {wanted}"
    if scaled and not is_over:
        scaled += (
            f" (`elasticd job scale {spec['name']} --nodes auto` leaves the number to the policy "
            "again)"
        )
    return f"asked for {count} {'node' if most == 1 else 'nodes'}{kind}{scaled}"


def show_report(report: Mapping[str, Any]) -> None:
    """Prints the closing report: every dollar, and what alternatives would have cost."""
    print(
        f"job {report['name']}: {report['phase']}, {report['iterations_done']} iterations"
        f" in {figures.duration(report['elapsed_s'])}"
    )
    render.show(render.table_of(report["nodes"], _REPORT_NODES))
    gained = report["iterations_per_usd"]
    print(
        f"total {figures.usd(report['spent_usd'])}"
        + ("" if gained is None else f", {figures.number(gained)} it/$")
    )
    show_uses(report)
    for warning in report.get("warnings", ()):
        print(plain_lines(f"warning: {warning}"))
    _show_fixed(report)
    print("\ndecisions that changed something:")
    render.show(render.table_of(report["decisions"], _REPORT_DECISIONS))
    if report["quality"]:
        said = ", ".join(f"{name} = {_value(value)}" for name, value in report["quality"].items())
        print(f"\nwhat the job says of its result:\n{render.paragraph(plain_lines(said))}")
    # The same note may come from every node.
    for note in dict.fromkeys(each["text"] for each in report["notes"]):
        print(plain_lines(f"note: {note}"))
    for artifact in report["artifacts"]:
        print(f"artifact: {artifact['name']} ({figures.size(artifact['bytes'])})")


def _priced(group: Mapping[str, Any] | None, usd_per_h: float | None) -> str:
    if group is None:
        return "no nodes"
    if usd_per_h is None:
        price = "at a price that is not known"
    else:
        price = f"at {figures.price(usd_per_h)}/h"
    return f"{render.group(group)} {price}"


def _tell_of_more(candidates: Sequence[object], shown: Sequence[object], where: str) -> None:
    if len(candidates) > len(shown):
        print(f"and {len(candidates) - len(shown)} more: {where}")


def show_uses(report: Mapping[str, Any]) -> None:
    """Prints what the dollars were spent on, the largest part first."""
    spent = report["spent_usd"]
    parts = sorted(
        (each for each in report.get("uses", ()) if each["usd"] > 0), key=lambda each: -each["usd"]
    )
    if spent > 0 and parts:
        print(
            "of it "
            + ", ".join(f"{each['name']} {figures.percent(each['usd'] / spent)}" for each in parts)
        )


def _show_fixed(report: Mapping[str, Any]) -> None:
    """Prints what the iterations would have cost on one fixed group, at the measured rates."""
    best = report["best_fixed"]
    worst = report["worst_fixed"]
    # One measured group is the best and the worst: two equal lines would look like a comparison.
    if best == worst:
        choices = [("only", best)]
    else:
        choices = [("best", best), ("worst", worst)]
    for title, fixed in choices:
        if fixed is not None:
            took = figures.duration(fixed["lasts_s"])
            print(
                f"{title} fixed choice: {render.group(fixed['group'])}, "
                f"{figures.usd(fixed['usd'])} in {took}"
            )


def _value(value: object) -> str:
    if isinstance(value, float):
        return figures.number(value, 4)
    return str(value)


def _mode(spec: Mapping[str, Any], *, is_preloaded: bool | None) -> str:
    mode = f"mode {spec['mode']}"
    if not spec["preload"]:
        return f"{mode}, not preloaded"
    if is_preloaded is False:
        return f"{mode}, not preloaded on every node: its events say why"
    return mode


def show_forecast(told: Mapping[str, Any], *, current: Mapping[str, Any] | None = None) -> None:
    """Prints when the job would be done and for how much, and the goals that nothing meets.

    `current` is the group that trains now: it has a line even if another one is better.
    """
    has_goals = told["left_s"] is not None or told["budget_usd"] is not None
    if not told["frontier"]:
        if has_goals:
            print("the first measured windows will tell whether its goals can be met")
        return
    shown = _worth_a_line(told, current)
    heading = "done in, the cheapest for each time"
    columns: tuple[Column, ...] = _FRONTIER
    if any(each["group"] == current for each in shown):
        heading += "; -> trains now"
        columns = (_HERE, *_FRONTIER)
    print(f"\n{heading}:")
    rows = [
        _ends(each)
        | {
            "letter": ascii_lowercase[at : at + 1],
            "mark": "->" if each["group"] == current else " ",
        }
        for at, each in enumerate(shown)
    ]
    render.show(render.table_of(rows, columns))
    # The middle values: intervals would cover each other in a picture of letters.
    points = [Point(each["lasts_s"]["value"], each["usd"]["value"]) for each in shown]
    lines = chart(points, left_s=told["left_s"], budget_usd=told["budget_usd"])
    if lines:
        print(
            "\ndollars in all against the time until it is done; | is the deadline, - the budget:"
        )
        print("\n".join(lines))
    if told["best"] is not None and has_goals:
        group, ends = render.group(told["best"]["group"]), _ends(told["best"])
        print(f"goals: {group} meets them, in {ends['lasts']} for {ends['usd']}")
    for miss in told["misses"]:
        print(textwrap.fill(f"{miss['kind']}: {miss['text']}", _WIDTH))


def _worth_a_line(
    told: Mapping[str, Any], current: Mapping[str, Any] | None
) -> list[Mapping[str, Any]]:
    """The frontier and the current group, in the order of `finishes`: the cheapest first."""
    wanted = [each["group"] for each in told["frontier"]] + [current]
    return [each for each in told["finishes"] if each["group"] in wanted]


def _ends(finish: Mapping[str, Any]) -> dict[str, Any]:
    chance = finish["chance_late"]
    return {
        "group": finish["group"],
        "lasts": render.interval(finish["lasts_s"], figures.duration),
        "usd": render.interval(finish["usd"], figures.usd),
        "pace": "measured" if finish["is_measured"] else "expected",
        "late": None if chance is None else figures.chance(chance),
    }
