"""A training job: what was asked for, and the life it leads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase

from elastic.durations import COOLDOWN_S, DRAIN_GRACE_S
from elastic.errors import Conflict, InvalidInput
from elastic.figures import instant
from elastic.model.mode import Mode
from elastic.model.offering import Capacity, NodeType, Offering, Precision
from elastic.model.progress import Batch
from elastic.model.script_error import ScriptError
from elastic.model.workers import NprocPerNode, PerNode, unfit


class Topic(StrEnum):
    """What a message to a person is about; recipients choose among these."""

    # The job ended without its work done: it failed, or its budget or deadline ended it.
    FAILED = "failed"
    FINISHED = "finished"
    # A person stopped it.
    STOPPED = "stopped"
    # Most of its budget is spent.
    BUDGET = "budget"
    # Its deadline or its budget will be missed.
    AT_RISK = "at_risk"
    # Something else is wrong with a job or with the daemon.
    ALARM = "alarm"
    # What was wrong or at risk is so no more.
    OVER = "over"
    # Nodes were lost more often than is usual.
    LOSSES = "losses"


# Options of scripts that say how long to train, and nothing of how long an iteration takes.
_LENGTHS = frozenset(
    f"--{each}"
    for name in (
        *("epochs", "num-epochs", "n-epochs", "max-epochs", "num-train-epochs"),
        *("steps", "num-steps", "max-steps", "total-steps"),
        *("iterations", "iters", "num-iterations", "max-iterations", "max-iters"),
    )
    for each in (name, name.replace("-", "_"))
)
# What is shown in place of a secret.
_ANY_LENGTH = "(any)"
HIDDEN = "(hidden)"


class JobPhase(StrEnum):
    """Where a job is in its life; `LEGAL_JOB_MOVES` says what may follow what."""

    SUBMITTED = "submitted"
    PROFILING = "profiling"
    RUNNING = "running"
    RESCALING = "rescaling"
    WAITING = "waiting"
    PAUSED = "paused"
    DRAINING = "draining"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    BUDGET_EXHAUSTED = "budget_exhausted"

    @property
    def is_final(self) -> bool:
        """Whether nothing of the job is left to be done, unless somebody resumes it."""
        return self in _ENDINGS

    @property
    def may_resume(self) -> bool:
        """Whether the job is over and may yet go on."""
        return self.is_final and JobPhase.SUBMITTED in LEGAL_JOB_MOVES[self]

    @property
    def may_pause(self) -> bool:
        """Whether a user may pause the job."""
        return JobPhase.PAUSED in LEGAL_JOB_MOVES[self]

    @property
    def predicate(self) -> str:
        """The phase in a sentence, after the job's name.

        >>> JobPhase.RUNNING.predicate, JobPhase.SUCCEEDED.predicate
        ('is running', 'succeeded')
        """
        match self:
            case JobPhase.SUCCEEDED | JobPhase.FAILED:
                return self.value
            case JobPhase.CANCELLED:
                return "was cancelled"
            case JobPhase.BUDGET_EXHAUSTED:
                return "has used up its budget"
            case _:
                return f"is {self}"


class JobOrder(StrEnum):
    """What comes first in a list of jobs; among equals, the newest."""

    ATTENTION = "attention"
    NEWEST = "newest"
    VALUE = "value"
    COST = "cost"
    TIME_LEFT = "left"


_ENDINGS = frozenset(
    {JobPhase.SUCCEEDED, JobPhase.FAILED, JobPhase.CANCELLED, JobPhase.BUDGET_EXHAUSTED}
)
_ALIVE = frozenset(
    {
        JobPhase.PROFILING,
        JobPhase.RUNNING,
        JobPhase.RESCALING,
        JobPhase.WAITING,
        JobPhase.PAUSED,
        JobPhase.DRAINING,
    }
)

LEGAL_JOB_MOVES: Mapping[JobPhase, frozenset[JobPhase]] = {
    JobPhase.SUBMITTED: _ALIVE | _ENDINGS,
    JobPhase.PROFILING: _ALIVE - {JobPhase.PROFILING},
    JobPhase.RUNNING: _ALIVE - {JobPhase.RUNNING},
    JobPhase.RESCALING: _ALIVE - {JobPhase.RESCALING},
    JobPhase.WAITING: _ALIVE - {JobPhase.WAITING},
    # Only its user lets it go on: then it waits, as a new job does.
    JobPhase.PAUSED: frozenset({JobPhase.WAITING, JobPhase.DRAINING}),
    JobPhase.DRAINING: _ENDINGS,
    **{ending: frozenset({JobPhase.SUBMITTED}) for ending in _ENDINGS},
    JobPhase.SUCCEEDED: frozenset(),
}


def move_job(current: JobPhase, wanted: JobPhase) -> JobPhase:
    """Gives `wanted` if a job may go there from `current`; raises Conflict otherwise."""
    if wanted not in LEGAL_JOB_MOVES[current]:
        raise Conflict(f"a job that is {current} cannot become {wanted}")
    return wanted


class Goal(StrEnum):
    """What a job's money should buy."""

    ITERATIONS_PER_DOLLAR = "iterations_per_dollar"


