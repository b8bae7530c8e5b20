"""A session: members join, leave and crash while it trains, without a restart or a lost step."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from time import monotonic, sleep

from torch import Tensor

from elastic.durations import GLANCE_S
from elastic.worker import hook
from elastic.workloads.session.division import Division, Pace, Stopwatch, slice_of
from elastic.workloads.session.links import HangDetector
from elastic.workloads.session.membership import (
    COMPLETE,
    NOBODY_WHOLE,
    EndOfJob,
    OnRound,
    SessionEnded,
    SessionMember,
    SharedState,
)
from elastic.workloads.session.messages import tell
from elastic.workloads.session.rounds import Round, RoundLost, prepare_nccl
from elastic.workloads.session.settings import SessionSettings
from elastic.workloads.session.state import Apply, SessionTerms, State, StateCopy, require_whole
from elastic.workloads.session.turns import (
    Buffers,
    CommittedStep,
    Compute,
    ControlValues,
    GradientMessage,
    Leveling,
    Meeting,
    Outdated,
    RankValues,
    SessionStep,
    Sums,
    TooOld,
    TransactionGuard,
    ended,
    without_gradients,
)


class Session(contextlib.AbstractContextManager["Session"]):
    """This process's membership, from `join` to `close`.

    All methods but `leave` are called from the training thread.
    """

    def __init__(
        self,
        state: State,
        terms: SessionTerms,
        *,
        settings: SessionSettings,
        step: int,
        on_round: OnRound | None,
    ) -> None:
        self._state = state
        self._batch = terms.batch
        self._shared = SharedState(terms, step=step)
        self._pace = Pace()
        self._buffers = Buffers(state.parameters, terms.numbers)
        self._control = ControlValues(state)
        self._watch = Stopwatch.of(state.device)
        self._chunk_bytes = settings.chunk_bytes
        self._has_told_of_leveling = False
        self._hang_detector = HangDetector(settings.hang_s)
        self._has_left = False
        self._membership = SessionMember(
            settings, state, self._shared, self._hang_detector, on_round
        )
        self._end = EndOfJob(settings, self._shared, self._membership.links)
        abort = functools.partial(self.close, is_orderly=False)
        self._guard = TransactionGuard(self._shared, self._membership.lose, abort)
        self._sums = Sums(self._shared, self._guard, await_meeting=self._await_meeting, close=abort)
        self._division: Division
        self._round: Round | None = None
        self._meeting: Meeting | None = None
        # The round in which the last `run` committed its turn; None if it committed none.
        self.turned_in: Round | None = None
        # The round in which it last gave its part to the turn's sum.
        self._tried_in: Round | None = None

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
        on_round: OnRound | None = None,
    ) -> Session:
        """Joins the session, and returns as a member with the job's state.

        The first process founds the session with the state it has, after `step` commits. All others
        are brought up to date while the members train on. Warm up before: then no member waits for
        what is loaded and allocated.

        Args:
            units: For each gradient the live tensors that it moves: the parameter first, then for
                example its moments and its step count.
            apply: Moves the units by a step's gradients; nothing else may change them. A gradient
                of None leaves its unit alone. No unit may depend on another, and the gradients must
                stay as they are.
            batch: Samples a turn, over all ranks.
            settings: None reads them from the environment.
            step: The steps that the given state has behind it.
            steps: After how many steps the script ends the job. Members compare it; None: they do
                not.
            numbers: How many numbers of the job's own are summed with each turn.
            terms: Whatever else must be the same on all members: options, or a digest of them.
            on_round: Called with number and members of a round by the member that is about to
                publish it. An exception postpones the change.

        Raises SessionEnded if the job is complete, InvalidInput if an argument is wrong or differs
        from the members'.
        """
        require_whole("step", step, least=0)
        # Optimizer steps that only replay the members' steps are no turns.
        hook.worker().count_own_turns()
        state = State.of(units, apply)
        prepare_nccl(state.device)
        own = SessionTerms.of(state, batch=batch, steps=steps, numbers=numbers, terms=terms)
        settings = settings or SessionSettings.from_environment()
        session = cls(state, own, settings=settings, step=step, on_round=on_round)
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
        """Whether the job is complete, by `finish` or by `SessionEnded`."""
        return self._shared.is_finished or self._shared.end == COMPLETE

    @property
    def round(self) -> Round:
        """The round that this process trains in."""
        # Not the shared state's: that is gone as soon as the others continue without this process.
        assert self._round is not None
        return self._round

    @property
    def is_first(self) -> bool:
        return self.round.rank == 0

    @property
    def must_stop(self) -> bool:
        """Whether this process was asked to leave and is alone: keep the state, and end."""
        return self._shared.is_leaving and self.is_member and self.round.world_size == 1

    def run(self, compute: Compute) -> CommittedStep | None:
        """Runs one turn, as often as necessary, and commits it.

        `compute` returns this rank's part of the gradients, one for each unit, or None for zeros.
        The parts are of its samples' share of the global loss.

        `run` returns None in three cases. This process has left. Or it was left out and has joined
        again: look at `step` and `is_member`. Or the members' memories do not hold a batch: then it
        returns now and then while they wait for others.
        """
        self._shared.require_open()
        self.turned_in = self._tried_in = None
        step = self.step
        with self._guard:
            # Repeat the turn in the next round for as long as rounds are lost.
            while self.is_member:
                try:
                    self._shared.begin_turn()
                    if self._division.now:
                        outcome, change = self._one_turn(compute)
                    else:
                        outcome, change = self._one_pause()
                except Outdated:
                    return CommittedStep(self.step, self._buffers.own_numbers())
                except RoundLost:
                    if not self._recover():
                        return None
                    # Another member has committed the turn: do not repeat it.
                    if self.step != step:
                        return CommittedStep(self.step, self._buffers.own_numbers())
                    continue
                if change is not None:
                    self._change_over(change, is_planned=True)
                return outcome
        return None

    def leave(self) -> None:
        """Asks to leave at a step's end, without loss; any thread may call it.

        Call `run` until it has left.
        """
        self._shared.leave()

    def snapshot(self) -> StateCopy:
        """Returns a copy of the state between two turns.

        Raises InvalidInput if this process does not hold the job's state.
        """
        self._shared.require_whole()
        return StateCopy(self.step, self.round.number, self._state.copies())

    def digest(self) -> str:
        """Returns the SHA-256 over the state: the same on every rank after the same step."""
        return self._state.digest()

    def finish(self, keep: Callable[[], None] | None = None) -> bool:
        """Ends the job, and turns newcomers away. All members call it, after the same step.

        Before the end rank 0 calls `keep`, which returns once the state is durable, and the others
        wait for it. If rank 0 crashes, the next rank does it. Returns whether the job is complete.
        It is False if this process has left before, or was left out and has joined again: look at
        `step` and `is_member`, and go on. If the others end the job while a process continues, its
        `run` raises SessionEnded.
        """
        if self._shared.is_finished:
            return True
        self._shared.require_open()
        step = self.step
        end = self._end
        # Called once, even if the end has to be tried again.
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
        """Ends this process's part: once the others need nothing of it, or at once like a crash."""
        if self._shared.is_closed:
            return
        try:
            if is_orderly:
                with contextlib.suppress(RoundLost, Outdated):
                    self._await_meeting()
                self._end.linger()
        finally:
            self._shared.close()
            self._membership.end()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # After an error the others may be in a turn that waits for this process.
        self.close(is_orderly=kind is None)

    def _enter(self) -> None:
        """Waits until this process is a member of a round that works, or must leave without the
        state."""
        if (entry := self._shared.await_entry()) is None:
            self._has_left = True
        else:
            self._change_over(entry[0], is_planned=entry[1])

    def _one_turn(self, compute: Compute) -> tuple[CommittedStep | None, Round | None]:
        """Computes this rank's part, sums the gradients and moves the state.

        Nothing after the sum can fail.
        """
        shared = self._shared
        current = self.round
        share = slice_of(self._division.now, current.rank or 0)
        turn = SessionStep(
            self.step, self._batch, share, current, self._sums.own, watch=self._watch
        )
        self._sums.begin_turn(self.step)
        self._watch.begin()
        gradients = compute(turn)
        # `compute` has called `run` itself.
        if shared.step != turn.step:
            shared.refuse_run_within()
        # On a GPU the times of earlier turns may arrive only now.
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
        group = self.round.group
        is_aside = group is not None and group.has_gpus
        return self._buffers.fill(gradients, numbers, control, is_aside=is_aside)

    def _one_pause(self) -> tuple[CommittedStep | None, Round | None]:
        """Waits while the members' memories do not hold a batch; newcomers still get state."""
        sleep(GLANCE_S)
        _, change = self._exchanged(without_gradients, is_due=True)
        for sender in self._shared.followed():
            sender.next_chunk(self.step)
        return None, change

    def _meet_at_end(self) -> None:
        # Here a rank that lacks the last step gets it. Only then is it done.
        self._await_meeting()
        self._end.await_all()
        self._exchanged(without_gradients, is_due=True)

    def _exchanged(
        self, message_of: Callable[[Tensor], GradientMessage], *, is_due: bool = False
    ) -> tuple[RankValues, Round | None]:
        """Sums a message that ends with control values.

        Returns what these tell, and the round to change over to, if all are ready for it. The
        states are compared if a comparison `is_due`, or if the step has its turn.
        """
        # Do this before the message is filled in, because the last step's sums are sent through the
        # same buffer.
        self._await_meeting()
        shared = self._shared
        current = self.round
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
        if not is_due:
            self._tried_in = current
        (self._sums.apart if is_due else self._sums.last)(message.whole, message.aside)
        told = self._control.compared(message.control.tolist(), current)
        if told.source is not None:
            self._bring_level(current, told.source)
        return told, offered if told.is_agreed else None

    def _bring_level(self, round_: Round, source: int) -> None:
        """Takes over the state of rank `source`, as all ranks do.

        Raises SessionEnded if this rank's state really differs, RoundLost if another rank's does.
        """
        leveling = Leveling(self._state, round_, source, chunk_bytes=self._chunk_bytes)
        if (unit := leveling.differing_unit()) is not None:
            raise ended(unit, self.step)
        if not self._has_told_of_leveling:
            self._has_told_of_leveling = True
            what = f"after step {self.step} members' values differed within rounding"
            tell(f"session: {what}: all take over rank {source}'s, now and whenever needed")
        self._shared.settle()
        leveling.take_over()

    def _await_meeting(self) -> None:
        """Before a round's first sum: waits until its members have met."""
        if self._meeting is None:
            return
        step = self.step
        self._end_meeting()
        if self.step != step:
            raise Outdated(
                "another member had moved on from the state that the turn was computed from"
            )

    def _move(self, *, is_exact: bool) -> None:
        """Keeps the sums, and applies them here and on the newcomers that this process serves."""
        shared = self._shared
        self._guard.is_exposed = self._guard.is_moving = True
        self._buffers.keep(self.step + 1, is_exact=is_exact)
        # Newcomers get these sums for the state that they have received so far.
        for sender in (senders := shared.settle()):
            sender.gradients(
                self._buffers.flat(), self._buffers.offsets, self.step, is_exact=is_exact
            )
        self._buffers.hand_to(self._state, self.step)
        shared.step = shared.step + 1
        self._guard.is_moving = False
        for sender in senders:
            sender.next_chunk(self.step)

    def _change_over(self, round_: Round, *, is_planned: bool) -> None:
        """Changes over to a round, on which all ranks have agreed if it `is_planned`."""
        if self._adopted(round_):
            try:
                self._meet(round_, is_planned=is_planned)
            except RoundLost:
                self._recover()

    def _adopted(self, round_: Round) -> bool:
        """Makes `round` the current one; False if it leaves this process out, as that asked."""
        self._guard.is_exposed = True
        self._shared.hand_over(round_)
        self._round = round_
        self._shared.adopt(round_)
        self._has_left = round_.rank is None
        return not self._has_left

    def _meet(self, round_: Round, *, is_planned: bool) -> None:
        """Begins a round.

        In a planned round the members meet while they compute its first turn, because they know
        already that none lacks a step.
        """
        shared = self._shared
        if round_.group is None and shared.is_torn:
            raise SessionEnded(NOBODY_WHOLE)
        self._division = Division(self._batch, round_)
        self._meeting = None
        self._sums.begin(round_)
        if not is_planned:
            # Report this before the meeting: members of an older round must leave that one first.
            self._demand(round_)
        if round_.group is not None:
            # The first sum of the round runs while this rank computes its turn.
            has_sums = self._buffers.holds(self.step)
            self._meeting = Meeting(
                round_,
                round_.group,
                self.step,
                is_torn=shared.is_torn,
                has_sums=has_sums,
                surprises=self._sums.surprises,
                is_exact=self._buffers.is_exact,
            )
        if not is_planned or self._meeting is None:
            self._end_meeting()

    def _end_meeting(self) -> None:
        """Waits for the members of the present round, unless that has been done."""
        self._guard.is_exposed = True
        meeting = self._meeting
        self._meeting = None
        try:
            if meeting is not None:
                is_behind = meeting.end(self._buffers)
                self._sums.surprises = meeting.surprises
                if is_behind:
                    self._move(is_exact=meeting.is_exact)
                    # The others have turned in the round that this rank lost in the middle.
                    self.turned_in = self._tried_in
        except TooOld:
            self._shared.tear()
            raise
        self._demand(self.round)

    def _demand(self, round_: Round) -> None:
        """Tells the others that this process trains in no older round from now on."""
        self._shared.need = round_.number
        self._membership.links.say(self._shared.status())

    def _recover(self) -> bool:
        """Waits for a round after the lost one; False if this process had to join again, or has
        left."""
        while True:
            self._membership.lose()
            round_ = self._shared.await_next()
            if round_ is None:
                self._enter()
                return False
            if not self._adopted(round_):
                return False
            with contextlib.suppress(RoundLost):
                self._meet(round_, is_planned=False)
                return True
