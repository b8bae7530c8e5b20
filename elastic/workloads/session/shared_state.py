"""What the training thread and the membership thread leave for each other."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from time import monotonic
from typing import NoReturn

from elastic.errors import InvalidInput
from elastic.workloads.session.gloo import LEFT_OUT, GenerationLost
from elastic.workloads.session.links import Status
from elastic.workloads.session.messages import tell
from elastic.workloads.session.round import Round
from elastic.workloads.session.state_sender import StateSender
from elastic.workloads.session.terms import SessionTerms
from elastic.workloads.session.transfer import StateReceiver

COMPLETE = "the job is complete"
CLOSED = "this session is closed: run and finish belong into its with block"
FINISHED = "this session's job is complete, as finish has said: no turn comes after that, end the loop there"
NOBODY_WHOLE = "no process with the job's whole state is left; start again from a checkpoint"
OVER = "for another member the job is over after step {}, and this one goes on: give all of them one number of steps"
HALF_MOVED = (
    "apply has failed on gradients that members sent: the state held here is no state of the job"
)
# how long a newcomer that is behind may put off the change before training waits for it, or drops
# it
LEVEL_S = 3.0
UNSURE_S = 1.0
RETIRED_S = 2.0


class SessionEnded(Exception):
    """This process can be no member: the job is complete, or its state is lost with all who had
    it."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.is_complete = why == COMPLETE


