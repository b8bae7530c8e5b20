"""What an agent does next: a pure function of what is wanted, what runs and what time it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from elastic.model import AgentState, Outcome, Pulse
from elastic.protocol import Assignment

TERM_GRACE_S = 15.0
EXIT_BARRIER_GRACE_S = 5.0
LEFT_GRACE_S = 1.0  # python's own end comes after a worker's very last word
OUTSIDE_GRACE_S = 1.0  # that workers join may be heard a moment after their first turn
OUTSIDE = (
    "this script trains in no session, or makes no Attendance of it; on T2 each node would do the "
    "whole job alone: "
    "use T1, or see docs/reference/session.md"
)
ENDED_EARLY = (
    "the script has ended with 0 before the job was complete: in a session it goes on until "
    "finish() is true, or says "
    "drained(), or ends with an error; see docs/reference/session.md"
)
HURRY_S = 15.0  # a word that was likely to come and has not by then is waited for as any other
SOLO_SLACK_S = 5.0
"""What a node keeps for itself after a drain's grace: to end what runs still, and to tell of it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The daemon's last word. `is_known` is False until a heartbeat has been answered: then what
    runs goes on.

    `must_leave` and `must_drain` come before it: the node is to be left, or the cloud is about to
    take it back. With `needs_signal` workers are ended at once: they wait for others in vain, and
    look for no drain.
    """

    assignment: Assignment | None = None
    is_known: bool = False
    must_leave: bool = False
    must_drain: bool = False
    needs_signal: bool = False


@dataclass(frozen=True, slots=True)
class RunningGeneration:
    """A generation on this node: torchrun and its workers. Instants are monotonic seconds, None if
    not yet.

    Workers in a session outlive the generation that they were begun in: `serves` is the one they
    belong to now, None where that is the same. `all_left_at` is since when all of them have had
    nothing more to do, as they said at their very end, `outside_since` when they were first known
    to train in none, though they are to. Foreign ones are programs that nobody looks into, adopted
    ones were begun by an agent before this one: what they had told that one is not known.
    """

    generation: int
    grace_s: float
    is_alive: bool = True
    needs_signal: bool = False
    drain_asked_at: float | None = None
    terminated_at: float | None = None
    all_said_last_word_at: float | None = None
    all_left_at: float | None = None
    outside_since: float | None = None
    is_in_session: bool = False
    is_foreign: bool = False
    is_adopted: bool = False
    serves: int | None = None

    @property
    def number(self) -> int:
        """The generation that its workers belong to."""
        if self.serves is None:
            return self.generation
        return self.serves


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to do now."""


@dataclass(frozen=True, slots=True)
class StartAssignment:
    """Run this assignment."""

    assignment: Assignment


@dataclass(frozen=True, slots=True)
class GoOn:
    """The workers stay, as members of this assignment's generation."""

    assignment: Assignment


@dataclass(frozen=True, slots=True)
class AskToDrain:
    """Let the workers stop at their next safe point."""


@dataclass(frozen=True, slots=True)
class Terminate:
    """Send SIGTERM to torchrun, which passes it on."""


@dataclass(frozen=True, slots=True)
class Kill:
    """Kill everything of the group that still lives."""


@dataclass(frozen=True, slots=True)
class Collect:
    """Torchrun has ended: note how, and clear what it left."""


@dataclass(frozen=True, slots=True)
class Leave:
    """End the agent."""


Action: TypeAlias = Wait | StartAssignment | GoOn | AskToDrain | Terminate | Kill | Collect | Leave


def steer(
    *,
    wanted: Wanted,
    group: RunningGeneration | None,
    ended_generation: int | None = None,
    is_end_told: bool = True,
    now: float,
) -> Action:
    """Gives the one next step towards what is wanted.

    ``ended_generation`` is the last one that ended here, None if none has; ``is_end_told`` says
    whether the daemon knows how it ended.

    >>> steer(wanted=Wanted(is_known=True), group=Group(generation=3, grace_s=30), now=0.0)
    AskToDrain()
    """
    if group is None:
        return _steer_without_group(wanted, ended_generation, is_end_told=is_end_told)
    if not group.is_alive:
        return Collect()
    if group.outside_since is not None and now - group.outside_since >= OUTSIDE_GRACE_S:
        return Kill()
    if _is_wanted(group, wanted) and group.drain_asked_at is None:
        follows = (
            wanted.is_known
            and wanted.assignment is not None
            and wanted.assignment.generation != group.number
        )
        if follows and wanted.assignment is not None:
            return GoOn(wanted.assignment)
        return Wait()
    return _steer_drain(group, now)


