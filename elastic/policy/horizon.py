"""The training phase in which the money is spent, its iterations left, and what has trained so
far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from elastic.model import Group, Job, JobSpec, Series, Snapshot
from elastic.throughput import estimate_step_s

# Spot is in time with room for losses if the time left is so many times what the rest needs.
ROOM_FOR_LOSSES = 1.25


@dataclass(frozen=True, slots=True)
class Focus:
    """The phase whose speed decides, the phase that trains now, and the iterations left of each.

    None for iterations left: no known end.
    """

    training_phase: str
    current_phase: str
    iterations_left: int | None
    current_left: int | None

    @property
    def is_now(self) -> bool:
        return self.training_phase == self.current_phase


def focus_of(job: Job) -> Focus:
    """Finds the phase with most of the iterations left; another phase's speed says nothing about
    it.

    >>> from elastic.model import JobPhase, TrainingPhase
    >>> phases = (TrainingPhase("warm-up", until_iteration=20), TrainingPhase("gan"))
    >>> spec = JobSpec("esrgan", ("train.py",), iterations=400, phases=phases)
    >>> focus_of(Job("j", spec, JobPhase.RUNNING, 0.0, iteration=5))
    Focus(training_phase='gan', current_phase='warm-up', iterations_left=380, current_left=15)
    """
    left = dict(_left(job.spec, job.iteration))
    current = job.training_phase or next(iter(left), job.spec.phases[-1].name)
    if current not in {phase.name for phase in job.spec.phases}:
        # The script names a phase that its job did not announce: the present phase is all that is
        # known.
        total = job.spec.iterations
        if total is None:
            rest = None
        else:
            rest = max(total - job.iteration, 0)
        return Focus(current, current, rest, rest)
    current_left = left.get(current, 0)
    if not left:
        return Focus(current, current, current_left, current_left)
    # Of equals the earlier one: max keeps the first.
    decisive = max(left, key=lambda phase: (left[phase] is None, left[phase] or 0))
    return Focus(decisive, current, left[decisive], current_left)


def iterations_by_phase(spec: JobSpec, iteration: int) -> dict[str, int]:
    """How the first `iteration` iterations of a job divide among its training phases.

    >>> from elastic.model import TrainingPhase
    >>> spec = JobSpec("esrgan", ("train.py",), phases=(TrainingPhase("warm-up", 20),
    ...     TrainingPhase("gan")))
    >>> iterations_by_phase(spec, 50)
    {'warm-up': 20, 'gan': 30}
    """
    done: dict[str, int] = {}
    for name, begin, end in _spans(spec):
        count = min(iteration, iteration if end is None else end) - begin
        if count > 0:
            done[name] = done.get(name, 0) + count
    return done


def iterations_left_by_phase(job: Job) -> dict[str, int] | None:
    """How the iterations left divide among the training phases; None if the job has no known end.

    >>> from elastic.model import JobPhase, TrainingPhase
    >>> phases = (TrainingPhase("warm-up", until_iteration=20), TrainingPhase("gan"))
    >>> spec = JobSpec("esrgan", ("train.py",), iterations=400, phases=phases)
    >>> iterations_left_by_phase(Job("j", spec, JobPhase.RUNNING, 0.0, iteration=5))
    {'warm-up': 15, 'gan': 380}
    """
    focus = focus_of(job)
    total = job.spec.iterations
    if total is None:
        return None
    if focus.current_phase not in {phase.name for phase in job.spec.phases}:
        return {focus.current_phase: max(total - job.iteration, 0)}
    return {name: left for name, left in _left(job.spec, job.iteration) if left is not None}


def other_phases(job: Job) -> tuple[str, ...]:
    """The phases with iterations left, but for the one whose speed decides.

    >>> from elastic.model import JobPhase, TrainingPhase
    >>> phases = (TrainingPhase("warm-up", until_iteration=20), TrainingPhase("gan"))
    >>> spec = JobSpec("esrgan", ("train.py",), iterations=400, phases=phases)
    >>> other_phases(Job("j", spec, JobPhase.RUNNING, 0.0, iteration=5))
    ('warm-up',)
    """
    decisive = focus_of(job).training_phase
    return tuple(each for each in iterations_left_by_phase(job) or () if each != decisive)


def work_left(snapshot: Snapshot) -> float | None:
    """The iterations left of all training phases, in iterations of the phase whose speed decides.

    Each counts as many as take as long. A phase whose pace is not known is taken to be as slow.
    None: no known end.
    """
    focus = focus_of(snapshot.job)
    left = iterations_left_by_phase(snapshot.job)
    if left is None or focus.iterations_left is None or len(left) <= 1:
        return focus.iterations_left
    paces = phase_paces(snapshot.series)
    return sum(
        count * phase_ratio(paces.values(), phase, focus.training_phase)
        for phase, count in left.items()
    )


def phase_paces(series: Iterable[Series]) -> dict[Group, dict[str, float]]:
    """The mean step time of each group, in seconds, in each training phase that it ran."""
    found: dict[Group, dict[str, float]] = {}
    for each in series:
        step_s = estimate_step_s(each.samples)
        if step_s is not None:
            found.setdefault(each.group, {})[each.training_phase] = step_s.value
    return found


def phase_ratio(paces: Iterable[Mapping[str, float]], phase: str, to: str) -> float:
    """How many times as long an iteration of `phase` takes as one of `to`; 1 if that is not known.

    >>> phase_ratio([{"warm-up": 0.5, "gan": 2.0}, {"gan": 1.0}], "warm-up", "gan")
    0.25
    """
    ratios = [each[phase] / each[to] for each in paces if phase in each and to in each]
    if ratios:
        return median(ratios)
    return 1.0


def seconds_left(snapshot: Snapshot) -> float | None:
    """Seconds to the deadline, negative after it; None without one."""
    deadline_s = snapshot.job.spec.objective.deadline_s
    if deadline_s is None:
        return None
    return deadline_s - snapshot.now_s


def has_trained(snapshot: Snapshot, group: Group) -> bool:
    """Whether a warm window of the group has arrived since it was last decided for."""
    since_s = max(
        (change.at_s for change in snapshot.changes if change.to_group == group),
        default=snapshot.now_s,
    )
    return any(
        sample.ended_at_s > since_s
        for series in snapshot.series
        if series.group == group
        for sample in series.samples
    )


def _left(spec: JobSpec, iteration: int) -> Iterator[tuple[str, int | None]]:
    for name, begin, end in _spans(spec):
        if end is None:
            yield name, None
        elif end > iteration:
            yield name, end - max(begin, iteration)


def _spans(spec: JobSpec) -> Iterator[tuple[str, int, int | None]]:
    """Each phase with the iterations it begins after and ends with.

    The job's own end closes the last one.
    """
    begin = 0
    for phase in spec.phases:
        ends = [each for each in (phase.until_iteration, spec.iterations) if each is not None]
        end = None
        if ends:
            end = min(ends)
        if end is not None and end <= begin:
            continue
        yield phase.name, begin, end
        if end is None:
            return
        begin = end
