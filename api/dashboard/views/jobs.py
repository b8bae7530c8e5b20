"""Shows a job: its state in one line, its main numbers, its row in a list."""

from __future__ import annotations

from dataclasses import dataclass

from api.dashboard.facts import JobPageFacts
from api.dashboard.views.ahead import forecast_timeline
from api.dashboard.views.candidates import (
    CandidateTable,
    candidate_table,
    interval_text,
)
from api.dashboard.views.decisions import DecisionItem, decision_items
from api.dashboard.views.frontier import FrontierChart, frontier_chart
from api.dashboard.views.nodes import NodeRow, node_rows
from api.dashboard.views.parts import (
    JOB_TONES,
    UNKNOWN,
    Badge,
    Card,
    Instant,
    Number,
    Tone,
    amount,
    dollars,
    group_detail,
    group_name,
    instant,
    instant_or_none,
    whole,
    words,
)
from api.dashboard.views.timelines import (
    TimelineView,
    cost_timeline,
    forecast_here,
    throughput_timeline,
    value_timeline,
)
from api.job_status import covers, is_cut_by_budget
from elastic.figures import count, duration, moment, percent, usd
from elastic.model import (
    Action,
    Candidate,
    Job,
    JobPhase,
    how_to_resume,
    unit_of,
    unseen_of,
    warnings_of,
)

_DECISIONS_SHOWN = 5
_POOLS_SHOWN = 5
_NODES_SHOWN = 50


@dataclass(frozen=True, slots=True)
class JobHead:
    """A job's name and state."""

    id: str
    name: str
    phase: Badge
    message: str
    # The nodes that it is on, or waits for.
    place: str
    submitted: Instant
    finished: Instant | None
    fraction: float | None
    is_final: bool
    # What is wrong with it; empty if all is well.
    problem: str
    error_lines: str
    # How to resume it; empty if it cannot be.
    hint: str
    # Since when it has no node, and which pools refused it.
    waits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job in a list."""

    head: JobHead
    # Why a person should look at it; empty if there is no reason.
    attention: str
    iteration: Number
    iterations: Number
    # All its dollars counted, booting and trials too.
    iterations_per_usd: Number
    spent_usd: Number
    left: Number
    group: str


@dataclass(frozen=True, slots=True)
class JobView:
    """Everything the overview shows about one job."""

    head: JobHead
    cards: tuple[Card, ...]
    candidates: CandidateTable
    decisions: tuple[DecisionItem, ...]
    decided: int
    frontier: FrontierChart | None
    value: TimelineView
    throughput: TimelineView
    forecast: TimelineView | None
    cost: TimelineView
    # The newest ones, and how many more there are.
    nodes: tuple[NodeRow, ...]
    more_nodes: int


def job_view(facts: JobPageFacts) -> JobView:
    """The content of the overview and of a job's page."""
    plan = facts.decision.plan if facts.decision else None
    candidates = () if plan is None else plan.candidates
    return JobView(
        head=job_head(facts),
        cards=_cards(facts, None if plan is None else plan.candidate(facts.current)),
        candidates=candidate_table(
            candidates,
            current=facts.current,
            target=facts.target,
            is_profiling=facts.job.phase is JobPhase.PROFILING,
            training_phase=facts.job.training_phase,
        ),
        decisions=decision_items(facts.decisions[:_DECISIONS_SHOWN], now_s=facts.now_s),
        decided=len(facts.decisions),
        frontier=frontier_chart(facts),
        value=value_timeline(facts),
        throughput=throughput_timeline(facts),
        forecast=forecast_timeline(facts),
        cost=cost_timeline(facts),
        nodes=node_rows(facts.nodes[:_NODES_SHOWN], facts.ledger, now_s=facts.now_s),
        more_nodes=max(len(facts.nodes) - _NODES_SHOWN, 0),
    )


def job_head(facts: JobPageFacts) -> JobHead:
    """A job's state in one line."""
    job = facts.job
    return JobHead(
        id=job.id,
        name=job.spec.name,
        phase=Badge(words(job.phase), JOB_TONES[job.phase]),
        message=job.message or "",
        place=_place(facts),
        submitted=instant(job.submitted_at_s, facts.now_s),
        finished=instant_or_none(job.finished_at_s, facts.now_s),
        fraction=_fraction(job),
        is_final=job.phase.is_final,
        problem=_problem(facts),
        error_lines="" if job.error is None else job.error.lines or job.error.text,
        hint=how_to_resume(job.id, job.phase),
        waits=_waits(facts),
    )


