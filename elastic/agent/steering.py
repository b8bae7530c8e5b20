"""What an agent does next: a pure function of what is wanted, what runs, and the time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from elastic.durations import ANSWER_TIMEOUT_S, END_GRACE_S, MOMENT_S, TICK_S
from elastic.liveness import TURN_IS_LATE
from elastic.model import AgentState, Outcome, Pulse
from elastic.protocol import Assignment

# From SIGTERM to SIGKILL torchrun gives its workers twice the usual grace, and then ends itself.
WORKERS_END_S = 2 * END_GRACE_S
TERM_GRACE_S = WORKERS_END_S + END_GRACE_S
OUTSIDE = (
    "this script trains in no session, or makes no Attendance of it; in mode live each node "
    "would do the whole job alone: use mode restart, or see docs/reference/session.md"
)
ENDED_EARLY = (
    "the script exited with 0 before the job was complete: in a session it must continue until "
    "finish() is true, call drained(), or end with an error; see docs/reference/session.md"
)
# A directive that was expected and has not come by then is waited for at the usual interval.
HURRY_S = TICK_S + ANSWER_TIMEOUT_S


@dataclass(frozen=True, slots=True)
class Wanted:
    """The daemon's last directive.

    Until `is_known`, no heartbeat was answered, and running workers go on.
    """

    assignment: Assignment | None = None
    is_known: bool = False
    # These two override the daemon: the node must end, or the cloud is about to reclaim it.
    must_leave: bool = False
    must_drain: bool = False
    # End workers at once: they wait for others that never come, and do not look for a drain.
    needs_signal: bool = False


@dataclass(frozen=True, slots=True)
class RunningGeneration:
    """torchrun and its workers of one generation. Instants are monotonic, None if not yet."""

    generation: int
    grace_s: float
    is_alive: bool = True
    needs_signal: bool = False
    drain_asked_at: float | None = None
    terminated_at: float | None = None
    all_said_last_word_at: float | None = None
    # Since when all workers have nothing more to do.
    all_left_at: float | None = None
    # Since when they are known to train outside the session that they belong to.
    outside_since: float | None = None
    is_in_session: bool = False
    # The agent cannot look into foreign workers, such as shell scripts.
    is_foreign: bool = False
    # Started by an earlier agent: what they told it is lost.
    is_adopted: bool = False
    # Workers in a session outlive the generation that started them. This is their present one,
    # None if it is the same.
    serves: int | None = None

    @property
    def number(self) -> int:
        """The generation that its workers belong to."""
        if self.serves is None:
            return self.generation
        return self.serves


class Order(StrEnum):
    """A step that needs nothing more to be said."""

    # Nothing to do now.
    WAIT = "wait"
    # Let the workers stop at their next safe point.
    ASK_TO_DRAIN = "ask to drain"
    # Send SIGTERM to torchrun, which passes it on.
    TERMINATE = "terminate"
    # Kill everything of the group that still lives.
    KILL = "kill"
    # Record how torchrun ended, and clean up.
    COLLECT = "collect"
    # End the agent.
    LEAVE = "leave"


@dataclass(frozen=True, slots=True)
class StartAssignment:
    """Run this assignment."""

    assignment: Assignment


@dataclass(frozen=True, slots=True)
class GoOn:
    """Keep the workers, as members of this assignment's generation."""

    assignment: Assignment


Action: TypeAlias = Order | StartAssignment | GoOn


def steer(
    *,
    wanted: Wanted,
    group: RunningGeneration | None,
    ended_generation: int | None = None,
    is_end_told: bool = True,
    now: float,
) -> Action:
    """Returns the one next step towards what is wanted.

    ``ended_generation`` is the last one that ended here, or None. ``is_end_told`` says whether the
    daemon knows how it ended.

    >>> steer(wanted=Wanted(is_known=True), group=RunningGeneration(generation=3, grace_s=30),
    ...     now=0.0).value
    'ask to drain'
    """
    if group is None:
        return _steer_without_group(wanted, ended_generation, is_end_told=is_end_told)
    if not group.is_alive:
        return Order.COLLECT
    # The report that workers joined a session may arrive a moment after their first turn.
    if group.outside_since is not None and now - group.outside_since >= MOMENT_S:
        return Order.KILL
    if _is_wanted(group, wanted) and group.drain_asked_at is None:
        follows = (
            wanted.is_known
            and wanted.assignment is not None
            and wanted.assignment.generation != group.number
        )
        if follows and wanted.assignment is not None:
            return GoOn(wanted.assignment)
        return Order.WAIT
    return _steer_drain(group, now)


def is_last_moment(
    *, goes_at: float | None, grace_s: float, saving_s: float = 0.0, now: float
) -> bool:
    """Whether a drain must begin now to end before the cloud reclaims the machine at ``goes_at``.

    A drain may take its whole grace, and then ``saving_s`` to store its checkpoint. The daemon,
    which sees the whole job, asks for it earlier if it can. ``goes_at`` is None if the machine
    stays.

    >>> [is_last_moment(goes_at=100.0, grace_s=30.0, now=now) for now in (64.9, 65.0)]
    [False, True]
    """
    # Then something is left to end what still runs, and to report it.
    return goes_at is not None and now >= goes_at - grace_s - saving_s - END_GRACE_S


