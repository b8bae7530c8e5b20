"""A session: training whose members come, go and die while it runs, without a restart and without a
lost step."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from time import monotonic, sleep

from torch import Tensor

from elastic.worker import hook
from elastic.workloads.session import nccl, shares, stopwatch
from elastic.workloads.session.buffers import Buffers, GradientMessage, without_gradients
from elastic.workloads.session.control_values import ControlValues, RankValues
from elastic.workloads.session.division import Division
from elastic.workloads.session.ending import EndOfJob
from elastic.workloads.session.gloo import GenerationLost
from elastic.workloads.session.hang_detector import HangDetector
from elastic.workloads.session.leveling import Leveling, ended
from elastic.workloads.session.membership import SessionMember
from elastic.workloads.session.messages import tell
from elastic.workloads.session.recording import OnGeneration
from elastic.workloads.session.round import Round
from elastic.workloads.session.round_start import Meeting, TooOld
from elastic.workloads.session.session_step import CommittedStep, Compute, Outdated, SessionStep
from elastic.workloads.session.settings import SessionSettings
from elastic.workloads.session.shared_state import COMPLETE, NOBODY_WHOLE, SessionEnded, SharedState
from elastic.workloads.session.state import Apply, State, StateCopy
from elastic.workloads.session.sums import Sums
from elastic.workloads.session.terms import SessionTerms, require_whole
from elastic.workloads.session.transaction_guard import TransactionGuard

PAUSE_S = 0.05


class Session(contextlib.AbstractContextManager["Session"]):
    """This process's membership, from `join` to `close`. All but `leave` is called from the
    training thread."""

    def __init__(
        self,
        state: State,
        terms: SessionTerms,
        *,
        settings: SessionSettings,
        step: int,
        on_generation: OnGeneration | None,
    ) -> None:
        self._state = state
        self._batch = terms.batch
        self._shared = SharedState(terms, step=step)
        self._pace = shares.Pace()
        self._buffers = Buffers(state.parameters, terms.numbers)
        self._control = ControlValues(state)
        self._watch = stopwatch.stopwatch_of(state.device)
        self._chunk_bytes = settings.chunk_bytes
        self._has_told_of_leveling = False
        self._hang_detector = HangDetector(settings.hang_s)
        self._has_left = False
        self._membership = SessionMember(
            settings, state, self._shared, self._hang_detector, on_generation
        )
        self._end = EndOfJob(settings, self._shared, self._membership.links)
        abort = functools.partial(self.close, is_orderly=False)
        self._guard = TransactionGuard(self._shared, self._membership.lose, abort)
        self._sums = Sums(self._shared, self._guard, await_meeting=self._await_meeting, close=abort)
        self._division: Division
        self._generation: Round | None = None
        self._meeting: Meeting | None = None
        self.turned_in: Round | None = (
            None  # in which the last `run` committed its turn; None: it committed none
        )

    @classmethod
    def join(
        cls,
        units: Sequence[Sequence[Tensor]],
        apply: Apply,
        *,
        batch: int,
        settings: SessionSettings | None = None,
        step: int = 0,
        steps: int | None = None,
        numbers: int = 0,
        terms: str = "",
        on_generation: OnGeneration | None = None,
    ) -> Session:
        """Comes in, and returns as a member with the job's state.

        The first to come founds the session with the state it brings, committed `step` times; all
        others are brought up to date while the members go on. Warm up before: what is loaded and
        allocated now costs nobody anything.

        Args:
            units: For each gradient the live tensors it moves, the parameter first (its moments,
            its step count). apply: Moves the units by a step's gradients; the only thing that
            changes them. `None` for a gradient: leave
                that unit alone. No unit may depend on another's, and the gradients stay as they
                are.
            batch: Samples a turn, over all ranks. steps: After how many the script ends the job,
            for the members to compare; None: they do not. numbers: How many numbers of the job's
            own are summed with each turn. terms: Whatever else must be alike, in the script's own
            words: options, or a digest of them. on_generation: Called with number and members
            before a generation is published, by whoever publishes; what
                it raises postpones the change.

        Raises SessionEnded where the job is complete, InvalidInput where an argument is wrong or
        not as the members'.
        """
        require_whole("step", step, least=0)
        # steps of a torch optimizer that only follow the members' are no turns
        hook.worker().count_own_turns()
        state = State.of(units, apply)
        nccl.prepare(state.device)
        own = SessionTerms.of(state, batch=batch, steps=steps, numbers=numbers, terms=terms)
        settings = settings or SessionSettings.from_environment()
        session = cls(state, own, settings=settings, step=step, on_generation=on_generation)
        session._membership.start()
        with contextlib.ExitStack() as stack:
            stack.callback(session.close, is_orderly=False)
            session._enter()
            stack.pop_all()
        return session

    @property
    def step(self) -> int:
        """Turns committed so far."""
        return self._shared.step

    @property
    def is_member(self) -> bool:
        """False once this process has left: then it may end."""
        return not self._has_left

    @property
    def is_complete(self) -> bool:
        """Whether `finish` has said that the job is, or `SessionEnded`."""
        return self._shared.is_finished or self._shared.end == COMPLETE

    @property
    def generation(self) -> Round:
        """The generation that this process trains in."""
        # Not the shared state's: that one is gone as soon as the others are known to have gone on
        # without this process.
        assert self._generation is not None
        return self._generation

    @property
    def is_first(self) -> bool:
        return self.generation.rank == 0

    @property
    def must_stop(self) -> bool:
        """Whether this process was asked to leave, and nobody is there to go on: keep the state,
        and end."""
        return self._shared.is_leaving and self.is_member and self.generation.world_size == 1

    def run(self, compute: Compute) -> CommittedStep | None:
        """Does one turn, as often as it takes, and commits it.

        `compute` gives this rank's part of the gradients, one for each unit, as its samples' share
        of the global loss, or None for zeros. Gives None where this process was left out and has
        come in again, or has left (look at `step` and `is_member`), and now and then while the
        members wait for more of them, for memories that hold a batch.
        """
        self._shared.require_open()
        self.turned_in = None
        step = self.step
        with self._guard:
            while self.is_member:
                try:
                    self._shared.begin_turn()
                    if self._division.now:
                        outcome, change = self._one_turn(compute)
                    else:
                        outcome, change = self._one_pause()
                except Outdated:
                    return CommittedStep(self.step, self._buffers.own_numbers())
                except GenerationLost:
                    if not self._recover():
                        return None
                    if (
                        self.step != step
                    ):  # another member had committed the turn: it is not to be done again
                        return CommittedStep(self.step, self._buffers.own_numbers())
                    continue
                if change is not None:
                    self._change_over(change, is_planned=True)
                return outcome
        return None

    def leave(self) -> None:
        """Asks to leave at a step's end, without loss; may be called from anywhere. Go on with
        `run` until it has."""
        self._shared.leave()

    def snapshot(self) -> StateCopy:
        """Gives a copy of the state as it is between two turns. Raises InvalidInput where it is
        none of the job's."""
        self._shared.require_whole()
        return StateCopy(self.step, self.generation.number, self._state.copies())

    def digest(self) -> str:
        """Gives the SHA-256 over the state: the same on every rank after the same step."""
        return self._state.digest()

    def finish(self, keep: Callable[[], None] | None = None) -> bool:
        """Ends the job: whoever waits to come in is sent away. All members call it, after the same
        step.

        Before that the first rank calls `keep`, which returns once the state is durable, and the
        others wait for it; where the first one dies, the next one does it. Gives whether the job is
        complete: False where this process has left before it was, or was left out and has come in
        again: look at `step` and `is_member`, and go on. Who goes on where others end hears so from
        `run`, which raises SessionEnded.
        """
        if self._shared.is_finished:
            return True
        self._shared.require_open()
        step = self.step
        end = self._end
        once = None if keep is None else functools.cache(keep)
        if keep is not None:
            end.announce(step)
        while self.is_member and self.step == step:
            own = once if self.is_first else None
            with contextlib.suppress(Outdated), self._guard:
                if end.has_come(
                    own, meet=None if keep is None else self._meet_at_end, recover=self._recover
                ):
                    return True
        return False

    def close(self, *, is_orderly: bool = True) -> None:
        """Ends this process's part: once the others have what they need of it, or at once, as a
        death would."""
        if self._shared.is_closed:
            return
        try:
            if is_orderly:
                with contextlib.suppress(GenerationLost, Outdated):
                    self._await_meeting()
                self._end.linger()
        finally:
            self._shared.close()
            self._membership.end()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(
            is_orderly=kind is None
        )  # after an error the others may stand in a turn that waits for this process

    def _enter(self) -> None:
        """Waits until this process is a member of a generation that works, or is to leave: it holds
        nothing."""
        if (entry := self._shared.await_entry()) is None:
            self._has_left = True
        else:
            self._change_over(entry[0], is_planned=entry[1])

    def _one_turn(self, compute: Compute) -> tuple[CommittedStep | None, Round | None]:
        """Computes this rank's part, sums the gradients and moves the state: nothing after the sum
        can fail."""
        shared = self._shared
        current = self.generation
        share = shares.slice_of(self._division.now, current.rank or 0)
        turn = SessionStep(
            self.step, self._batch, share, current, self._sums.own, watch=self._watch
        )
        self._sums.begin_turn(self.step)
        self._watch.begin()
        gradients = compute(turn)
        if shared.step != turn.step:
            shared.refuse_run_within()
        for cost_s in self._watch.end(len(share)):
            shared.cost = self._pace.after(cost_s) or shared.cost
        told, change = self._exchanged(
            lambda control: self._filled(gradients, turn.numbers, control)
        )
        self._move(is_exact=told.is_exact)
        self.turned_in = current
        self._division.turned(told.costs)
        self._hang_detector.turn_ended(now_s=monotonic())
        return CommittedStep(self.step, self._buffers.own_numbers()), change

    def _filled(
        self, gradients: Sequence[Tensor | None], numbers: Tensor | None, control: Tensor
    ) -> GradientMessage:
        group = self.generation.group
        is_aside = group is not None and group.has_gpus
        return self._buffers.fill(gradients, numbers, control, is_aside=is_aside)

    def _one_pause(self) -> tuple[CommittedStep | None, Round | None]:
        """Lets time pass where the members' memories do not hold a batch; newcomers are brought up
        to date."""
        sleep(PAUSE_S)
        _, change = self._exchanged(without_gradients, is_due=True)
        for sender in self._shared.followed():
            sender.next_chunk(self.step)
        return None, change

    def _meet_at_end(self) -> None:
        self._await_meeting()  # one that lacks the last step gets it there, and is done only then
        self._end.await_all()
        self._exchanged(without_gradients, is_due=True)

    def _exchanged(
        self, message_of: Callable[[Tensor], GradientMessage], *, is_due: bool = False
    ) -> tuple[RankValues, Round | None]:
        """Sums a message that control values end. Gives what these tell, and the generation to
        change over to, if all are ready for it. The states are compared where `is_due`, or where
        the step has its turn."""
        # Before the message is filled in: the last step's sums are handed on through the same
        # buffer.
        self._await_meeting()
        shared = self._shared
        current = self.generation
        step = self.step
        offered = shared.ready()
        control = self._control.own(
            current,
            offered=offered,
            cost=shared.cost,
            step=step,
            is_due=is_due,
            is_unlike=shared.follows_unlike(),
        )
        message = message_of(control)
        (self._sums.apart if is_due else self._sums.last)(message.whole, message.aside)
        told = self._control.compared(message.control.tolist(), current)
        if told.source is not None:
            self._bring_level(current, told.source)
        return told, offered if told.is_agreed else None

    def _bring_level(self, generation: Round, source: int) -> None:
        """Takes over the state of rank `source`, as all ranks do. Raises SessionEnded where this
        one's really differs, GenerationLost where another's does."""
        leveling = Leveling(self._state, generation, source, chunk_bytes=self._chunk_bytes)
        if (unit := leveling.differing_unit()) is not None:
            raise ended(unit, self.step)
        if not self._has_told_of_leveling:
            self._has_told_of_leveling = True
            what = f"after step {self.step} members' values differed within rounding"
            tell(
                f"session: {what}: all take over rank {source}'s, and will again where that is "
                "needed"
            )
        self._shared.settle()
        leveling.take_over()

    def _await_meeting(self) -> None:
        """Waits, before a generation's first sum, for its members to have met."""
        if self._meeting is None:
            return
        step = self.step
        self._end_meeting()
        if self.step != step:
            raise Outdated(
                "another member had moved on from the state that the turn was computed from"
            )

    def _move(self, *, is_exact: bool) -> None:
        """Keeps what was summed, and applies it here and on whoever follows this rank."""
        shared = self._shared
        self._guard.is_exposed = self._guard.is_moving = True
        self._buffers.keep(self.step + 1, is_exact=is_exact)
        for sender in (senders := shared.settle()):
            sender.gradients(
                self._buffers.flat(), self._buffers.offsets, self.step, is_exact=is_exact
            )
        self._buffers.hand_to(self._state, self.step)
        shared.step = shared.step + 1
        self._guard.is_moving = False
        for sender in senders:
            sender.next_chunk(self.step)

    def _change_over(self, generation: Round, *, is_planned: bool) -> None:
        """Changes over to what all ranks have agreed on, if it `is_planned`."""
        if self._adopted(generation):
            try:
                self._meet(generation, is_planned=is_planned)
            except GenerationLost:
                self._recover()

    def _adopted(self, generation: Round) -> bool:
        """Makes `generation` the current one; gives False where it has left this process out, as it
        asked."""
        self._guard.is_exposed = True
        self._shared.hand_over(generation)
        self._generation = generation
        self._shared.adopt(generation)
        self._has_left = generation.rank is None
        return not self._has_left

    def _meet(self, generation: Round, *, is_planned: bool) -> None:
        """Begins a generation. What all ranks have agreed on is met in while they compute its first
        turn: they know already that nobody lacks a step."""
        shared = self._shared
        if generation.group is None and shared.is_torn:
            raise SessionEnded(NOBODY_WHOLE)
        self._division = Division(self._batch, generation)
        self._meeting = None
        self._sums.begin(generation)
        if not is_planned:
            # Said before the meeting: members of an older generation must leave it to come here.
            self._demand(generation)
        if generation.group is not None:
            has_sums = self._buffers.holds(self.step)
            self._meeting = Meeting(
                generation,
                generation.group,
                self.step,
                is_torn=shared.is_torn,
                has_sums=has_sums,
                surprises=self._sums.surprises,
                is_exact=self._buffers.is_exact,
            )
        if not is_planned or self._meeting is None:
            self._end_meeting()

    def _end_meeting(self) -> None:
        """Waits for the members of the present generation, if that has not been done."""
        self._guard.is_exposed = True
        meeting = self._meeting
        self._meeting = None
        try:
            if meeting is not None:
                is_behind = meeting.end(self._buffers)
                self._sums.surprises = meeting.surprises
                if is_behind:
                    self._move(is_exact=meeting.is_exact)
        except TooOld:
            self._shared.tear()
            raise
        self._demand(self.generation)

    def _demand(self, generation: Round) -> None:
        """Tells the others that this process goes on in no older generation any more."""
        self._shared.need = generation.number
        self._membership.links.say(self._shared.status())

    def _recover(self) -> bool:
        """Waits for a generation after the lost one; False where this process had to start over, or
        has left."""
        while True:
            self._membership.lose()
            generation = self._shared.await_next()
            if generation is None:
                self._enter()
                return False
            if not self._adopted(generation):
                return False
            with contextlib.suppress(GenerationLost):
                self._meet(generation, is_planned=False)
                return True