@dataclass(slots=True)
class SharedState:
    """Shared under `changed`; `stirred` counts what has changed. `current` is trained in, `offered`
    is built and may be changed over to. `is_lost` says that the current generation's collectives
    have failed, since `lost_s`; `cost` is this rank's seconds a sample; `turning` the steps after
    which the last turn was begun, `ending` those after which the job is over for the training
    thread; `seen` the round that the store shows, 0 where none answers; `is_torn` says that the
    state held here is no state of the job; `is_entering` that the training thread waits to come in;
    `end` why no generation can come any more; `misfit` why this process cannot train with the
    members; `is_finished` that `finish` has said that the job is complete.
    """

    terms: SessionTerms
    changed: threading.Condition = field(default_factory=threading.Condition)
    stirred: int = 0
    current: Round | None = None
    offered: Round | None = None
    offered_s: float = 0.0
    offered_step: int = 0
    is_lost: bool = False
    lost_s: float = 0.0
    is_leaving: bool = False
    is_torn: bool = False
    must_start_over: bool = False
    is_entering: bool = False
    is_closed: bool = False
    is_finished: bool = False
    step: int = 0
    need: int = 0
    cost: float = 0.0
    turning: int | None = None
    ending: int | None = None
    seen: int = 0
    senders: list[StateSender] = field(default_factory=list)
    parting: list[StateSender] = field(default_factory=list)
    receiver: StateReceiver | None = None
    end: str | None = None
    misfit: InvalidInput | None = None
    retired: list[tuple[float, Round]] = field(default_factory=list)

    def require_open(self) -> None:
        """Raises InvalidInput once the script has ended this process's part, SessionEnded where the
        session did."""
        if self.is_closed and self.end is not None and not self.is_finished:
            raise SessionEnded(self.end)
        if self.is_closed or self.is_finished:
            raise InvalidInput(CLOSED if self.is_closed else FINISHED, field="session")

    def require_whole(self) -> None:
        """Raises InvalidInput where the state held here is none of the job's."""
        if self.is_torn or self.end == HALF_MOVED:
            raise InvalidInput(
                "snapshot: wanted the state after a whole turn, found one that was broken off as "
                "apply moved it; go on "
                "with run, which has it sent anew where others have it, or start again from the "
                "last checkpoint",
                field="session",
            )

    def refuse_run_within(self) -> NoReturn:
        """Raises InvalidInput for a turn that was done while its gradients were computed."""
        raise InvalidInput(
            "compute: wanted one turn's gradients, found that turn done meanwhile: call run after "
            "compute, not within, "
            "and let pass what turn.all_reduce and turn.summed raise",
            field="compute",
        )

    def status(self) -> Status:
        """Gives what the other members are told."""
        current = self.current
        begun = 0
        if current is not None and current.group is not None:
            begun = current.group.begun
        # Who waits for the others at the job's end waits as in a sum: they are late if they do not
        # come.
        begun += self.ending == self.step
        number = current.number if current is not None else 0
        return Status(number, self.step, self.need, begun, self.ending, self.seen)

    def outlasts(self, other: Status) -> bool:
        """Whether the job is over for another member, and this one is in a turn that begins where
        that one ended."""
        return other.ending is not None and other.ending == other.step == self.step == self.turning

    def present(self) -> tuple[str, ...]:
        """Gives the members of the generation that goes on now, nobody where none does."""
        if self.current is None or self.is_lost:
            return ()
        return self.current.members

    def begin_turn(self) -> None:
        """Raises GenerationLost where the current generation's collectives have failed."""
        self.turning = self.step
        if self.is_lost:
            raise GenerationLost(LEFT_OUT)

    def hold_to(self, generation: Round) -> None:
        """Raises GenerationLost where nothing may be committed in `generation` any more: who trains
        alone has no connections that would end."""
        if self.current is not generation or self.is_lost:
            raise GenerationLost(LEFT_OUT)

    def offer(self, generation: Round) -> None:
        """Puts a generation where the training thread finds it."""
        with self.changed:
            self.offered = generation
            self.offered_s = monotonic()
            self.offered_step = self.step
            self._stir()

    def await_entry(self) -> tuple[Round, bool] | None:
        """Waits for a first generation, and moves the state that comes meanwhile; gives that
        generation, and whether its members have agreed on it with this newcomer; None where this
        process is to leave.

        Raises SessionEnded, InvalidInput where the members train on other terms, and what `apply`
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
                    if (receiver := self.receiver) is None or not receiver.is_due:
                        self.changed.wait(1.0)
                        continue
                try:
                    receiver.move()
                except BaseException:
                    self.end = (
                        HALF_MOVED  # whoever goes on all the same must not move all of it once more
                    )
                    raise
        finally:
            self.is_entering = False

    def await_next(self) -> Round | None:
        """Waits for a generation after the current one; None where this process must start over.

        Raises SessionEnded. Who must and is to leave waits for no store.
        """
        with self.changed:
            while self.current is not None and not (self.must_start_over and self.is_leaving):
                if self.end is not None:
                    raise SessionEnded(self.end)
                if self.offered is not None and self.offered.number > self.current.number:
                    return self.offered
                self.changed.wait(1.0)
            return None

    def withdraw(self) -> None:
        """Takes back what was offered."""
        with self.changed:
            self.offered = None

    def lose(self) -> None:
        """Says that the current generation cannot go on."""
        with self.changed:
            if not self.is_lost:
                self.is_lost = True
                self.lost_s = monotonic()
            if self.current is not None:
                self.need = max(self.need, self.current.number + 1)
            self._stir()

    def adopt(self, generation: Round) -> None:
        """Makes a generation the current one. Raises SessionEnded."""
        with self.changed:
            if self.end is not None:
                raise SessionEnded(self.end)
            if self.current is not None:
                self.retired.append((monotonic(), self.current))
            self.current = generation
            self.is_lost = False
            if self.offered is generation:
                self.offered = None
            self._stir()

    def followed(self) -> list[StateSender]:
        """Gives the newcomers that this process brings up to date."""
        with self.changed:
            return list(self.senders)

    def follows_unlike(self) -> bool:
        """Whether this process brings a newcomer up to date that calculates otherwise."""
        if not self.senders:
            return False  # at nearly every step; to one that comes just now nothing is sent yet
        return any(each.is_unlike for each in self.followed())

    def settle(self) -> list[StateSender]:
        """Says that state and last sums are about to change: whoever is owed copies of them gets
        these first.

        Gives the newcomers that this process brings up to date.
        """
        if not (self.senders or self.parting):
            return []  # at nearly every step; to one that comes just now nothing is owed
        with self.changed:
            senders = list(self.senders)
            parting = self.parting
            self.parting = []
        for sender in (*senders, *parting):
            sender.settle()
        return senders

    def ready(self) -> Round | None:
        """Gives the generation that this rank can change over to: nobody whom it brings up to date
        is far behind."""
        offered = self.offered
        if offered is None:
            return None  # at nearly every step; one that comes just now is for the next
        with self.changed:
            since_s = self.offered_s
            senders = list(self.senders)
        awaited = [
            each for each in senders if each.is_received and each.newcomer in offered.members
        ]
        is_late = monotonic() - since_s > LEVEL_S
        # Of all, though one is enough: whoever is not level by then is dropped with it, and not one
        # in each next round.
        are_level = [
            each.await_level(self.step) if is_late else each.is_level(self.step) for each in awaited
        ]
        return offered if all(are_level) else None

    def hand_over(self, generation: Round) -> None:
        """Lets the newcomers that a generation counts in go: from this step on they are members of
        it, if they have all state; who has another source hears it from that one."""
        with self.changed:
            for sender in self.senders:
                if sender.newcomer in generation.members:
                    if sender.is_complete:
                        sender.adopt(generation.number, self.step)
                    else:
                        sender.end()
                    self.parting.append(sender)
            self.senders[:] = [
                each for each in self.senders if each.newcomer not in generation.members
            ]

    def let_go(self) -> None:
        """Lets go of the newcomers that this process brings up to date: another is to."""
        with self.changed:
            for sender in self.senders:
                sender.end()
            self.parting += self.senders
            self.senders.clear()

    def tidy(self) -> None:
        """Lets go of old process groups: their end takes milliseconds."""
        with self.changed:
            kept = [each for each in self.retired if monotonic() - each[0] < RETIRED_S]
            dropped = self.retired[: len(self.retired) - len(kept)]
            self.retired[:] = kept
        dropped.clear()

    def close(self) -> None:
        """Says that this process's part is over."""
        with self.changed:
            self.is_closed = True
            for sender in self.senders:
                sender.end()
            if self.receiver is not None:
                self.receiver.close()
            self._stir()

    def tear(self) -> None:
        """Says that the state held here is too old, and to be had anew."""
        with self.changed:
            self.is_torn = self.must_start_over = True

    def start_over(self) -> None:
        """Forgets all that belongs to the name that this process gives up."""
        with self.changed:
            if self.current is not None:
                tell(
                    f"session: the others go on without this process after its step {self.step}; "
                    "it comes in anew"
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
        """Says that this process is to leave."""
        with self.changed:
            self.is_leaving = True
            self._stir()

    def notify(self) -> None:
        """Wakes whoever waits for a change."""
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
        if receiver.adopted is not None and offered.number >= receiver.adopted:
            self.step = receiver.step
            self.is_torn = receiver.is_torn
            return offered, offered.number == receiver.adopted
        # The round that a source counted it in may be the next to go, where that source has just
        # ended: its members would be called into it for nothing.
        is_sure = self.offered_s > receiver.ended_s or monotonic() - receiver.ended_s > UNSURE_S
        if receiver.adopted is None and not receiver.is_streaming and is_sure:
            if receiver.is_touched:
                self.step = receiver.step
                self.is_torn = receiver.is_torn
            return offered, False
        return None