def hears_no_drain(
    group: RunningGeneration, *, any_word: bool, has_turned: bool, has_joined: bool
) -> bool:
    """Whether only a signal reaches the workers, by what they have reported so far.

    Workers look for a drain in their turns. A worker without a turn would never answer, and has
    nothing to save yet. Neither does a worker look that waits to join its session, or a program
    that reported nothing.

    >>> group = RunningGeneration(generation=3, grace_s=30)
    >>> [hears_no_drain(group, any_word=True, has_turned=each, has_joined=False) for each in (True,
    ...     False)]
    [False, True]
    """
    if group.is_adopted:
        return group.is_foreign and not any_word
    if group.is_in_session:
        return not has_joined
    return not has_turned


def is_outside(group: RunningGeneration, *, has_trained: bool, has_joined: bool) -> bool:
    """Whether workers that should train in a session trained without joining it.

    Each node would then do the whole job alone, and the first to finish would end it.

    >>> is_outside(RunningGeneration(generation=3, grace_s=30, is_in_session=True),
    ...     has_trained=True, has_joined=False)
    True
    """
    return group.is_in_session and not group.is_adopted and has_trained and not has_joined


def outcome_of(
    *,
    last_words: frozenset[str],
    have_all_said: bool,
    exit_code: int,
    was_draining: bool,
    is_in_session: bool = False,
) -> Outcome:
    """How a generation ended on this node.

    ``have_all_said`` means that each worker has sent its last message. In a session "finished"
    concerns the job, and any member may say it. A member that exits with 0 and says nothing did not
    do its work. Elsewhere a worker speaks for itself, perhaps long before others, which may still
    fail. Then torchrun's exit code covers all workers, unless it was killed or ended while it
    waited for other nodes.

    >>> said = {"last_words": frozenset({"finished"}), "have_all_said": False}
    >>> [outcome_of(exit_code=code, was_draining=False, **said).value for code in (0, 1)]
    ['succeeded', 'failed']
    """
    if is_in_session and "finished" in last_words:
        return Outcome.SUCCEEDED
    if have_all_said and last_words == {"finished"} and (was_draining or exit_code < 0):
        return Outcome.SUCCEEDED
    if "drained" in last_words or was_draining:
        return Outcome.DRAINED
    if exit_code == 0 and not is_in_session:
        return Outcome.SUCCEEDED
    return Outcome.FAILED


def node_state(
    group: RunningGeneration | None,
    *,
    has_heard_workers: bool,
    has_news_of_exit: bool,
    is_warm: bool = True,
    is_saving: bool = False,
    is_prepared: bool = True,
) -> AgentState:
    """The node's state for the heartbeat; a node whose exit the daemon knows is idle again."""
    if group is None and not is_prepared:
        return AgentState.PREPARING
    if group is None and not has_news_of_exit:
        return AgentState.IDLE if is_warm else AgentState.WARMING
    if group is None:
        return AgentState.EXITED
    if is_saving:
        return AgentState.SAVING
    if group.drain_asked_at is not None:
        return AgentState.DRAINING
    if has_heard_workers:
        return AgentState.RUNNING
    return AgentState.STARTING


def awaits_word(
    group: RunningGeneration | None, pulse: Pulse | None, *, ended_at: float | None, now: float
) -> bool:
    """Whether a new directive is likely soon: the workers stall, or ended at ``ended_at``.

    They may wait for a node that is cut off. A session's members find that out themselves.

    >>> group = RunningGeneration(generation=3, grace_s=30)
    >>> [awaits_word(group, Pulse(still_s, longest_s=0.5), ended_at=None, now=0.0)
    ...     for still_s in (0.9, 1.1)]
    [False, True]
    """
    if group is None:
        return ended_at is not None and now - ended_at < HURRY_S
    stands_still = (
        pulse is not None and pulse.still_s < HURRY_S and TURN_IS_LATE.is_over(pulse.last_turn)
    )
    return stands_still and not group.is_in_session


def _steer_without_group(
    wanted: Wanted, ended_generation: int | None, *, is_end_told: bool
) -> Action:
    if wanted.must_leave:
        return Order.LEAVE
    if wanted.must_drain:
        return Order.WAIT
    if not is_end_told:
        # The next generation's reports would replace how this one ended.
        return Order.WAIT
    if wanted.assignment is None or wanted.assignment.generation == ended_generation:
        # Do not restart a generation that ended here: the daemon answers its exit with a new one.
        return Order.WAIT
    return StartAssignment(wanted.assignment)


def _is_wanted(group: RunningGeneration, wanted: Wanted) -> bool:
    if wanted.must_leave or wanted.must_drain:
        return False
    if not wanted.is_known:
        return True
    if wanted.assignment is None:
        return False
    return group.is_in_session or wanted.assignment.generation == group.number


def _steer_drain(group: RunningGeneration, now: float) -> Action:
    if group.drain_asked_at is None:
        return Order.ASK_TO_DRAIN
    if group.terminated_at is not None:
        # In torch, a forked worker that ends well waits for torchrun. A torchrun that was told to
        # end never releases it.
        # Python itself needs a moment after its worker's last message.
        has_left = group.all_left_at is not None and now - group.all_left_at >= MOMENT_S
        # A shell script continues after the Python program that it ran.
        has_nothing_to_do = has_left and not group.is_foreign
        if has_nothing_to_do or now - group.terminated_at >= TERM_GRACE_S:
            return Order.KILL
        return Order.WAIT
    # Workers that are done leave a torchrun that waits up to 300 s for the other nodes, and ignores
    # signals meanwhile.
    if group.all_said_last_word_at is not None:
        if now - group.all_said_last_word_at >= END_GRACE_S:
            return Order.KILL
        return Order.WAIT
    if group.needs_signal or now - group.drain_asked_at >= group.grace_s:
        return Order.TERMINATE
    return Order.WAIT