def is_last_moment(
    *, goes_at: float | None, grace_s: float, saving_s: float = 0.0, now: float
) -> bool:
    """Whether a drain must begin now to be over when the cloud takes the machine at ``goes_at``,
    None if it does not.

    A drain may take all of its grace, and storing its checkpoint ``saving_s`` after that. The
    daemon, which sees the whole job, asks for it earlier if it is there.

    >>> [is_last_moment(goes_at=100.0, grace_s=30.0, now=now) for now in (64.9, 65.0)]
    [False, True]
    """
    return goes_at is not None and now >= goes_at - grace_s - saving_s - SOLO_SLACK_S


def hears_no_drain(
    group: RunningGeneration, *, any_word: bool, has_turned: bool, has_joined: bool
) -> bool:
    """Whether nothing but a signal will reach the workers, by what they have said so far.

    Workers look for a drain in their turns: one that has made none that is seen would never answer,
    and holds nothing yet that it could save then. Nor does one look that waits to come into its
    session, or a program that has said nothing.

    >>> group = Group(generation=3, grace_s=30)
    >>> [hears_no_drain(group, any_word=True, has_turned=each, has_joined=False) for each in (True, False)]
    [False, True]
    """
    if group.is_adopted:
        return group.is_foreign and not any_word
    return not (has_joined if group.is_in_session else has_turned)


def is_outside(group: RunningGeneration, *, has_trained: bool, has_joined: bool) -> bool:
    """Whether workers that are to train in a session have trained, and have joined none.

    On each node they would do the whole job alone, and the first to be done would end it.

    >>> is_outside(Group(generation=3, grace_s=30, is_in_session=True), has_trained=True, has_joined=False)
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
    """How a generation ended on this node; ``have_all_said`` says that each of its workers has said
    its last word.

    In a session "finished" is said of the job, and any member may say it; one that ends with 0 and
    says nothing has not done what it was to do. Elsewhere a worker says it of itself, perhaps long
    before others, who may fail yet: torchrun's exit code tells of all of them, unless it was made
    to end, or was killed, while it waited for other nodes.

    >>> said = {"last_words": frozenset({"finished"}), "have_all_said": False, "was_draining": False}
    >>> [outcome_of(exit_code=code, **said).value for code in (0, 1)]
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
    """The one word for the heartbeat; a node whose exit the daemon knows is idle again."""
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
    """Whether the daemon is soon to say something new: its workers stand still, or ended at
    ``ended_at``.

    They may be waiting for a node that is cut off; the members of a session, who find out by
    themselves, are not.

    >>> group = Group(generation=3, grace_s=30)
    >>> [awaits_word(group, Pulse(still_s, longest_s=0.5), ended_at=None, now=0.0) for still_s in (0.9, 1.1)]
    [False, True]
    """
    if group is None:
        return ended_at is not None and now - ended_at < HURRY_S
    stands_still = (
        pulse is not None and pulse.still_s < HURRY_S and pulse.has_stopped(least_s=1.0, times=1.5)
    )
    return stands_still and not group.is_in_session


def _steer_without_group(
    wanted: Wanted, ended_generation: int | None, *, is_end_told: bool
) -> Action:
    if wanted.must_leave:
        return Leave()
    if wanted.must_drain:
        return Wait()
    if not is_end_told:
        # The next generation's news would take the place of how this one ended.
        return Wait()
    if wanted.assignment is None or wanted.assignment.generation == ended_generation:
        # A generation that has ended here is not begun again: the daemon answers its exit with a
        # new one.
        return Wait()
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
        return AskToDrain()
    if group.terminated_at is not None:
        # torch has a forked worker that ends well wait for a torchrun that, once it was told to
        # end, lets nobody go.
        has_left = group.all_left_at is not None and now - group.all_left_at >= LEFT_GRACE_S
        has_nothing_to_do = (
            has_left and not group.is_foreign
        )  # a shell script goes on after the Python that it ran
        if has_nothing_to_do or now - group.terminated_at >= TERM_GRACE_S:
            return Kill()
        return Wait()
    # Workers that are done leave a torchrun that waits up to 300 s for the other nodes' and cannot
    # hear a signal then.
    if group.all_said_last_word_at is not None:
        if now - group.all_said_last_word_at >= EXIT_BARRIER_GRACE_S:
            return Kill()
        return Wait()
    if group.needs_signal or now - group.drain_asked_at >= group.grace_s:
        return Terminate()
    return Wait()
