"""The thread that carries outputs home, and the gate's answer to workers that wait for their working folder."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elastic.agent.carriage import FILL_PATIENCE_S, LOOK_S, STOP_TIMEOUT_S, StartRefusal, Teller, UploadVerdict
from elastic.agent.outputs import OutputUploader, TooMuch
from elastic.checkpoints.folder import Changing
from elastic.errors import CheckpointDamaged, ElasticError, NotFound, Superseded
from elastic.figures import duration
from elastic.model import Tier
from elastic.protocol import Assignment
from elastic.worker.messages import Arrival

SHARE = 0.05
"""Most of the time that carrying may take while workers run: they need the disk and the network too."""
RETRY_S = 5.0
WATCH_S, WATCH_SHARE = 1.0, 0.02
"""How often limits are looked at, and most of a core that this may take: 10,000 files are counted in 32 ms."""
ANNOUNCEMENT_LOOK_S = 0.2
_PASSING = (Changing, NotFound)
log = logging.getLogger(__name__)


@dataclass(slots=True)
class OutputUpload:
    """One generation, as far as its outputs go. Instants are monotonic, None if not yet.

    `met` is the meeting of workers that the folder was last filled for. In a session `serves` is the generation that
    the workers belong to, `round` the newest of the session's own in which the first rank was here.
    """

    assignment: Assignment
    next_at: float
    outputs: OutputUploader | None = None
    met: str = ""
    serves: int | None = None
    round: int | None = None
    refusal: StartRefusal | None = None
    ended_at: float | None = None
    verdict: UploadVerdict | None = None

    @property
    def is_ending(self) -> bool:
        """Whether somebody waits for the verdict."""
        return self.ended_at is not None and self.verdict is None

    def close(self, verdict: UploadVerdict) -> None:
        """Gives the verdict, unless it is too late."""
        self.verdict = self.verdict or verdict


class OutputCarrier:
    """A `Carriage`, one generation at a time. `pause_s` passes between two carries at least."""

    def __init__(
        self,
        *,
        load: Callable[[Assignment], OutputUploader],
        say: Callable[[Sequence[dict[str, Any]]], None],
        wall_s: Callable[[], float],
        pause_s: float,
        look_s: float = LOOK_S,
        fill_patience_s: float = FILL_PATIENCE_S,
        watch_s: float = WATCH_S,
    ) -> None:
        self._load = load
        self._wall_s = wall_s
        self._pause_s = pause_s
        self._look_s = look_s
        self._fill_patience_s = fill_patience_s
        self._working = threading.Lock()
        self._changed = threading.Condition()
        self._trip: OutputUpload | None = None
        self._teller = Teller(say, wall_s=wall_s)
        self._longest_s: float | None = None
        self._lone_files_at = 0.0
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="outputs", daemon=True)
        self._watch_s = watch_s
        # A carry may take minutes, in which a script writes on.
        self._watcher = threading.Thread(target=self._watch, name="outputs-limits", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._watcher.start()

    def stop(self) -> None:
        """Ends the thread; what it is doing now may not be finished."""
        self._is_stopping.set()
        with self._changed:
            self._changed.notify_all()
        for each in (self._thread, self._watcher):
            if each.is_alive():
                each.join(timeout=STOP_TIMEOUT_S)

    def begin(self, assignment: Assignment) -> None:
        with self._changed:
            self._trip = OutputUpload(assignment, next_at=time.monotonic() + self._pause_s)
            self._changed.notify_all()

    def serve(self, generation: int) -> None:
        with self._changed:
            if self._trip is not None:
                self._trip.serves = generation

    def hears(self, message: Mapping[str, Any]) -> bool:
        with self._changed:
            trip = self._present(message.get("generation"))
            if trip is not None and isinstance(message.get("round"), int):
                trip.round = message["round"]
        return False

    def fill(self, arrival: Arrival) -> str | None:
        """Waits until the working folder is what its whole group begins with; gives why it could not be."""
        until = time.monotonic() + self._fill_patience_s
        while True:
            with self._working:
                trip = self._present(arrival.generation)
                if trip is None or trip.verdict is not None:
                    return f"generation {arrival.generation} is not what this node runs"
                if trip.assignment.outputs == () or (trip.met and trip.met == arrival.meeting):
                    return None
                why = self._tried_to_fill(trip, arrival)
                if why is None or trip.refusal is not None:
                    return why
            if time.monotonic() > until:
                trip.refusal = StartRefusal(f"nothing could be brought for {duration(self._fill_patience_s)}: {why}")
                return trip.refusal.why
            self._is_stopping.wait(ANNOUNCEMENT_LOOK_S)

    def finish(self, generation: int, *, is_clean: bool) -> None:
        with self._changed:
            trip = self._present(generation)
            if trip is not None and trip.ended_at is None:
                trip.ended_at = trip.next_at = time.monotonic()
                self._changed.notify_all()

    def verdict(self, generation: int, *, patience_s: float) -> UploadVerdict | None:
        with self._changed:
            trip = self._present(generation)
            if trip is None or trip.ended_at is None:
                return None
            if trip.is_ending and time.monotonic() - trip.ended_at >= patience_s:
                why = f"the newest outputs are not carried home: {self._teller.trouble or 'it took too long'}"
                self._teller.tell(why)
                trip.close(UploadVerdict(is_durable=False, why=why))
            return trip.verdict

    @property
    def saving_s(self) -> float | None:
        """The longest that carrying has taken: the last time it may be no less."""
        return self._longest_s

    @property
    def must_drain(self) -> bool:
        """Whether the workers are to stop, for a person has to act."""
        trip = self._trip
        return trip is not None and trip.verdict is None and trip.refusal is not None and trip.refusal.needs_person

    @property
    def is_home(self) -> bool:
        """Whether nothing is on this node that was to be carried."""
        trip = self._trip
        return trip is None or (trip.verdict is not None and trip.verdict.is_durable and trip.refusal is None)

    def _present(self, generation: object) -> OutputUpload | None:
        trip = self._trip
        return trip if trip is not None and generation in (trip.assignment.generation, trip.serves) else None

    def _tried_to_fill(self, trip: OutputUpload, arrival: Arrival) -> str | None:
        """Fills the folder; why it is not filled yet, with a refusal in the trip where it will not be."""
        try:
            outputs = trip.outputs = trip.outputs or self._load(trip.assignment)
            if arrival.group_rank == 0:
                outputs.lead(now_s=self._wall_s(), tell=self._teller.tell)
                if arrival.groups > 1:
                    outputs.announce(arrival.meeting)
            elif not outputs.follow(arrival.meeting):
                return "the first rank's node has not said what this group begins with"
        except (CheckpointDamaged, Superseded, TooMuch) as error:
            trip.refusal = StartRefusal(
                str(error),
                needs_person=not isinstance(error, Superseded),
                is_by_script=isinstance(error, TooMuch),
            )
            return str(error)
        except (ElasticError, OSError, Changing) as error:
            self._teller.note_trouble(error, "the working folder waits to be filled", passing=_PASSING)
            return str(error)
        trip.met = arrival.meeting
        trip.next_at = time.monotonic() + self._pause_s
        self._teller.trouble = ""
        return None

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._is_due, timeout=self._look_s)
                if self._is_stopping.is_set():
                    return
                trip = self._trip
            if trip is not None and trip.verdict is None and time.monotonic() >= trip.next_at:
                with self._working:
                    self._try(trip)

    def _is_due(self) -> bool:
        trip = self._trip
        is_due = trip is not None and trip.is_ending and time.monotonic() >= trip.next_at
        return self._is_stopping.is_set() or is_due

    def _try(self, trip: OutputUpload) -> None:
        is_ending = trip.is_ending
        try:
            self._carry(trip, is_ending=is_ending)
            self._teller.trouble = ""
        except Superseded as error:
            if trip.assignment.tier is not Tier.T2:
                self._teller.tell(f"outputs of this node are no longer carried home: {error}")
                trip.close(UploadVerdict(is_durable=False, why=str(error)))
                return
            trip.round = None  # the first rank has come to be elsewhere
        except TooMuch as error:
            self._refuse(trip, error)
        except Exception as error:
            if not isinstance(error, (ElasticError, OSError, Changing)):
                log.exception("carrying outputs failed; it is tried again")
            self._teller.note_trouble(error, "outputs wait on the node, trying again", passing=_PASSING)
            trip.next_at = time.monotonic() + RETRY_S
            return
        if is_ending:
            with self._changed:
                trip.close(UploadVerdict(is_durable=True, refusal=trip.refusal))

    def _watch(self) -> None:
        wait_s = self._watch_s
        while not self._is_stopping.wait(wait_s):
            begun_at = time.monotonic()
            trip = self._trip
            if trip is not None and trip.outputs is not None and trip.ended_at is None and trip.refusal is None:
                self._check(trip, trip.outputs)
            wait_s = max(self._watch_s, (time.monotonic() - begun_at) / WATCH_SHARE)

    def _check(self, trip: OutputUpload, outputs: OutputUploader) -> None:
        try:
            if outputs.is_writer:
                outputs.check()
        except TooMuch as error:
            self._refuse(trip, error)
        except OSError:  # it changes while it is looked at
            pass

    def _refuse(self, trip: OutputUpload, error: TooMuch) -> None:
        with self._changed:
            is_new = trip.refusal is None
            trip.refusal = StartRefusal(str(error), needs_person=True, is_by_script=True)
        if is_new:
            self._teller.tell(f"the job is ended: {error}")

    def _carry(self, trip: OutputUpload, *, is_ending: bool) -> None:
        begun_at, refused = time.monotonic(), trip.refusal
        trip.next_at = begun_at + self._look_s
        if trip.assignment.outputs == ():
            return
        outputs = trip.outputs = trip.outputs or self._load(trip.assignment)
        if trip.round is not None:
            outputs.join(trip.round)
        if not outputs.is_writer:
            if not is_ending and begun_at >= self._lone_files_at:
                self._lone_files_at = begun_at + self._pause_s
                self._tell_of_lone_files(outputs)
            return
        is_new = outputs.carry(is_still=is_ending, session_round=trip.round, now_s=self._wall_s())
        if refused is not None and refused.needs_person and trip.refusal is refused:
            trip.refusal = None  # there is room again
        took_s = time.monotonic() - begun_at
        if is_new:
            self._longest_s = max(took_s, self._longest_s or 0.0)
            trip.next_at = begun_at + max(self._pause_s, took_s / SHARE)

    def _tell_of_lone_files(self, outputs: OutputUploader) -> None:
        if paths := outputs.only_here(now_s=self._wall_s()):
            self._lone_files_at = math.inf  # once is enough
            others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            self._teller.tell(
                f"{paths[0]}{others}: written by a rank of another node than the first. Such files are not carried "
                "home, and are lost with the node: gather what the job needs on rank 0, or write it to a folder that "
                "the nodes share"
            )