class OnMiss(StrEnum):
    """What to do once a deadline or a budget is certain to be missed.

    `stop` ends the job in good order, `cheapest` goes on where an iteration costs least, `fastest`
    as fast as it may.
    """

    STOP = "stop"
    CHEAPEST = "cheapest"
    FASTEST = "fastest"


class Missed(StrEnum):
    """A goal that will be missed: the deadline, or the budget before all iterations are done."""

    WILL_BE_LATE = "will_be_late"
    OVER_BUDGET = "over_budget"


class CapacityChoice(StrEnum):
    """Which capacities a job accepts."""

    SPOT = "spot"
    ON_DEMAND = "on-demand"
    ANY = "any"

    def admits(self, capacity: Capacity) -> bool:
        return self is CapacityChoice.ANY or self.value == capacity.value


@dataclass(frozen=True, slots=True)
class Objective:
    """What to maximise, and the limits to keep. None means no such limit."""

    maximize: Goal = Goal.ITERATIONS_PER_DOLLAR
    # An instant (Unix seconds).
    deadline_s: float | None = None
    # The most dollars that the job may cost in all.
    budget_usd: float | None = None
    # The highest burn.
    max_usd_per_hour: float | None = None
    # What finishing an hour sooner is worth to the owner.
    value_of_time_usd_per_h: float | None = None
    # How the job goes on if it cannot meet its deadline or budget.
    on_miss: OnMiss = OnMiss.FASTEST


@dataclass(frozen=True, slots=True)
class TrainingPhase:
    """A stretch of a job whose iterations cost about the same."""

    name: str
    # Where it ends; None: with the job.
    until_iteration: int | None = None


@dataclass(frozen=True, slots=True)
class StartCondition:
    """What must hold before machines are bought for a job that has none; None: no such condition.

    A job that has machines keeps them when a condition no longer holds.
    """

    # An instant (Unix seconds).
    not_before_s: float | None = None
    # Hours of the day with their zone, as `elastic.calendar.hours_of` reads them.
    hours: str | None = None
    # What it begins on must cost less than that.
    usd_per_h_below: float | None = None


