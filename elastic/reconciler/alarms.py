"""What somebody must be told at once, each alarm from the look that raised it to the one that finds
it over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from elastic.errors import ElasticError, ProviderError, ProviderUnavailable, StoreUnavailable
from elastic.model import Job, JobPhase, Missed
from elastic.policy import Miss
from elastic.providers import Trouble
from elastic.reconciler.group_liveness import Idle
from elastic.reconciler.leader_lease import LeaseHolder
from elastic.reconciler.termination_permission import TerminationPermission
from elastic.store import Store

_SILENCE_S = 120.0
"""A cloud that refuses is an alarm at once, one that is silent only when that lasts."""


class AlarmKind(StrEnum):
    """What is wrong: the database takes nothing; the leader lease is lost or in doubt,
    they cannot be listed, ended or bought; with their provider's names, what that is troubled by;
    of jobs, that one stands still, that a node trains with nobody, that a script goes on though all
    is done, or that a goal will be missed.
    """

    CANNOT_WRITE = "cannot_write"
    LEADER_LEASE = "leader_lease"
    CANNOT_SEE = "cannot_see"
    CANNOT_END = "cannot_end"
    CANNOT_BUY = "cannot_buy"
    CANNOT_KEEP_ALIVE = Trouble.CANNOT_KEEP_ALIVE.value
    NOT_SOLD = Trouble.NOT_SOLD.value
    STANDSTILL = "standstill"
    OUTSIDE = "outside"
    OVERRUN = "overrun"
    WILL_BE_LATE = Missed.WILL_BE_LATE.value
    OVER_BUDGET = Missed.OVER_BUDGET.value

    @property
    def is_of_jobs(self) -> bool:
        """Whether it is some job that is in trouble, and not the daemon."""
        return (
            self in (AlarmKind.STANDSTILL, AlarmKind.OUTSIDE, AlarmKind.OVERRUN) or self.is_of_goals
        )

    @property
    def is_of_goals(self) -> bool:
        """Whether it is a job's deadline or budget that will be missed."""
        return self in (AlarmKind.WILL_BE_LATE, AlarmKind.OVER_BUDGET)


_Of = tuple[AlarmKind, str | None]
"""What is wrong with some job, and with which of its nodes; None: with all of it."""

_OF_JOBS = {kind.value: kind for kind in AlarmKind if kind.is_of_jobs}


@dataclass(frozen=True, slots=True)
class Alarm:
    """One thing that is wrong, why, and since when."""

    kind: AlarmKind
    text: str
    since_s: float


@dataclass(slots=True)
class _Trouble:
    """Why the cloud does not tell something, None while it does, and since when."""

    error: ProviderError | None = None
    since_s: float = 0.0

    def note(self, error: ProviderError | None, *, now_s: float) -> None:
        if self.error is None:
            self.since_s = now_s
        self.error = error

    def lasting(self, *, now_s: float) -> ProviderError | None:
        """The error, unless it is a short silence."""
        is_brief = isinstance(self.error, ProviderUnavailable) and now_s - self.since_s < _SILENCE_S
        return None if is_brief else self.error


