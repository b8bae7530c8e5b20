"""What somebody must be told at once, each alarm from the look that raised it to the one that finds
it over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum

from elastic.durations import MINUTE_S
from elastic.errors import ElasticError, ProviderError, ProviderUnavailable, StoreUnavailable
from elastic.model import Job, JobPhase, Missed
from elastic.policy import Miss
from elastic.providers import Trouble
from elastic.reconciler.group_liveness import Idle
from elastic.reconciler.leader_lease import LeaseHolder
from elastic.reconciler.termination_permission import TerminationPermission
from elastic.store import Store, StoredAlarm


class AlarmKind(StrEnum):
    """What is wrong.

    Of the daemon: the database takes nothing, clocks differ, the leader lease is lost or in doubt,
    or jobs cannot be recorded outside the database. Machines cannot be listed, ended or bought, or
    those of unknown jobs are held. What troubles a provider has its names.
    Of jobs: one stands still, a node trains without the others, a script goes on though all is
    done, or a goal will be missed.
    """

    CANNOT_WRITE = "cannot_write"
    CLOCK = "clock"
    LEADER_LEASE = "leader_lease"
    CANNOT_SEE = "cannot_see"
    CANNOT_END = "cannot_end"
    CANNOT_BUY = "cannot_buy"
    CANNOT_KEEP_ALIVE = Trouble.CANNOT_KEEP_ALIVE.value
    HELD = "held"
    CANNOT_RECORD = "cannot_record"
    NOT_SOLD = Trouble.NOT_SOLD.value
    HOSTS = Trouble.HOSTS.value
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


_KINDS = tuple(AlarmKind)
# While one of these stands, nothing proves that machines can be ended.
_UNPROVEN = (AlarmKind.CANNOT_SEE, AlarmKind.CANNOT_END)


@dataclass(frozen=True, slots=True)
class Alarm:
    """One thing that is wrong, why, since when, and with which job and node if it is theirs."""

    kind: AlarmKind
    text: str
    since_s: float
    job_id: str | None = None
    node_id: str | None = None


def shown(alarms: Iterable[StoredAlarm]) -> tuple[Alarm, ...]:
    """Gives alarms as people see them, the worst kind first, and of a kind the oldest.

    Those that another version recorded, and this one does not know, are left out.
    """
    known = [each for each in alarms if each.kind in _KINDS]
    known.sort(key=lambda each: (_KINDS.index(AlarmKind(each.kind)), each.since_s))
    return tuple(
        Alarm(
            AlarmKind(each.kind),
            f"job {each.job_name}: {each.text}" if each.job_name else each.text,
            each.since_s,
            each.job_id,
            each.node_id,
        )
        for each in known
    )


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
        # A cloud that refuses is an alarm at once, one that is silent only when that lasts.
        is_brief = isinstance(self.error, ProviderUnavailable) and now_s - self.since_s < MINUTE_S
        if is_brief:
            return None
        return self.error


# What is wrong, with which job and with which of its nodes; see `StoredAlarm.key`.
_Key = tuple[str, str | None, str | None]


@dataclass(slots=True)
class Alarms:
    """Finds out what is wrong, and records in rows when that begins and when it is over.

    A script that goes on for `standstill_s` though all of its job's iterations are done is an
    alarm; never, if that is 0.
    """

    leader_lease: LeaseHolder
    right: TerminationPermission
    troubles: Callable[[], Mapping[Trouble, str]] = dict
    standstill_s: float = 0.0
    clocks: Callable[[], str | None] = lambda: None
    held: Callable[[float], str | None] = lambda now_s: None
    records: Callable[[], str | None] = lambda: None
    _blindness: _Trouble = field(default_factory=_Trouble)
    _unsold: _Trouble = field(default_factory=_Trouble)
    _last_blindness: ProviderError | None = None
    _unwritten: StoreUnavailable | None = None
    _unwritten_since_s: float | None = None
    # What is wrong by the latest look. Replaced as a whole, for other threads read it.
    _standing: Mapping[_Key, StoredAlarm] = field(default_factory=dict)
    # The rows that stand; None until they are read, for an earlier daemon may have left some.
    _rows: dict[_Key, StoredAlarm] | None = None
    # Since when an earlier daemon could not prove that it may end machines; None once counted.
    _unproven_since_s: float | None = None
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
        """Takes note of why the machines, and what is sold, cannot be listed; records what has
        changed.

        None: they can. Gives why that could not be recorded, for then it is at the next look.
        """
        self._blindness.note(blindness, now_s=now_s)
        self._unsold.note(unsold, now_s=now_s)
        self._last_blindness = blindness or self._last_blindness
        found: dict[_Key, str] = {
            (kind.value, None, None): text for kind, text in self._texts(now_s=now_s) if text
        }
        try:
            rows = self._read(store)
            if self.right.is_assumed:  # what an earlier daemon could not prove, this one has not
                stood = {key: each.text for key, each in rows.items() if each.kind in _UNPROVEN}
                found = stood | found
            elif self._unproven_since_s is not None:
                self.right.go_on(now_s - self._unproven_since_s)
                self._unproven_since_s = None
            self._record(store, None, found, lambda _: "all is well again", now_s=now_s)
            if self._unwritten is None and self._unwritten_since_s is not None:
                text = f"{AlarmKind.CANNOT_WRITE}: all is well again"
                store.events.add("alarm_over", text, now_s=now_s)
                self._unwritten_since_s = None
        except StoreUnavailable as error:
            return error
        return None

    def _record(
        self,
        store: Store,
        job: Job | None,
        found: Mapping[_Key, str],
        why_over: Callable[[AlarmKind], str],
        *,
        now_s: float,
    ) -> None:
        """Makes the rows of one job, or of the daemon, what was `found`: why each alarm stands."""
        job_id, job_name = (None, None) if job is None else (job.id, job.spec.name)
        rows = self._read(store)
        before = {key: each for key, each in self._standing.items() if key[1] == job_id}
        now = {
            key: replace(before[key], text=text)
            if key in before
            else StoredAlarm(key[0], text, now_s, job_id, key[2], job_name)
            for key, text in found.items()
        }
        others = {key: each for key, each in self._standing.items() if key[1] != job_id}
        self._standing = others | now
        # By the rows, not by what stood before: what could not be recorded then is now.
        recorded = {key: each for key, each in rows.items() if key[1] == job_id}
        for key in recorded.keys() - now.keys():
            store.alarms.end(recorded[key], why_over(AlarmKind(key[0])), now_s=now_s)
            del rows[key]
        for key in [each for each in now if each not in recorded]:
            store.alarms.begin(now[key], now_s=now_s)
            rows[key] = now[key]
        for key in [each for each in now if rows[each] != now[each]]:
            store.alarms.reword(now[key])
            rows[key] = now[key]

    def _read(self, store: Store) -> dict[_Key, StoredAlarm]:
        if self._rows is None:
            rows = {each.key: each for each in store.alarms.standing() if each.kind in _KINDS}
            self._rows = rows
            self._standing = {**rows, **self._standing}
            unproven = [each.since_s for each in rows.values() if each.kind in _UNPROVEN]
            self._unproven_since_s = min(unproven, default=None)
        return self._rows

    @contextmanager
    def of_writing(self, *, now_s: float) -> Iterator[None]:
        """Notes whether a whole tick could be written down; that it could not is kept in memory
        only.

        A tick that broke off for an unexpected error does not show it.
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
        if self._unwritten is not None and self._unwritten_since_s is None:
            self._unwritten_since_s = now_s

    def weigh(
        self, store: Store, job: Job, misses: Callable[[frozenset[Missed]], tuple[Miss, ...] | None]
    ) -> None:
        """Takes note of the goals that a job will miss, given those it was said to miss.

        `follow` records them.
        """
        kinds = [AlarmKind(kind) for kind, _, _ in self._before(store, job)]
        standing = frozenset(Missed(kind.value) for kind in kinds if kind.is_of_goals)
        self._missed[job.id] = misses(standing)

    def follow(self, store: Store, job: Job, found: Iterable[Idle] | None, *, now_s: float) -> None:
        """Finds out what is wrong with a job, and records what has changed.

        `found` is what makes no turns. None: that cannot be told now, and what stood still does so
        until turns are made, or the job ends.
        """
        before = self._before(store, job)
        is_ending = job.phase is JobPhase.DRAINING or job.phase.is_final
        now = {key: text for key, text in before.items() if AlarmKind(key[0]).is_of_goals}
        if (missed := self._missed.pop(job.id, None)) is not None:
            now = {(each.kind.value, job.id, None): each.text for each in missed}
        if found is None:
            now |= {
                key: text
                for key, text in before.items()
                if AlarmKind(key[0]) in (AlarmKind.STANDSTILL, AlarmKind.OUTSIDE)
            }
        else:
            now |= {(_kind(each.node_id).value, job.id, each.node_id): each.text for each in found}
        if is_ending:
            now.clear()
        overrun = AlarmKind.OVERRUN.value, job.id, None
        text = self._overrun(job, is_ending=is_ending, stood=overrun in before, now_s=now_s)
        if text is not None:
            now[overrun] = text
        self._record(
            store, job, now, lambda kind: _why_over(kind, is_ending=is_ending), now_s=now_s
        )

    def _before(self, store: Store, job: Job) -> dict[_Key, str]:
        self._read(store)
        return {key: each.text for key, each in self._standing.items() if key[1] == job.id}

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
        done = f"all {job.spec.iterations} iterations are done, but the script still runs"
        return f"{done}: it costs money until it ends or is stopped"

    @property
    def is_unwritten(self) -> bool:
        """Whether the rows may be out of date, for the database takes nothing."""
        return self._unwritten is not None

    def current(self, *, now_s: float) -> tuple[Alarm, ...]:
        """Everything that was wrong at the latest look.

        What the rows hold, and that the database takes nothing: no row can say so.
        """
        unwritten = self.unwritten(now_s=now_s)
        return shown([*self._standing.values(), *([unwritten] if unwritten else [])])

    def unwritten(self, *, now_s: float) -> StoredAlarm | None:
        """That the database takes nothing, since when and why; None while it does."""
        if self._unwritten is None:
            return None
        text = f"nothing is bought or decided, and nodes end with their leases: {self._unwritten}"
        return StoredAlarm(AlarmKind.CANNOT_WRITE.value, text, self._unwritten_since_s or now_s)

    def _texts(self, *, now_s: float) -> Iterator[tuple[AlarmKind, str | None]]:
        yield AlarmKind.CLOCK, self.clocks()
        lease = self.leader_lease.alarm()
        yield AlarmKind.LEADER_LEASE, lease
        if lease is not None:
            unseen = None
        else:
            unseen = self._unseen(now_s=now_s)
        yield AlarmKind.CANNOT_SEE, unseen
        # A daemon that cannot list machines cannot prove that it may end one. That is a trouble of
        # its own only once it shortens leases.
        is_withheld = self.right.lease_left_s() < self.right.lease_s
        if is_withheld or self.right.failure is not self._last_blindness:
            yield AlarmKind.CANNOT_END, self.right.alarm()
        if lease is None and unseen is None:
            yield AlarmKind.CANNOT_BUY, self._unread(now_s=now_s)
        yield AlarmKind.HELD, self.held(now_s)
        unkept = self.records()
        yield (
            AlarmKind.CANNOT_RECORD,
            unkept and f"if the database were lost, jobs could not go on: {unkept}",
        )
        for trouble, text in self.troubles().items():
            yield AlarmKind(trouble.value), text

    def _unseen(self, *, now_s: float) -> str | None:
        error = self._blindness.lasting(now_s=now_s)
        if error is None:
            return None
        return (
            "the cloud does not list its machines: none is bought, and nodes end with their leases "
            f"unless it answers: {error}"
        )

    def _unread(self, *, now_s: float) -> str | None:
        error = self._unsold.lasting(now_s=now_s)
        if error is None:
            return None
        return (
            "the cloud does not list what it sells: every job keeps what it has, and nothing is "
            f"bought: {error}"
        )


def _why_over(kind: AlarmKind, *, is_ending: bool) -> str:
    if is_ending:
        return "the job ends"
    if kind.is_of_goals:
        return "the goal can be met again"
    if kind is AlarmKind.STANDSTILL:
        return "turns are made again"
    return "it is over"


def _kind(node_id: str | None) -> AlarmKind:
    if node_id is None:
        return AlarmKind.STANDSTILL
    return AlarmKind.OUTSIDE