def job_row(facts: JobPageFacts) -> JobRow:
    """A job as a list shows it."""
    left = UNKNOWN
    if facts.eta_s is not None:
        left = Number(duration(facts.eta_s), facts.eta_s)
    return JobRow(
        head=job_head(facts),
        # Its first sentence: the job's page has all of it.
        attention=(facts.attention or "").partition(". ")[0],
        iteration=whole(facts.job.iteration),
        iterations=whole(facts.job.spec.iterations),
        iterations_per_usd=amount(value_reached(facts)),
        spent_usd=dollars(facts.spent_usd),
        left=left,
        group="" if facts.job.phase.is_final else group_name(facts.current or facts.target),
    )


def value_reached(facts: JobPageFacts) -> float | None:
    """What a job's dollars have bought in all, in iterations per dollar; None before the first."""
    if facts.spent_usd > 0 and facts.job.iteration:
        return facts.job.iteration / facts.spent_usd
    return None


def _place(facts: JobPageFacts) -> str:
    if facts.job.phase.is_final:
        return ""
    if facts.current is None and facts.job.phase is JobPhase.DRAINING:
        return "its nodes are ending"
    prepares = facts.preparing
    if facts.current is None:
        if facts.job.phase is JobPhase.PAUSED:
            first = "without nodes until its user resumes it"
        elif facts.job.phase is JobPhase.WAITING:
            first = "without nodes for now: the last decision says why"
        elif facts.target is None:
            first = "waiting for its first nodes"
        else:
            first = f"bringing up {group_name(facts.target)}"
        return " · ".join((first, *prepares))
    parts = [f"on {group_name(facts.current)} {group_detail(facts.current)}"]
    if facts.job.training_phase:
        parts.append(f"phase {facts.job.training_phase}")
    if facts.generation is not None:
        parts.append(f"generation {facts.generation.number}")
    return " · ".join((*parts, *prepares))


def _waits(facts: JobPageFacts) -> tuple[str, ...]:
    """Since when it has had no node, and which pools refused it."""
    if facts.waiting is None or not facts.waiting.pools:
        return ()
    pools = facts.waiting.pools
    more: tuple[str, ...] = ()
    if len(pools) > _POOLS_SHOWN:
        more = (f"and {len(pools) - _POOLS_SHOWN} more",)
    since = f"no node since {moment(facts.waiting.since_s, facts.now_s)}"
    return (since, *(each.text for each in pools[:_POOLS_SHOWN]), *more)


def _fraction(job: Job) -> float | None:
    if job.spec.iterations:
        return min(job.iteration / job.spec.iterations, 1.0)
    return None


def _problem(facts: JobPageFacts) -> str:
    """What is wrong with the job now; empty if all is well."""
    job = facts.job
    if job.phase is JobPhase.FAILED:
        return f"The job failed: {job.message or 'no reason was recorded'}"
    if job.phase is JobPhase.BUDGET_EXHAUSTED:
        return f"The job stopped at its budget: {job.message or 'the budget is used up'}"
    # Of a job that is over, its message says how it ended, which this would contradict.
    if job.error is not None and not (job.phase is JobPhase.DRAINING or job.phase.is_final):
        return f"It failed once, and starts again: {job.error}"
    if (
        facts.decision
        and facts.decision.plan.action is Action.STOP
        and job.phase is JobPhase.DRAINING
    ):
        return f"The job is being stopped: {facts.decision.plan.reason.text}"
    return ""


def _cards(facts: JobPageFacts, current: Candidate | None) -> tuple[Card, ...]:
    return (
        _rate_card(facts, current),
        _progress_card(facts),
        _spent_card(facts),
        _saved_card(facts),
    )


def _rate_card(facts: JobPageFacts, current: Candidate | None) -> Card:
    if current is None or current.iterations_per_usd is None:
        value = None
    else:
        value = current.iterations_per_usd.value
    if facts.job.phase.is_final:
        # Of a job that is over: what its dollars bought in all.
        return Card(
            "report_iterations_per_usd",
            "Iterations per dollar",
            amount(value_reached(facts)),
            ("start-up and trials included",),
        )
    label = "Iterations per dollar now"
    if current is None or value is None:
        return Card("iterations_per_usd", label, UNKNOWN, ("not measured yet",))
    interval = interval_text(current)
    notes = (
        group_name(current.group),
        f"95 % interval {interval}" if interval else "interval not known yet",
    )
    return Card("iterations_per_usd", label, amount(value), notes)