@dataclass(slots=True)
class Alarms:
    """Asks those who know, and writes down when one begins and when it is over.

    A script that goes on for `standstill_s` though all of its job's iterations are done is one;
    never, if that is 0.
    """

    leader_lease: LeaseHolder
    right: TerminationPermission
    troubles: Callable[[], Mapping[Trouble, str]] = dict
    standstill_s: float = 0.0
    _blindness: _Trouble = field(default_factory=_Trouble)
    _unsold: _Trouble = field(default_factory=_Trouble)
    _last_blindness: ProviderError | None = None
    _unwritten: StoreUnavailable | None = None
    _raised_s: dict[AlarmKind, float] = field(default_factory=dict)
    _of_jobs: dict[str, tuple[Job, Mapping[_Of, str]]] = field(default_factory=dict)
    _done_since_s: dict[str, float] = field(default_factory=dict)
    _missed: dict[str, tuple[Miss, ...] | None] = field(default_factory=dict)

    def look(
        self,
        store: Store,
        blindness: ProviderError | None,
        unsold: ProviderError | None = None,
        *,
        now_s: float,
    ) -> StoreUnavailable | None:
        """Takes note of why the machines, and what is sold, cannot be listed, and tells the store
        what has changed.

        None: they can. Gives why that could not be told, for then it is at the next look.
        """
        self._blindness.note(blindness, now_s=now_s)
        self._unsold.note(unsold, now_s=now_s)
        self._last_blindness = blindness or self._last_blindness
        try:
            self._tell(store, now_s=now_s)
        except StoreUnavailable as error:
            return error
        return None

    def _tell(self, store: Store, *, now_s: float) -> None:
        standing = {each.kind: each for each in self.current(now_s=now_s)}
        for kind in self._raised_s.keys() - standing.keys():
            if not kind.is_of_jobs:  # their own events say so
                store.events.add("alarm_over", f"{kind}: all is well again", now_s=now_s)
            del self._raised_s[kind]
        for kind in [each for each in standing if each not in self._raised_s]:
            if not kind.is_of_jobs:
                store.events.add("alarm", f"{kind}: {standing[kind].text}", now_s=now_s)
            self._raised_s[kind] = now_s

    @contextmanager
    def of_writing(self, *, now_s: float) -> Iterator[None]:
        """Takes note of whether a whole tick could be written down. Only the memory holds that it
        could not.

        One that broke off for what nobody expected does not tell.
        """
        try:
            yield
        except (ElasticError, ExceptionGroup) as error:
            self._note_writing(
                error.exceptions if isinstance(error, ExceptionGroup) else [error], now_s=now_s
            )
            raise
        self._note_writing([], now_s=now_s)

    def _note_writing(self, failures: Iterable[Exception], *, now_s: float) -> None:
        self._unwritten = next(
            (each for each in failures if isinstance(each, StoreUnavailable)), None
        )
        if self._unwritten is not None:
            self._raised_s.setdefault(AlarmKind.CANNOT_WRITE, now_s)

    def weigh(
        self, store: Store, job: Job, misses: Callable[[frozenset[Missed]], tuple[Miss, ...] | None]
    ) -> None:
        """Takes note of the goals that a job will miss, given those it was said to miss; `follow`
        tells of them."""
        standing = frozenset(
            Missed(kind.value) for kind, _ in self._before(store, job) if kind.is_of_goals
        )
        self._missed[job.id] = misses(standing)

    def follow(self, store: Store, job: Job, found: Iterable[Idle] | None, *, now_s: float) -> None:
        """Notes which of a job's nodes are paid for nothing, and records what has changed as
        events.

        `found` is what makes no turns. None: nobody can tell now, and what stood still does so
        until turns are made, or the job ends. Alarms that an earlier daemon raised, and that
        are not over, are read from the events.
        """
        before = self._before(store, job)
        is_ending = job.phase is JobPhase.DRAINING or job.phase.is_final
        goals = {of: text for of, text in before.items() if of[0].is_of_goals}
        now = (
            dict(before)
            if found is None
            else {(_kind(each.node_id), each.node_id): each.text for each in found}
        )
        now.pop((AlarmKind.OVERRUN, None), None)
        if (missed := self._missed.pop(job.id, None)) is not None:
            now = {of: text for of, text in now.items() if not of[0].is_of_goals}
            now |= {(AlarmKind(each.kind.value), None): each.text for each in missed}
        else:
            now |= goals
        if is_ending:
            now.clear()
        stood = (AlarmKind.OVERRUN, None) in before
        if (text := self._overrun(job, is_ending=is_ending, stood=stood, now_s=now_s)) is not None:
            now[AlarmKind.OVERRUN, None] = text
        for kind, node_id in before.keys() - now.keys():
            text = f"{kind}: {_why_over(kind, is_ending=is_ending)}"
            store.events.add("alarm_over", text, job_id=job.id, node_id=node_id, now_s=now_s)
        for kind, node_id in now.keys() - before.keys():
            text = f"{kind}: {now[kind, node_id]}"
            store.events.add("alarm", text, job_id=job.id, node_id=node_id, now_s=now_s)
        if is_ending:
            self._of_jobs.pop(job.id, None)
        else:
            self._of_jobs[job.id] = (job, now)

    def _before(self, store: Store, job: Job) -> Mapping[_Of, str]:
        return self._of_jobs[job.id][1] if job.id in self._of_jobs else _left_open(store, job)

    def of_job(self, job_id: str) -> tuple[str, ...]:
        """What is wrong with a job now."""
        _, found = self._of_jobs.get(job_id, (None, {}))
        return tuple(f"{kind}: {text}" for (kind, _), text in found.items())

    def _overrun(self, job: Job, *, is_ending: bool, stood: bool, now_s: float) -> str | None:
        """The alarm for a job that trains beyond its end: only its script can end it well."""
        if (
            is_ending
            or job.spec.iterations is None
            or job.iteration <= job.spec.iterations
            or not self.standstill_s
        ):
            self._done_since_s.pop(job.id, None)
            return None
        since_s = self._done_since_s.setdefault(job.id, now_s)
        if not stood and now_s - since_s < self.standstill_s:
            return None
        done = f"all {job.spec.iterations} iterations are done and the script goes on"
        return f"{done}: it costs until it ends, or is stopped"

    def current(self, *, now_s: float) -> tuple[Alarm, ...]:
        """Everything that is wrong now."""
        return tuple(
            Alarm(kind, text, self._raised_s.get(kind, now_s))
            for kind, text in self._texts(now_s=now_s)
            if text
        )

    def _texts(self, *, now_s: float) -> Iterator[tuple[AlarmKind, str | None]]:
        if self._unwritten is not None:
            text = (
                f"nothing is bought or decided, and nodes end with their leases: {self._unwritten}"
            )
            yield AlarmKind.CANNOT_WRITE, text
        lease = self.leader_lease.alarm()
        yield AlarmKind.LEADER_LEASE, lease
        unseen = None if lease is not None else self._unseen(now_s=now_s)
        yield AlarmKind.CANNOT_SEE, unseen
        # Who cannot list machines cannot prove the right to end one: a trouble of its own once it
        # shortens leases.
        is_withheld = self.right.lease_left_s() < self.right.lease_s
        if is_withheld or self.right.failure is not self._last_blindness:
            yield AlarmKind.CANNOT_END, self.right.alarm()
        if lease is None and unseen is None:
            yield AlarmKind.CANNOT_BUY, self._unread(now_s=now_s)
        for trouble, text in self.troubles().items():
            yield AlarmKind(trouble.value), text
        for kind in (each for each in AlarmKind if each.is_of_jobs):
            yield kind, "; ".join(self._told_of(kind))

    def _told_of(self, kind: AlarmKind) -> Iterator[str]:
        for job, found in list(self._of_jobs.values()):  # read by other threads, too
            yield from (
                f"job {job.spec.name}: {text}" for (each, _), text in found.items() if each is kind
            )

    def _unseen(self, *, now_s: float) -> str | None:
        error = self._blindness.lasting(now_s=now_s)
        if error is None:
            return None
        return (
            "the cloud does not tell what machines there are: none is bought, and leases end in "
            f"time unless it does: {error}"
        )

    def _unread(self, *, now_s: float) -> str | None:
        error = self._unsold.lasting(now_s=now_s)
        if error is None:
            return None
        return (
            "the cloud does not tell what it sells: every job keeps what it has, and nothing is "
            f"bought: {error}"
        )


def _left_open(store: Store, job: Job) -> Mapping[_Of, str]:
    """Alarms that an earlier daemon raised for a job, and did not see end."""
    told = store.stillness.open_alarms(job.id).items()
    return {(_OF_JOBS[kind], node_id): text for (kind, node_id), text in told if kind in _OF_JOBS}


def _why_over(kind: AlarmKind, *, is_ending: bool) -> str:
    if is_ending:
        return "the job ends"
    if kind.is_of_goals:
        return "the goal can be met again"
    return "turns are made again" if kind is AlarmKind.STANDSTILL else "it is over"


def _kind(node_id: str | None) -> AlarmKind:
    return AlarmKind.STANDSTILL if node_id is None else AlarmKind.OUTSIDE
