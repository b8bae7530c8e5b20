"""What the training thread and the membership thread share."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from time import monotonic
from typing import NoReturn

from elastic.durations import END_GRACE_S, LOOK_S, MOMENT_S
from elastic.errors import InvalidInput
from elastic.workloads.session.links import Status
from elastic.workloads.session.messages import tell
from elastic.workloads.session.rounds import LEFT_OUT, Round, RoundLost
from elastic.workloads.session.state import SessionTerms, StateReceiver, StateSender

COMPLETE = "the job is complete"
CLOSED = "this session is closed: run and finish belong into its with block"
FINISHED = "this session's job is complete: after finish returns True no turn comes, end the loop"
NOBODY_WHOLE = "no process with the job's whole state is left; start again from a checkpoint"
OVER = (
    "for another member the job is over after step {}, but this one continues: give all members "
    "the same number of steps"
)
HALF_MOVED = (
    "apply failed on gradients that members sent: this process no longer has the job's state"
)
# How long a newcomer that is behind may delay a change before training waits for it, or drops it.
LEVEL_S = 3.0


class SessionEnded(Exception):
    """This process cannot be a member: the job is complete, or its state is lost."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.is_complete = why == COMPLETE


@dataclass(slots=True)
class SharedState:
    """What both threads read and write, under the lock of `changed`."""

    terms: SessionTerms
    changed: threading.Condition = field(default_factory=threading.Condition)
    # Counts the changes.
    stirred: int = 0
    # The round that is trained in.
    current: Round | None = None
    # The round that is built, and may be changed over to.
    offered: Round | None = None
    offered_s: float = 0.0
    offered_step: int = 0
    # Whether the current round's collectives have failed, and since when.
    is_lost: bool = False
    lost_s: float = 0.0
    is_leaving: bool = False
    # Whether this process does not hold the job's state.
    is_torn: bool = False
    must_start_over: bool = False
    # Whether the training thread waits to join.
    is_entering: bool = False
    is_closed: bool = False
    # Whether `finish` has found the job complete.
    is_finished: bool = False
    step: int = 0
    # This process trains in no round with a lower number.
    need: int = 0
    # This rank's seconds a sample.
    cost: float = 0.0
    # The steps after which the last turn began.
    turning: int | None = None
    # The steps after which the job is over for the training thread.
    ending: int | None = None
    # The round that the store shows, 0 without an answer.
    seen: int = 0
    senders: list[StateSender] = field(default_factory=list)
    # Senders of newcomers that have become members, or have been given up.
    parting: list[StateSender] = field(default_factory=list)
    receiver: StateReceiver | None = None
    # Why there will be no further round.
    end: str | None = None
    # Why this process cannot train with the members.
    misfit: InvalidInput | None = None
    # Old rounds and when they ended: dropping a process group takes milliseconds.
    retired: list[tuple[float, Round]] = field(default_factory=list)

    def require_open(self) -> None:
        """Raises InvalidInput if the script has ended its part, SessionEnded if the session did."""
        if self.is_closed and self.end is not None and not self.is_finished:
            raise SessionEnded(self.end)
        if self.is_closed or self.is_finished:
            raise InvalidInput(CLOSED if self.is_closed else FINISHED, field="session")

    def require_whole(self) -> None:
        """Raises InvalidInput if this process does not hold the job's state."""
        if self.is_torn or self.end == HALF_MOVED:
            raise InvalidInput(
                "snapshot: wanted the state after a whole turn, found one that stopped while apply "
                "moved it. Call run, which gets it from other members again, or start again from "
                "the last checkpoint",
                field="session",
            )

    def refuse_run_within(self) -> NoReturn:
        """Raises InvalidInput for a turn that was committed while its gradients were computed."""
        raise InvalidInput(
            "compute: wanted one turn's gradients, found that turn done meanwhile: call run after "
            "compute, not inside it, and do not catch what turn.all_reduce and turn.summed raise",
            field="compute",
        )

    def status(self) -> Status:
        """Returns what the other members are sent."""
        current = self.current
        begun = 0
        if current is not None and current.group is not None:
            begun = current.group.begun
        # A rank that waits for the others at the job's end waits as in a sum: they are late if they
        # do not come.
        begun += self.ending == self.step
        number = current.number if current is not None else 0
        return Status(number, self.step, self.need, begun, self.ending, self.seen)

    def outlasts(self, other: Status) -> bool:
        """Whether the job is over for another member, while this one is in the turn after that."""
        return other.ending is not None and other.ending == other.step == self.step == self.turning

    def present(self) -> tuple[str, ...]:
        """Returns the members of the round that trains now; none if it is lost."""
        return () if self.current is None or self.is_lost else self.current.members

    def begin_turn(self) -> None:
        """Raises RoundLost if the current round's collectives have failed."""
        self.turning = self.step
        if self.is_lost:
            raise RoundLost(LEFT_OUT)

    def hold_to(self, round_: Round) -> None:
        """Raises RoundLost if nothing may be committed in `round` any more.

        A process that trains alone has no connections whose end would say so.
        """
        if self.current is not round_ or self.is_lost:
            raise RoundLost(LEFT_OUT)

    def offer(self, round_: Round) -> None:
        """Puts a round where the training thread finds it."""
        with self.changed:
            self.offered = round_
            self.offered_s = monotonic()
            self.offered_step = self.step
            self._stir()

    def await_entry(self) -> tuple[Round, bool] | None:
        """Waits for a first round, and applies the state that arrives meanwhile.

        Returns that round, and whether its members agreed on it with this newcomer; None if this
        process must leave.

        Raises SessionEnded, InvalidInput if the members train on other terms, and what `apply`
        raises.
        """
        self.settle()
        self.is_entering = True
        self.notify()
        try:
            while True:
                with self.changed:
                    if self.end is not None:
                        raise SessionEnded(self.end)
                    if self.misfit is not None:
                        raise self.misfit
                    if (found := self._entry()) is not None:
                        return found
                    if self.is_leaving:
                        return None
                    # Nothing has arrived: wait for a change.
                    if (receiver := self.receiver) is None or not receiver.is_due:
                        # A change wakes this thread. The look is for what a dying one did not
                        # report.
                        self.changed.wait(LOOK_S)
                        continue
                try:
                    receiver.move()
                except BaseException:
                    # A script may catch this and go on. It must not apply the gradients twice.
                    self.end = HALF_MOVED
                    raise
        finally:
            self.is_entering = False

    def await_next(self) -> Round | None:
        """Waits for a round after the current one; None if this process must join again.

        Raises SessionEnded. A process that must both join again and leave does not wait for a
        store.
        """
        with self.changed:
            while self.current is not None and not (self.must_start_over and self.is_leaving):
                if self.end is not None:
                    raise SessionEnded(self.end)
                if self.offered is not None and self.offered.number > self.current.number:
                    return self.offered
                self.changed.wait(LOOK_S)
            return None

    def withdraw(self) -> None:
        """Withdraws the offer."""
        with self.changed:
            self.offered = None

    def lose(self) -> None:
        """Says that the current round cannot go on."""
        with self.changed:
            if not self.is_lost:
                self.is_lost = True
                self.lost_s = monotonic()
            if self.current is not None:
                self.need = max(self.need, self.current.number + 1)
            self._stir()

    def adopt(self, round_: Round) -> None:
        """Makes a round the current one. Raises SessionEnded."""
        with self.changed:
            if self.end is not None:
                raise SessionEnded(self.end)
            if self.current is not None:
                self.retired.append((monotonic(), self.current))
            self.current = round_
            self.is_lost = False
            if self.offered is round_:
                self.offered = None
            self._stir()

    def followed(self) -> list[StateSender]:
        """Returns the senders to the newcomers that this process serves."""
        with self.changed:
            return list(self.senders)

    def follows_unlike(self) -> bool:
        """Whether this process serves a newcomer that calculates differently."""
        if not self.senders:
            return False  # at nearly every step, without the lock; new ones got nothing yet
        return any(each.is_unlike for each in self.followed())

    def settle(self) -> list[StateSender]:
        """Makes owed copies before the state and the last sums change.

        Returns the senders to the newcomers that this process serves.
        """
        if not (self.senders or self.parting):
            return []  # at nearly every step, without the lock; new ones are owed nothing yet
        with self.changed:
            senders = list(self.senders)
            parting = self.parting
            self.parting = []
        for sender in (*senders, *parting):
            sender.settle()
        return senders

    def ready(self) -> Round | None:
        """Returns the round that this rank can change over to, once no newcomer that it serves is
        far behind."""
        offered = self.offered
        if offered is None:
            return None  # at nearly every step, without the lock; a new offer is for the next step
        with self.changed:
            since_s = self.offered_s
            senders = list(self.senders)
        # Only newcomers that this process serves, and that the round counts in.
        awaited = [
            each for each in senders if each.is_received and each.newcomer in offered.members
        ]
        is_late = monotonic() - since_s > LEVEL_S
        # Ask all of them, though one would be enough. Then all that are not level by now are
        # dropped together, not one in each round.
        are_level = [
            each.await_level(self.step) if is_late else each.is_level(self.step) for each in awaited
        ]
        return offered if all(are_level) else None

    def hand_over(self, round_: Round) -> None:
        """Ends the service of the newcomers that a round counts in: from this step on they are
        members.

        That needs all of the state. A newcomer with another source is told by that source.
        """
        with self.changed:
            for sender in self.senders:
                if sender.newcomer in round_.members:
                    if sender.is_complete:
                        sender.adopt(round_.number, self.step)
                    else:
                        sender.end()
                    self.parting.append(sender)
            self.senders[:] = [each for each in self.senders if each.newcomer not in round_.members]

    def let_go(self) -> None:
        """Drops the newcomers that follow this process: another member must serve them."""
        with self.changed:
            for sender in self.senders:
                sender.end()
            self.parting += self.senders
            self.senders.clear()

    def tidy(self) -> None:
        """Drops old process groups: their end takes milliseconds."""
        with self.changed:
            kept = [each for each in self.retired if monotonic() - each[0] < END_GRACE_S]
            dropped = self.retired[: len(self.retired) - len(kept)]
            self.retired[:] = kept
        dropped.clear()

    def close(self) -> None:
        """Notes that this process's part is over."""
        with self.changed:
            self.is_closed = True
            for sender in self.senders:
                sender.end()
            if self.receiver is not None:
                self.receiver.close()
            self._stir()

    def tear(self) -> None:
        """Notes that the state held here is too old, and must be received again."""
        with self.changed:
            self.is_torn = self.must_start_over = True

    def start_over(self) -> None:
        """Forgets all that belongs to the name that this process gives up."""
        with self.changed:
            if self.current is not None:
                tell(
                    "session: the others continue without this process after its step "
                    f"{self.step}; it joins again"
                )
            self.let_go()
            if self.receiver is not None:
                self.receiver.close()
            self.receiver = None
            self.current = None
            self.offered = None
            self.is_lost = True
            self.need = 0
            self.is_torn = True
            self.must_start_over = False
            self._stir()

    def leave(self) -> None:
        """Notes that this process must leave."""
        with self.changed:
            self.is_leaving = True
            self._stir()

    def notify(self) -> None:
        """Wakes the threads that wait for a change."""
        with self.changed:
            self._stir()

    def _stir(self) -> None:
        self.stirred += 1
        self.changed.notify_all()

    def _entry(self) -> tuple[Round, bool] | None:
        receiver = self.receiver
        offered = self.offered
        if receiver is None or offered is None or offered.rank is None:
            return None
        # A member has counted this newcomer in, so its state is complete.
        if receiver.adopted is not None and offered.number >= receiver.adopted:
            self.step = receiver.step
            self.is_torn = receiver.is_torn
            return offered, offered.number == receiver.adopted
        # A source that has just ended may have counted this newcomer in a round that ends next. It
        # would then call the members into that round for nothing.
        is_sure = self.offered_s > receiver.ended_s or monotonic() - receiver.ended_s > MOMENT_S
        if receiver.adopted is None and not receiver.is_streaming and is_sure:
            if receiver.is_touched:
                self.step = receiver.step
                self.is_torn = receiver.is_torn
            return offered, False
        return None
