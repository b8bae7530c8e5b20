"""The thread that carries outputs home, and the start-up barrier's answer to workers that wait for
their working folder."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elastic.agent.outputs import OutputUploader, TooMuch
from elastic.agent.uploader import (
    FOLDER_LOOK_S,
    STORE_PATIENCE_S,
    StartRefusal,
    Teller,
    Upload,
    UploadVerdict,
)
from elastic.checkpoints.folder import Changing
from elastic.durations import END_GRACE_S, GLANCE_S, LOOK_S
from elastic.errors import CheckpointDamaged, ElasticError, NotFound, Superseded
from elastic.figures import duration
from elastic.log_line import plain
from elastic.model import Mode
from elastic.protocol import Assignment
from elastic.worker.messages import Arrival

# The largest share of time for uploads while workers run, which need disk and network too.
SHARE = 0.05
# The share of a core that checking limits may take: 10,000 files are counted in 32 ms.
WATCH_SHARE = 0.02
_PASSING = (Changing, NotFound)
log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class OutputUpload(Upload):
    """The outputs of one generation; the next upload is due at `next_at`, which is monotonic."""

    next_at: float
    outputs: OutputUploader | None = None
    # The start of workers for which the folder was last filled.
    met: str = ""


class OutputUploadThread:
    """An `Uploader` of one generation at a time; `pause_s` passes between two uploads at least."""

    def __init__(
        self,
        *,
        load: Callable[[Assignment], OutputUploader],
        say: Callable[[Sequence[dict[str, Any]]], None],
        wall_s: Callable[[], float],
        pause_s: float,
        look_s: float = FOLDER_LOOK_S,
        fill_patience_s: float = STORE_PATIENCE_S,
        watch_s: float = LOOK_S,
    ) -> None:
        self._load = load
        self._wall_s = wall_s
        self._pause_s = pause_s
        self._look_s = look_s
        self._fill_patience_s = fill_patience_s
        self._working = threading.Lock()
        self._changed = threading.Condition()
        self._upload: OutputUpload | None = None
        self._teller = Teller(say, wall_s=wall_s)
        self._longest_s: float | None = None
        self._lone_files_at = 0.0
        self._has_told_of_names = False
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="outputs", daemon=True)
        self._watch_s = watch_s
        # An upload may take minutes, and the script keeps writing meanwhile.
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
                each.join(timeout=END_GRACE_S)

    def begin(self, assignment: Assignment) -> None:
        with self._changed:
            next_at = time.monotonic() + self._pause_s
            self._upload = OutputUpload(assignment=assignment, next_at=next_at)
            self._changed.notify_all()

    def serve(self, generation: int) -> None:
        with self._changed:
            if self._upload is not None:
                self._upload.serves = generation

    def hears(self, message: Mapping[str, Any]) -> bool:
        with self._changed:
            upload = self._present(message.get("generation"))
            if upload is not None and isinstance(message.get("round"), int):
                upload.round = message["round"]
        return False

    def fill(self, arrival: Arrival) -> str | None:
        """Waits until the working folder is as the whole group begins; returns why it is not."""
        until = time.monotonic() + self._fill_patience_s
        while True:
            with self._working:
                upload = self._present(arrival.generation)
                if upload is None or upload.verdict is not None:
                    return f"generation {arrival.generation} is not what this node runs"
                if upload.assignment.outputs == () or (
                    upload.met and upload.met == arrival.meeting
                ):
                    return None
                why = self._tried_to_fill(upload, arrival)
                if why is None or upload.refusal is not None:
                    return why
            if time.monotonic() > until:
                upload.refusal = StartRefusal(
                    f"no outputs could be fetched for {duration(self._fill_patience_s)}: {why}"
                )
                return upload.refusal.why
            self._is_stopping.wait(GLANCE_S)

    def finish(self, generation: int, *, is_clean: bool) -> None:
        with self._changed:
            upload = self._present(generation)
            if upload is not None and upload.ended_at is None:
                upload.ended_at = upload.next_at = time.monotonic()
                self._changed.notify_all()

    def verdict(self, generation: int, *, patience_s: float) -> UploadVerdict | None:
        with self._changed:
            upload = self._present(generation)
            if upload is None or upload.ended_at is None:
                return None
            if upload.is_ending and time.monotonic() - upload.ended_at >= patience_s:
                trouble = self._teller.trouble or "it took too long"
                why = f"the newest outputs are not stored: {trouble}"
                self._teller.tell(why)
                upload.close(UploadVerdict(is_durable=False, why=why))
            return upload.verdict

    @property
    def saving_s(self) -> float | None:
        """The longest time that an upload took: the last one may take as long."""
        return self._longest_s

    @property
    def must_drain(self) -> bool:
        """Whether the workers must stop because a person has to act."""
        upload = self._upload
        return (
            upload is not None
            and upload.verdict is None
            and upload.refusal is not None
            and upload.refusal.needs_person
        )

    @property
    def is_home(self) -> bool:
        """Whether all outputs of this node are stored."""
        upload = self._upload
        return upload is None or (
            upload.verdict is not None and upload.verdict.is_durable and upload.refusal is None
        )

    def _present(self, generation: object) -> OutputUpload | None:
        upload = self._upload
        return upload if upload is not None and upload.is_of(generation) else None

    def _tried_to_fill(self, upload: OutputUpload, arrival: Arrival) -> str | None:
        """Fills the folder; returns why it is not filled yet.

        If it never will be, the upload gets a refusal.
        """
        try:
            outputs = upload.outputs = upload.outputs or self._load(upload.assignment)
            if arrival.group_rank == 0:
                outputs.lead(now_s=self._wall_s(), tell=self._teller.tell)
                if arrival.groups > 1:
                    outputs.announce(arrival.meeting)
            elif not outputs.follow(arrival.meeting):
                return (
                    "the first rank's node has not announced the state that this group begins with"
                )
        except (CheckpointDamaged, Superseded, TooMuch) as error:
            upload.refusal = StartRefusal(
                str(error),
                needs_person=not isinstance(error, Superseded),
                is_by_script=isinstance(error, TooMuch),
            )
            return str(error)
        except (ElasticError, OSError, Changing) as error:
            self._teller.note_trouble(
                error, "the working folder waits to be filled", passing=_PASSING
            )
            return str(error)
        upload.met = arrival.meeting
        upload.next_at = time.monotonic() + self._pause_s
        self._teller.trouble = ""
        return None

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._is_due, timeout=self._look_s)
                if self._is_stopping.is_set():
                    return
                upload = self._upload
            if upload is not None and upload.verdict is None and time.monotonic() >= upload.next_at:
                with self._working:
                    self._try(upload)

    def _is_due(self) -> bool:
        upload = self._upload
        is_due = upload is not None and upload.is_ending and time.monotonic() >= upload.next_at
        return self._is_stopping.is_set() or is_due

    def _try(self, upload: OutputUpload) -> None:
        is_ending = upload.is_ending
        try:
            self._carry(upload, is_ending=is_ending)
            self._teller.trouble = ""
        except Superseded as error:
            if upload.assignment.mode is not Mode.LIVE:
                self._teller.tell(f"outputs of this node are no longer carried home: {error}")
                upload.close(UploadVerdict(is_durable=False, why=str(error)))
                return
            upload.round = None  # the first rank is on another node now
        except TooMuch as error:
            self._refuse(upload, error)
        except Exception as error:
            if not isinstance(error, (ElasticError, OSError, Changing)):
                log.exception("storing outputs failed; trying again")
            self._teller.note_trouble(
                error, "outputs wait on the node, trying again", passing=_PASSING
            )
            upload.next_at = time.monotonic() + self._look_s
            return
        if is_ending:
            with self._changed:
                upload.close(UploadVerdict(is_durable=True, refusal=upload.refusal))

    def _watch(self) -> None:
        wait_s = self._watch_s
        while not self._is_stopping.wait(wait_s):
            begun_at = time.monotonic()
            upload = self._upload
            if (
                upload is not None
                and upload.outputs is not None
                and upload.ended_at is None
                and upload.refusal is None
            ):
                self._check(upload, upload.outputs)
            wait_s = max(self._watch_s, (time.monotonic() - begun_at) / WATCH_SHARE)

    def _check(self, upload: OutputUpload, outputs: OutputUploader) -> None:
        try:
            if outputs.is_writer:
                outputs.check()
        except TooMuch as error:
            self._refuse(upload, error)
        except OSError:  # the folder changes during the look
            pass

    def _refuse(self, upload: OutputUpload, error: TooMuch) -> None:
        with self._changed:
            is_new = upload.refusal is None
            upload.refusal = StartRefusal(str(error), needs_person=True, is_by_script=True)
        if is_new:
            self._teller.tell(f"the job is ended: {error}")

    def _carry(self, upload: OutputUpload, *, is_ending: bool) -> None:
        begun_at = time.monotonic()
        refused = upload.refusal
        upload.next_at = begun_at + self._look_s
        if upload.assignment.outputs == ():
            return
        outputs = upload.outputs = upload.outputs or self._load(upload.assignment)
        if upload.round is not None:
            outputs.join(upload.round)
        if not outputs.is_writer:
            if not is_ending and begun_at >= self._lone_files_at:
                self._lone_files_at = begun_at + self._pause_s
                self._tell_of_lone_files(outputs)
            return
        is_new = outputs.carry(is_still=is_ending, session_round=upload.round, now_s=self._wall_s())
        self._tell_of_names(outputs.unprintable)
        if refused is not None and refused.needs_person and upload.refusal is refused:
            upload.refusal = None  # there is space again
        took_s = time.monotonic() - begun_at
        if is_new:
            self._longest_s = max(took_s, self._longest_s or 0.0)
            upload.next_at = begun_at + max(self._pause_s, took_s / SHARE)

    def _tell_of_lone_files(self, outputs: OutputUploader) -> None:
        if paths := outputs.only_here(now_s=self._wall_s()):
            self._lone_files_at = math.inf  # once is enough
            self._teller.tell(
                f"{_named(paths)}: written by a rank on another node than rank 0's. Such files "
                "are not stored, and are lost with the node. Gather what the job needs on rank 0, "
                "or write it to a folder that the nodes share"
            )

    def _tell_of_names(self, paths: Sequence[str]) -> None:
        if paths and not self._has_told_of_names:
            self._has_told_of_names = True
            self._teller.tell(
                f"{plain(_named(paths))}: an output's name must be printable UTF-8. Such files are "
                "not copied, and are lost with the node. Let the script give them other names"
            )


def _named(paths: Sequence[str]) -> str:
    """The first path, and how many more there are."""
    if len(paths) > 1:
        return f"{paths[0]} and {len(paths) - 1} more"
    return paths[0]
