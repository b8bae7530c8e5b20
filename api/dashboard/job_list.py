"""Chooses the jobs of a list: which, in what order, and which page of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import urlencode

from api.dashboard.facts import JobPageFacts, brief_facts, time_left
from api.dashboard.views import Choice, words
from api.job_status import UNSUCCESSFUL, attention_of
from elastic.model import Job, JobOrder, JobPhase
from elastic.store import Store

PAGE_ROWS = 50
# Of more jobs than this that are over, only the newest are put in order.
_MOST_OVER = 200
# More than ever train at once: none of them is left out.
_MOST_OPEN = 10_000
_OVER = tuple(each for each in JobPhase if each.is_final)
_OPEN = tuple(each for each in JobPhase if not each.is_final)


class Which(StrEnum):
    """Several phases at once, or what no phase says."""

    ANY = ""
    ATTENTION = "attention"
    OPEN = "open"
    OVER = "over"


STATES = (
    Choice(Which.ANY, "any state"),
    Choice(Which.ATTENTION, "needs attention"),
    Choice(Which.OPEN, "not over"),
    Choice(Which.OVER, "over"),
    *(Choice(each, words(each)) for each in JobPhase),
)
ORDERS = (
    Choice(JobOrder.ATTENTION, "what needs attention"),
    Choice(JobOrder.NEWEST, "the newest"),
    Choice(JobOrder.VALUE, "most iterations per dollar"),
    Choice(JobOrder.COST, "most spent"),
    Choice(JobOrder.TIME_LEFT, "least time left"),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """Which jobs are asked for."""

    # A group or a phase.
    state: Which | JobPhase = Which.ANY
    # What their names or ids contain.
    text: str = ""
    order: JobOrder = JobOrder.ATTENTION
    # Counted from 1.
    page: int = 1

    @property
    def is_narrowed(self) -> bool:
        """Whether it leaves jobs out."""
        return bool(self.state or self.text)

    def link(self, **other: object) -> str:
        """The query of the same list, but for `other`.

        >>> Asked(text="gan").link(order=JobOrder.COST)
        '?text=gan&order=cost'
        """
        asked = replace(self, **other)  # type: ignore[arg-type]
        values = {"state": asked.state, "text": asked.text, "order": asked.order}
        if asked.page > 1:
            values["page"] = str(asked.page)
        return "?" + urlencode({name: value for name, value in values.items() if value})


@dataclass(frozen=True, slots=True)
class JobList:
    """One page of a list of jobs."""

    asked: Asked
    rows: tuple[JobPageFacts, ...]
    has_more: bool


def asked_for(state: str, text: str, order: str, page: int) -> Asked:
    """Reads what a page's address asks for; what is unknown there asks for nothing."""
    states: Mapping[str, Which | JobPhase] = {each.value: each for each in (*Which, *JobPhase)}
    orders = {each.value: each for each in JobOrder}
    return Asked(
        states.get(state, Which.ANY), text.strip(), orders.get(order, JobOrder.ATTENTION), page
    )


def job_list(store: Store, asked: Asked, *, now_s: float) -> JobList:
    """Reads the page of jobs that is asked for."""
    # Once for all jobs, and not for each of its rows.
    alarms = store.alarms.standing()
    found = _found(store, asked)
    followed = store.jobs.followed([each.id for each in found if each.phase in UNSUCCESSFUL])
    needs = {each.id: attention_of(each, alarms, is_followed=each.id in followed) for each in found}
    if asked.state is Which.ATTENTION:
        found = [each for each in found if needs[each.id]]
    ordered = sorted(found, key=_key(store, asked.order, found, needs, now_s=now_s))
    first = (asked.page - 1) * PAGE_ROWS
    rows = tuple(
        replace(brief_facts(each, now_s=now_s), attention=needs[each.job.id])
        for each in store.overviews.of(ordered[first : first + PAGE_ROWS], now_s=now_s)
    )
    return JobList(asked, rows, has_more=len(ordered) > first + PAGE_ROWS)


def _found(store: Store, asked: Asked) -> list[Job]:
    """The jobs that match, newest first."""
    match asked.state:
        case Which.ANY | Which.ATTENTION:
            phases: tuple[JobPhase, ...] = (*_OPEN, *_OVER)
        case Which.OPEN:
            phases = _OPEN
        case Which.OVER:
            phases = _OVER
        case phase:
            phases = (phase,)
    found: list[Job] = []
    # Two questions: the newest of all would leave out a job that has trained for long.
    for kind, most in ((_OPEN, _MOST_OPEN), (_OVER, _MOST_OVER)):
        wanted = [each for each in kind if each in phases]
        if wanted:
            found += store.jobs.listed(limit=most, phases=wanted, text=asked.text)
    return sorted(found, key=lambda each: -each.submitted_at_s)


def _key(
    store: Store,
    order: JobOrder,
    found: Sequence[Job],
    needs: Mapping[str, str | None],
    *,
    now_s: float,
) -> Callable[[Job], tuple[float, ...]]:
    """What each of the jobs is sorted by, least first; what is unknown comes last."""
    match order:
        case JobOrder.ATTENTION:
            return lambda job: (not needs[job.id], job.phase.is_final)
        case JobOrder.NEWEST:
            # All keys are equal, and sorting keeps the order in which they came: newest first.
            return lambda job: ()
        case JobOrder.COST | JobOrder.VALUE:
            usd = store.ledger.spent_by_job([each.id for each in found], now_s)
            if order is JobOrder.COST:
                return lambda job: (-usd[job.id],)
            return lambda job: (-job.iteration / usd[job.id] if usd[job.id] > 0 else 1.0,)
        case JobOrder.TIME_LEFT:
            going_on = [each for each in found if not each.phase.is_final]
            left_s = {
                each.job.id: time_left(each, now_s=now_s)
                for each in store.overviews.of(going_on, now_s=now_s)
            }
            return lambda job: _last_if_unknown(left_s.get(job.id))


def _last_if_unknown(left_s: float | None) -> tuple[bool, float]:
    return left_s is None, left_s or 0.0