@dataclass(frozen=True, slots=True)
class JobSpec:
    """What was asked for. `iterations` is the total of paramount iterations; None means until the
    script ends.

    `command` is the argv after torchrun's own options; `code` is the SHA-256 of the folder's
    archive that it runs in, None where it runs what the node has. `node_types` limits the
    candidates (empty = all on offer). `nodes_min` is also how few members a generation may go on
    with. `nodes_wanted` is the number that a user scaled the job to; None leaves it to the policy.
    `policy` names an entry of `elastic.policy.POLICIES`; `fixed_node_type` belongs to the policy
    `fixed`. With `preload` workers are forked from a process with torch loaded, on each node where
    that works. Where they crash they are started again `max_restarts` times without progress; None
    leaves that to the daemon. `most_samples` of a batch fit one worker's memory on a node type; of
    those it does not name all do. All workers compute in `precision`; None leaves it to the
    program. `outputs` are the globs of the files in the working folder that are carried home; None
    is every new or changed one. Workers run in a container of `image`, None with what the node has.
    Before any worker begins, a node installs `requirements` (pip's
    lines), gets `data` (a bucket's location, or a folder of the node) and runs the lines of
    `setup`. `secrets` are the variables of `env` whose values are not shown, and
    `secret_parameters` others, with the SSM parameters that nodes read them from. `batch` says
    what an iteration is; None leaves it to what is seen of the script. `notify` are the names of
    the people who are told what happens, each with the topics (none: all); None leaves that to the
    daemon. Where the purse is short, jobs of a higher `priority` come first. `max_duration_s`
    counts from the job's first machine, or from the first one after it was resumed.
    """

    name: str
    command: tuple[str, ...]
    code: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    workload: str | None = None
    hyperparameters: Mapping[str, bool | int | float | str] = field(default_factory=dict)
    nodes_min: int = 1
    nodes_max: int = 1
    nodes_wanted: int | None = None
    nproc_per_node: NprocPerNode = PerNode.AUTO
    global_batch: int | None = None
    iterations: int | None = None
    objective: Objective = Objective()
    node_types: tuple[str, ...] = ()
    capacity: CapacityChoice = CapacityChoice.ANY
    policy: str = "best_value"
    fixed_node_type: str | None = None
    phases: tuple[TrainingPhase, ...] = (TrainingPhase("main"),)
    drain_grace_s: float = DRAIN_GRACE_S
    mode: Mode = Mode.RESTART
    preload: bool = True
    most_samples: Mapping[str, int] = field(default_factory=dict)
    precision: Precision | None = None
    max_restarts: int | None = None
    outputs: tuple[str, ...] | None = None
    batch: Batch | None = None
    # The container image that workers run in; None: what the node has.
    image: str | None = None
    requirements: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    data: str | None = None
    secrets: tuple[str, ...] = ()
    secret_parameters: Mapping[str, str] = field(default_factory=dict)
    notify: Mapping[str, tuple[Topic, ...]] | None = None
    priority: int = 0
    max_duration_s: float | None = None
    start: StartCondition = StartCondition()

    @property
    def program(self) -> tuple[object, ...]:
        """What decides how long an iteration takes on given nodes: jobs that agree in it are runs
        of one program.

        Where it may run, for how long and for how much does not matter, nor does its name. So of
        its command neither an argument that is its number of iterations counts, nor the value of an
        option that only says how long it trains.

        >>> one, other = JobSpec("j", ("train.py",), iterations=10), JobSpec("k", ("train.py",),
        ...     nodes_max=3)
        >>> one.program == other.program, one.program == JobSpec("j", ("train.py",),
        ...     global_batch=8).program
        (True, False)
        >>> short, long = (JobSpec("j", ("train.py", f"{n}", "--epochs=3"), iterations=n)
        ...     for n in (10, 90))
        >>> short.program == long.program
        True
        """
        asked = self.nproc_per_node
        return (
            self._command_of_any_length,
            self.code,
            self.image,
            self.workload,
            tuple(sorted((name, str(value)) for name, value in self.hyperparameters.items())),
            self.global_batch,
            tuple(sorted(asked.items())) if isinstance(asked, Mapping) else asked,
            self.precision,
            self.mode,
            self.preload,
        )

    @property
    def _command_of_any_length(self) -> tuple[str, ...]:
        if self.iterations is None:
            length = None
        else:
            length = str(self.iterations)
        found: list[str] = []
        before = ""
        for each in self.command:
            option, equals, _ = each.partition("=")
            if equals and option in _LENGTHS:
                found.append(f"{option}={_ANY_LENGTH}")
            elif before in _LENGTHS or (each == length and not before.startswith("-")):
                found.append(_ANY_LENGTH)
            else:
                found.append(each)
            before = each
        return tuple(found)

    @property
    def shown_env(self) -> Mapping[str, str]:
        """Its variables as people may see them."""
        return {name: HIDDEN if name in self.secrets else value for name, value in self.env.items()}

    @property
    def sealed(self) -> tuple[str, ...]:
        """The secrets whose values are stored, sealed with the daemon's own secret."""
        return tuple(each for each in self.secrets if each in self.env)

    @property
    def sizes(self) -> range:
        """How many nodes a group may have that a policy chooses.

        >>> JobSpec("j", ("train.py",), nodes_max=3).sizes
        range(1, 4)
        >>> JobSpec("j", ("train.py",), nodes_max=3, nodes_wanted=2).sizes
        range(2, 3)
        """
        if self.nodes_wanted is None:
            return range(self.nodes_min, self.nodes_max + 1)
        return range(self.nodes_wanted, self.nodes_wanted + 1)

    def admits(self, offering: Offering) -> bool:
        """Whether the job may run on this offering."""
        return self.admits_type(offering.node_type) and self.capacity.admits(offering.capacity)

    def admits_type(self, name: str) -> bool:
        """Whether its author lets the job run on the node type of this name."""
        is_listed = not self.node_types or name in self.node_types
        return is_listed and self.fixed_node_type in (None, name)

    def unfit(self, node_type: NodeType) -> str | None:
        """Why nodes of this type cannot run the job, for a person; None if they can."""
        if self.precision is not None and self.precision not in node_type.precisions:
            return f"{node_type.name} cannot compute in {self.precision}"
        return unfit(self.nproc_per_node, node_type)

    def held_by(self, workers: Iterable[tuple[str, int]]) -> int | None:
        """How many samples of a batch so many workers on these node types hold together; None where
        a limit is unknown.

        >>> spec = JobSpec("j", ("train.py",), most_samples={"small": 4})
        >>> spec.held_by([("small", 6)]), spec.held_by([("large", 2), ("small", 6)])
        (24, None)
        """
        limits = [(self.most_samples.get(name), count) for name, count in workers]
        if any(most is None for most, _ in limits):
            return None
        return sum((most or 0) * count for most, count in limits)

    def __post_init__(self) -> None:
        if not self.command:
            raise InvalidInput(
                "command: wanted at least the script to run, got nothing", field="command"
            )
        if self.image is not None and (self.requirements or self.setup):
            raise InvalidInput(
                f"image: {self.image} has all that the job needs, so nothing is installed beside "
                "it: take `requirements` and `setup` out, and write them into the image",
                field="image",
            )
        if not 1 <= self.nodes_min <= self.nodes_max:
            raise InvalidInput(
                f"nodes: wanted 1 <= min <= max, got min {self.nodes_min} and max {self.nodes_max}",
                field="nodes",
            )
        if (
            self.nodes_wanted is not None
            and not self.nodes_min <= self.nodes_wanted <= self.nodes_max
        ):
            raise InvalidInput(
                f"nodes: wanted {self.nodes_min} to {self.nodes_max}, the bounds of job "
                f"{self.name}; got {self.nodes_wanted}. To change the bounds, stop the job and "
                "resume it with --min-nodes or --max-nodes",
                field="nodes",
            )


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it stands."""

    id: str
    spec: JobSpec
    phase: JobPhase
    submitted_at_s: float
    version: int = 0
    # How many paramount iterations survive.
    iteration: int = 0
    training_phase: str | None = None
    finished_at_s: float | None = None
    # The phase that a drain leads to.
    ending: JobPhase | None = None
    message: str | None = None
    # Iterations that were lost to restarts so far, and had to be done again.
    redone: int = 0
    # The iteration of the newest file or checkpoint that the script is known to have saved.
    kept_iteration: int | None = None
    # Whether its last restart, or that of an earlier job with the same code, began at 0.
    restarts_at_zero: bool = False
    # What its workers reported of the script, as is `batch`; None: nothing yet.
    stops_when_asked: bool | None = None
    batch: Batch | None = None
    # What its program failed with last; None once it has passed that iteration.
    error: ScriptError | None = None

    @property
    def always_begins_at_zero(self) -> bool:
        """Whether the script is known to begin at 0 after every move or loss; in a session none
        stops it."""
        saves_nothing = self.kept_iteration is None and self.stops_when_asked is False
        return self.spec.mode is not Mode.LIVE and (self.restarts_at_zero or saves_nothing)

    @property
    def is_restarted_by_a_move(self) -> bool:
        """Whether a move or a loss now is known to throw away all that was done, if that is
        anything."""
        return self.always_begins_at_zero and self.iteration > 0

    @property
    def redo_iterations(self) -> int:
        """Iterations that a planned move would have done again, as far as is known.

        A script that is told to stop is taken to save then, until it has begun at 0 once. In a
        session nothing stops.
        """
        if self.is_restarted_by_a_move:
            return self.iteration
        if self.spec.mode is Mode.LIVE or self.stops_when_asked is not False:
            return 0
        return max(self.iteration - (self.kept_iteration or 0), 0)


def unit_of(job: Job) -> str | None:
    """What one iteration of a job is, for a person; None until its workers have said."""
    match job.batch or job.spec.batch:
        case Batch.WORKER:
            return "one worker's batch: a step of 4 workers counts 4"
        case Batch.JOB:
            return "one step of the whole job"
        case None:
            return None


def warnings_of(job: Job, *, now_s: float) -> tuple[str, ...]:
    """What somebody should know of a job's progress, before it costs them.

    >>> spec = JobSpec("mine", ("train.py",))
    >>> warnings_of(Job("j", spec, JobPhase.RUNNING, 0.0, iteration=40, restarts_at_zero=True),
    ...     now_s=60.0)
    ('a move or a loss restarts this job: it has saved nothing yet',)
    """
    found = []
    # Before a cooldown is over no move is undone.
    is_known = job.restarts_at_zero or now_s - job.submitted_at_s >= COOLDOWN_S
    if job.is_restarted_by_a_move and is_known and not job.phase.is_final:
        why = "it has saved nothing yet"
        if job.restarts_at_zero and job.kept_iteration is not None:
            why = "it has not read back what it saved, and began at 0 again"
            if not job.redone:
                why = "an earlier job with the same code began at 0 again"
        found.append(f"a move or a loss restarts this job: {why}")
    deadline_s = job.spec.objective.deadline_s
    if job.phase is JobPhase.PAUSED and deadline_s is not None:
        found.append(f"it is paused, and its deadline of {instant(deadline_s)} still counts")
    if job.phase is JobPhase.PAUSED and job.spec.max_duration_s is not None:
        found.append("it is paused, and its max_duration still counts")
    if job.redone:
        found.append(f"{job.redone:,} iterations were lost to restarts and had to be done again")
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Resume:
    """A job that was over goes on: when it had ended, as what, and from when on it was wanted
    again."""

    ended_at_s: float
    ending: JobPhase
    resumed_at_s: float


def how_to_resume(job_id: str, phase: JobPhase) -> str:
    """What a user may do about a job that is over and did not succeed; empty of any other.

    >>> how_to_resume("job-1", JobPhase.BUDGET_EXHAUSTED)
    '`elasticd job resume job-1 --budget USD` continues it from its newest checkpoint'
    >>> how_to_resume("job-1", JobPhase.SUCCEEDED)
    ''
    """
    if not phase.may_resume:
        return ""
    budget = ""
    if phase is JobPhase.BUDGET_EXHAUSTED:
        budget = " --budget USD"
    brought = ""
    if phase is JobPhase.FAILED:
        brought = (
            "; `--code .` brings corrected code, `--image IMAGE` another image, "
            "`--requirements FILE` other packages, "
            "`--setup LINE` "
            "another setup, `--outputs GLOB` other outputs"
        )
    return (
        f"`elasticd job resume {job_id}{budget}` continues it from its newest checkpoint{brought}"
    )


def idle_s(resumes: Iterable[Resume]) -> float:
    """Seconds for which a job was over before it went on."""
    return sum(each.resumed_at_s - each.ended_at_s for each in resumes)


def is_output(path: str, globs: Sequence[str] | None) -> bool:
    """Whether a file is carried home, by its path in the working folder; None as `globs` takes
    every file.

    `*` also crosses folders, and a folder's name takes all that is in it.

    >>> [is_output(path, ["*.pt", "runs"]) for path in ("out/best.pt", "runs/1/log.txt",
    ...     "cache.bin")]
    [True, True, False]
    """
    if globs is None:
        return True
    return any(
        fnmatchcase(path, glob) or fnmatchcase(path, f"{glob.rstrip('/')}/*") for glob in globs
    )
