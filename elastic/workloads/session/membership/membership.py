"""The thread that keeps a process's membership: it looks at the store, decides and publishes.

It is level-triggered: each look takes in everything again. If the store does not answer, it keeps
trying, and training continues as long as no member is lost.
"""

from __future__ import annotations

import json
import threading
from time import monotonic

from elastic.durations import GLANCE_S, LOOK_S, MOMENT_S, RETRY_S, SELDOM_S, SPIN_S
from elastic.errors import InvalidInput
from elastic.liveness import ROUND_BOUNDS, LifeSign
from elastic.rendezvous import CALL_TIMEOUT_S, Address, StoreLost
from elastic.workloads.session.links import HangDetector, Links
from elastic.workloads.session.membership.building import Builder
from elastic.workloads.session.membership.newcomers import Reception
from elastic.workloads.session.membership.recording import OnRound, recorder
from elastic.workloads.session.membership.shared_state import (
    COMPLETE,
    LEVEL_S,
    NOBODY_WHOLE,
    OVER,
    SharedState,
)
from elastic.workloads.session.membership.store_lag import StoreLag, blind, is_alone_blind
from elastic.workloads.session.membership.thread_group import ThreadGroup
from elastic.workloads.session.membership.waiting import WaitLog, awaited
from elastic.workloads.session.rendezvous import (
    DONE,
    Entrance,
    MemberView,
    Move,
    StoreRendezvous,
    View,
    alive,
    decide,
    machine,
    placed,
)
from elastic.workloads.session.rounds import Gpu, Round
from elastic.workloads.session.settings import SessionSettings
from elastic.workloads.session.state import State, StateReceiver

# The longest call to a store that is frozen, and some more.
LAST_CALL_S = 2 * CALL_TIMEOUT_S + MOMENT_S