def _progress_card(facts: JobPageFacts) -> Card:
    job = facts.job
    fraction = _fraction(facts.job)
    if fraction is None:
        notes = ["until the script ends"]
    else:
        notes = [f"of {count(job.spec.iterations or 0)} · {percent(fraction)}"]
    if (unit := unit_of(job)) is not None:
        notes.append(f"an iteration is {unit}")
    notes += unseen_of(job, facts.generation, facts.nodes, now_s=facts.now_s)
    notes += warnings_of(job, now_s=facts.now_s)
    # How long it took, or how long it still takes.
    if job.finished_at_s is not None:
        notes.append(f"took {duration(job.finished_at_s - job.submitted_at_s - facts.idle_s)}")
    elif facts.eta_s is not None:
        then = "ready"
        if is_cut_by_budget(job, facts.decision):
            then = "its budget is spent"
        end = moment(facts.now_s + facts.eta_s, facts.now_s)
        notes.append(f"{duration(facts.eta_s)} left · {then} {end}")
        notes += covers(job)
    tone = None
    if (deadline := _deadline_note(facts)) is not None:
        notes.append(deadline.text)
        tone = deadline.tone
    meter = None
    if fraction is not None:
        meter = round(fraction * 100, 2)
    return Card(
        "iteration", "Iterations done", whole(job.iteration), tuple(notes), tone=tone, meter=meter
    )


def _deadline_note(facts: JobPageFacts) -> Badge | None:
    """The deadline, and by how much it is met or missed; None if the job has none."""
    job = facts.job
    deadline_s = job.spec.objective.deadline_s
    if deadline_s is None:
        return None
    text = f"deadline {moment(deadline_s, facts.now_s)}"
    if job.finished_at_s is not None:
        end_s = job.finished_at_s
    elif facts.eta_s is not None and not is_cut_by_budget(job, facts.decision):
        end_s = facts.now_s + facts.eta_s
    elif facts.now_s > deadline_s:
        # Without a pace, or without the money to be done, only what has passed is known.
        end_s = facts.now_s
    else:
        return Badge(text, Tone.MUTED)
    spare_s = deadline_s - end_s
    if spare_s >= 0:
        return Badge(f"{text}, {duration(spare_s)} to spare", Tone.MUTED)
    return Badge(f"{text}, {duration(-spare_s)} late", Tone.WARN)


def _spent_card(facts: JobPageFacts) -> Card:
    budget_usd = facts.job.spec.objective.budget_usd
    notes = ["no budget set" if budget_usd is None else f"of {usd(budget_usd)} budget"]
    finish = forecast_here(facts)
    if not facts.job.phase.is_final and finish is not None:
        notes.append(f"forecast {usd(finish.usd.value)} at the end")
    share = None
    if budget_usd is not None:
        share = round(min(facts.spent_usd / budget_usd, 1.0) * 100, 2)
    tone = None
    if share is not None and share >= 90:
        tone = Tone.WARN
    return Card(
        "spent_usd", "Spent", dollars(facts.spent_usd), tuple(notes), tone=tone, meter=share
    )


def _saved_card(facts: JobPageFacts) -> Card:
    """What moving has saved, against the group that trained first."""
    # That group does not change with prices or trials, so the number is comparable over time.
    began = facts.began
    # On the only group that was measured nothing can be saved, nor lost.
    if began is None or len(facts.fixed) < 2 or not facts.spent_usd > 0:
        return Card("saved_usd", "Saved", UNKNOWN, ("known once two node types are measured",))
    best = facts.fixed[0]
    saved_usd = began.usd - facts.spent_usd
    notes = [f"against {group_name(began.group)}, where it began: {usd(began.usd)}"]
    if best.group != began.group:
        notes.append(f"best fixed: {group_name(best.group)}, {usd(best.usd)}")
    # Exactly nothing is saved if the job stayed where it began: no success, and no loss.
    label = "Saved" if saved_usd >= 0 else "Cost more"
    tone = Tone.GOOD if saved_usd > 0 else Tone.WARN
    return Card("saved_usd", label, Number(usd(abs(saved_usd)), saved_usd), tuple(notes), tone=tone)