class SessionMember(threading.Thread):
    """Handles the store and the links for one process."""

    def __init__(
        self,
        settings: SessionSettings,
        state: State,
        shared: SharedState,
        hang_detector: HangDetector,
        on_round: OnRound | None,
    ) -> None:
        super().__init__(name="session-membership", daemon=True)
        self.links = Links(
            settings.job,
            settings.credential(),
            silence_s=settings.silence_s,
            notify=shared.notify,
        )
        self._settings = settings
        self._state = state
        self._shared = shared
        self._record = recorder(on_round, present=shared.present)
        self._reception = Reception(settings, state, shared)
        self._threads = ThreadGroup()
        self._rendezvous: StoreRendezvous | None = None
        self._name = ""
        self._addresses: dict[str, tuple[Address, Address]] = {}
        self._hang_detector = hang_detector
        self._store_lag = StoreLag()
        self._gpu = Gpu(state.device)
        self._waiting_for_store = WaitLog()
        self._waiting = WaitLog()
        self._hung: frozenset[str] = frozenset()
        self._unseeing: frozenset[str] = frozenset()
        self._builder: Builder | None = None
        self._known: tuple[int, tuple[str, ...]] = (0, ())
        self._entrance: Entrance | None = None
        self._beat_s = self._named_s = 0.0

    def run(self) -> None:
        try:
            while not self._shared.is_closed:
                self.links.check()
                stirred = self._shared.stirred
                wait_s = self._looked()
                with self._shared.changed:
                    self._shared.changed.wait(wait_s if self._shared.stirred == stirred else SPIN_S)
        # Whatever it is: without membership no process may train, or wait for ever.
        except BaseException as error:
            self._shared.end = f"membership has failed: {error!r}"
            self.lose()
            raise
        finally:
            self.links.close()
            if self._builder is not None:
                self._builder.cancel()

    def end(self) -> None:
        """Waits a while for this process's threads, once the shared state is closed."""
        self.join(timeout=LAST_CALL_S)
        self._threads.join(timeout_s=LAST_CALL_S)
        self._reception.end()

    def lose(self) -> None:
        """Says that the current round cannot go on."""
        shared = self._shared
        if shared.current is not None and shared.current.group is not None:
            shared.current.group.cut()
        shared.lose()
        self.links.say(shared.status())

    def _looked(self) -> float:
        """Looks once, if the store answers; returns how long to wait before the next look."""
        try:
            wait_s = self._once()
            self._waiting_for_store.ends()
            return wait_s
        except StoreLost as error:
            self._rendezvous = None
            self._unseeing = frozenset()
            where = f"ELASTICD_SESSION_STORE is {self._settings.store!r}"
            self._waiting_for_store.goes_on(f"{error} ({where})", now_s=monotonic())
            self._heed_peers()
            waited = LifeSign(self._waiting_for_store.lasted_s(now_s=monotonic()))
            is_long = ROUND_BOUNDS.stalled.is_over(waited)
            if is_long and is_alone_blind(self._shared.status(), self.links.statuses()):
                # Let newcomers go: only a member that sees them in the store can admit them.
                self._shared.let_go()
            return RETRY_S
        except InvalidInput as error:
            self._turn_back(error)
            return RETRY_S

    def _once(self) -> float:
        if not (self._name or self._shared.is_entering):
            # The members overwrite a newcomer's state. That must wait until no turn of its own may
            # still read it.
            return RETRY_S  # unless the training thread wakes this one
        rendezvous, view = self._store()
        if view.is_closed and self._shared.current is None:
            self._shared.end = COMPLETE
            self._shared.notify()
            return RETRY_S
        self._shared.tidy()
        if self._shared.must_start_over:
            self._start_over()
            return SPIN_S
        if self._name in view.participants:
            self._known = (view.round, view.participants)
        # A process that was ever a member keeps the membership; any other tries to join.
        if self._known[0]:
            self._live(rendezvous)
            self._reach(rendezvous, view)
            self._unseeing = self._store_lag.unseeing(
                self._shared, view, self.links.statuses(), now_s=monotonic()
            )
            self._heed_peers()
            self._act(rendezvous, view)
        else:
            self._come_in(rendezvous, view)
        # Say what this process waits for, if it has waited for long.
        why = awaited(self._shared, view, name=self._name, units=len(self._state.units))
        if why is not None:
            unreached = None
            if self._entrance is not None and self._shared.is_entering:
                unreached = self._entrance.unreached
            self._waiting.goes_on(
                why if unreached is None else f"waiting to join: {unreached}", now_s=monotonic()
            )
        else:
            self._waiting.ends()
        if self._builder is not None or self._shared.is_lost:
            return SPIN_S
        if view.waiting or self._shared.is_leaving:
            return GLANCE_S
        # A newcomer is found at most this much later, and no member waits for it. Each look costs
        # cold caches.
        return LOOK_S

    def _store(self) -> tuple[StoreRendezvous, View]:
        """Returns the store and what it shows. Raises StoreLost."""
        try:
            if self._rendezvous is None or self._is_replaced(self._rendezvous):
                self._rendezvous = self._connected()
            view = self._rendezvous.look()
        except StoreLost:
            self._shared.seen = 0
            raise
        self._shared.seen = view.round
        return self._rendezvous, view

    def _is_replaced(self, rendezvous: StoreRendezvous) -> bool:
        """Whether another store is named now.

        A replaced store may come back to life, and its members would then form a group of their
        own.
        """
        if (now_s := monotonic()) - self._named_s < LOOK_S:
            return False
        self._named_s = now_s
        return self._settings.address() not in ("", rendezvous.address)

    def _live(self, rendezvous: StoreRendezvous) -> None:
        """Shows newcomers that cannot reach this process that it is alive."""
        if (now_s := monotonic()) - self._beat_s > SELDOM_S:
            rendezvous.tell(alive(self._name), f"{now_s}")
            rendezvous.tell(DONE, f"{self._shared.step}")
            self._beat_s = now_s

    def _come_in(self, rendezvous: StoreRendezvous, view: View) -> None:
        shared = self._shared
        receiver = self._shared.receiver
        assert self._entrance is not None and receiver is not None
        if (
            receiver.is_touched
            and not receiver.is_streaming
            and (shared.is_torn, shared.step) != (receiver.is_torn, receiver.step)
        ):
            shared.is_torn = receiver.is_torn
            shared.step = receiver.step
            self._introduce(rendezvous)
        if receiver.misfit is not None:
            raise receiver.misfit
        if not self._entrance.step(rendezvous, view, is_served=receiver.is_streaming):
            shared.end = NOBODY_WHOLE
            shared.notify()

    def _turn_back(self, misfit: InvalidInput) -> None:
        """Tells the training thread that this process cannot train with the members.

        They continue without it.
        """
        self._shared.misfit = misfit
        self._shared.notify()

    def _connected(self) -> StoreRendezvous:
        shared = self._shared
        settings = self._settings = self._settings if self._name else placed(self._settings)
        rendezvous = StoreRendezvous(
            settings.address(),
            settings.job,
            settings.host,
            credential=settings.credential(),
            name=self._name or None,
        )
        if not self._name:
            self._name = rendezvous.name
            self.links.begin(self._name, settings.host)
            brought = 0 if shared.is_torn else shared.step
            shared.receiver = StateReceiver(
                settings.host,
                self._state,
                job=settings.job,
                credential=settings.credential(),
                terms=shared.terms,
                changed=shared.notify,
                brought=brought,
            )
            shared.receiver.start()
            self._entrance = Entrance(
                self._name, shared.terms, self._record, founding_s=settings.founding_s
            )
        self._introduce(rendezvous)
        return rendezvous

    def _introduce(self, rendezvous: StoreRendezvous) -> None:
        settings = self._settings
        shared = self._shared
        assert shared.receiver is not None
        about = {
            "host": settings.host,
            "link": self.links.port,
            "inlet": shared.receiver.port,
            "step": shared.step,
        }
        state = {"is_torn": shared.is_torn, "terms": shared.terms.as_dict()}
        rendezvous.tell(f"node/{self._name}", json.dumps({**about, **state, "machine": machine()}))

    def _act(self, rendezvous: StoreRendezvous, view: View) -> None:
        if (
            self._builder is not None
            and self._builder.misfit is not None
            and self._shared.current is None
        ):
            raise self._builder.misfit
        verdict = decide(self._sight(rendezvous, view))
        match verdict.move:
            case Move.REJOIN:
                self._start_over()
            case Move.PUBLISH:
                if self._record is not None:
                    self._record(verdict.number, verdict.members)
                rendezvous.publish(view, verdict.members, number=verdict.number)
            case Move.HOLD:
                self._build(view)
                self._receive(rendezvous, view)

    def _sight(self, rendezvous: StoreRendezvous, view: View) -> MemberView:
        has_forgotten = view.round < self._known[0]
        return MemberView(
            self._name,
            view.round,
            view.participants,
            *self._known,
            floor=rendezvous.floor() if has_forgotten else 0,
            registered=rendezvous.registered() if has_forgotten else 0,
            trained=() if self._shared.current is None else self._shared.current.members,
            is_leaving=self._shared.is_leaving,
            is_stuck=self._is_stuck(view),
            gone=self.links.gone() | self._hung | self._unseeing | self._reception.lost(view),
            arrived=self._reception.arrived(view),
        )

    def _is_stuck(self, view: View) -> bool:
        shared = self._shared
        builder = self._builder
        if builder is not None and builder.number == view.round and builder.result is None:
            # A call to a store and a meeting of members take this long at most. The next attempt
            # asks again.
            is_late = monotonic() - builder.began_s > 2 * CALL_TIMEOUT_S
            return builder.has_failed or is_late
        is_newest = shared.current is not None and shared.current.number == view.round
        return shared.is_lost and is_newest and monotonic() - shared.lost_s > RETRY_S

    def _build(self, view: View) -> None:
        """Has the newest round built, and offers it once it is."""
        shared = self._shared
        builder = self._builder
        # The round that this process trains in; an older one need not be built.
        newest = shared.current.number if shared.current is not None else 0
        # Drop what was built or offered for an older round.
        if builder is not None and builder.number != view.round:
            builder.cancel()
            builder = self._builder = None
        if shared.offered is not None and shared.offered.number != view.round:
            shared.withdraw()
        if view.round <= newest or (
            shared.offered is not None and shared.offered.number == view.round
        ):
            return
        if self._name not in view.participants:
            shared.offer(Round.without(view.round, view.participants))
        elif builder is None:
            self._builder = Builder(
                view,
                self._name,
                settings=self._settings,
                terms=shared.terms,
                gpu=self._gpu,
                cost=shared.cost,
                is_new=shared.current is None,
                changed=shared.notify,
            )
            self._threads.start(self._builder)
        elif builder.result is not None:
            shared.offer(builder.result)
            self._builder = None

    def _receive(self, rendezvous: StoreRendezvous, view: View) -> None:
        unseeing = blind(self.links.statuses())
        refused = self._reception.serve(
            self._name, view, lambda name: self._place(rendezvous, name), blind=unseeing
        )
        if refused:
            rendezvous.strike(refused)

    def _reach(self, rendezvous: StoreRendezvous, view: View) -> None:
        current = self._shared.current
        names = {*view.participants, *(current.members if current is not None else ())} - {
            self._name
        }
        # Forget the addresses of nodes that are neither members nor waiting.
        self._addresses = {
            name: self._addresses[name]
            for name in self._addresses.keys() & names.union(view.waiting)
        }
        places = {name: self._place(rendezvous, name) for name in names}
        self.links.reach({name: place[0] for name, place in places.items() if place is not None})
        self.links.say(self._shared.status())

    def _place(self, rendezvous: StoreRendezvous, name: str) -> tuple[Address, Address] | None:
        """Returns the addresses of a node's links and of its state receiver."""
        if name not in self._addresses:
            if (told := rendezvous.ask(f"node/{name}")) is None:
                return None
            about = json.loads(told)
            self._addresses[name] = (
                (about["host"], about["link"]),
                (about["host"], about["inlet"]),
            )
        return self._addresses[name]

    def _heed_peers(self) -> None:
        """Cuts the current round if a member is gone, or would not go on in it."""
        shared = self._shared
        current = shared.current
        self.links.say(own := shared.status())
        if current is None or current.group is None or shared.is_lost:
            return
        reports = {
            name: status
            for name, status in self.links.statuses().items()
            if name in current.members
        }
        # A hung member keeps its link: without it, it would take this process for dead.
        self._hung |= self._hang_detector.hung(
            own, reports, now_s=monotonic(), is_waiting=current.group.is_waiting
        )
        gone = (self.links.gone() | self._hung) & set(current.members)
        # Some member has said that it trains only in a newer round.
        beyond = any(status.need > current.number for status in reports.values())
        if is_over := any(shared.outlasts(status) for status in reports.values()):
            shared.end = OVER.format(shared.step)
        if gone or beyond or is_over or self._waits_too_long():
            current.group.cut()

    def _waits_too_long(self) -> bool:
        """Whether some rank has long been the only one that is not ready to change over."""
        shared = self._shared
        if shared.offered is None or shared.offered.rank is None or shared.current is None:
            return False
        # Some steps have passed since the round was offered: one rank keeps the others from it. It
        # may wait for newcomers that are behind, and then drop them.
        is_old = (
            monotonic() - shared.offered_s > 2 * LEVEL_S and shared.step > shared.offered_step + 1
        )
        if is_old := is_old or not self._unseeing.isdisjoint(shared.current.members):
            shared.need = max(shared.need, shared.current.number + 1)
            self.links.say(shared.status())
        return is_old

    def _start_over(self) -> None:
        """Gives up this name: this process no longer has the job's state."""
        shared = self._shared
        if self._builder is not None:
            self._builder.cancel()
        if shared.current is not None and shared.current.group is not None:
            shared.current.group.cut()
        shared.start_over()
        self._name = ""
        self._builder = None
        self._known = (0, ())
        self._rendezvous = None
        self._hung = frozenset()
        self._unseeing = frozenset()
        self._beat_s = 0.0
