"""The thread that fills checkpoint folders before workers begin, and stores what they leave.

It never reports a checkpoint as safe too early.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from elastic.agent.generation_files import GenerationFiles
from elastic.agent.uploader import (
    FOLDER_LOOK_S,
    STORE_PATIENCE_S,
    StartRefusal,
    Teller,
    Upload,
    UploadVerdict,
)
from elastic.checkpoints.folder import Changing
from elastic.durations import END_GRACE_S, LONGEST_RETRY_S, MINUTE_S, RETRY_S, SELDOM_S
from elastic.errors import CheckpointDamaged, StorageForbidden, StorageUnavailable, Superseded
from elastic.figures import duration
from elastic.model import Mode
from elastic.protocol import Assignment
from elastic.renewal import Renewal

# The assumed time to store a checkpoint before one was measured: 200 MB at 15 MB/s, and a second
# for the calls.
SAVING_PRIOR_S = 15.0
log = logging.getLogger(__name__)


@dataclass(slots=True)
class FillRequest:
    """A request for a filled folder; `refusal` says why it was not filled."""

    is_answered: threading.Event = field(default_factory=threading.Event)
    refusal: str | None = None


@dataclass(slots=True, kw_only=True)
class CheckpointUpload(Upload):
    """The checkpoints of one generation."""

    has_first_rank: bool
    generation_files: GenerationFiles | None = None
    iteration: int | None = None
    held: list[dict[str, Any]] = field(default_factory=list)
    requests: list[FillRequest] = field(default_factory=list)
    # A later round's checkpoint is stored, and this one's no longer count.
    has_given_way: bool = False
    is_clean: bool = True

    @property
    def has_news(self) -> bool:
        """Whether there is something to do at once."""
        return self.generation_files is None or bool(self.held or self.requests) or self.is_ending

    @property
    def holds_nothing(self) -> bool:
        """Whether nothing is to be stored: no worker begins before the folder is filled, and that
        was not done."""
        is_filled = (
            not self.requests if self.generation_files is None else self.generation_files.is_filled
        )
        return not (self.held or is_filled)

    def close(self, verdict: UploadVerdict) -> None:
        """Sets the verdict, unless one is set, and refuses the requests that still wait."""
        self.verdict = self.verdict or replace(verdict, refusal=self.refusal)
        self.answer(self.requests, refusal=verdict.why)

    def answer(self, requests: Sequence[FillRequest], *, refusal: str | None) -> None:
        for request in tuple(requests):
            request.refusal = refusal
            request.is_answered.set()
            self.requests.remove(request)


class CheckpointUploadThread:
    """Stores one generation at a time.

    `say` sends messages to the daemon; `wall_s` is Unix time.
    """

    def __init__(
        self,
        *,
        load: Callable[[Assignment], GenerationFiles],
        say: Callable[[Sequence[dict[str, Any]]], None],
        wall_s: Callable[[], float],
        look_s: float = FOLDER_LOOK_S,
        # For the log alone, if the folder was never filled: there is no checkpoint to store.
        log_patience_s: float = SELDOM_S,
        # A permission that was just given may need as long to take effect (decision 0101).
        denial_patience_s: float = MINUTE_S,
    ) -> None:
        self._load = load
        self._say = say
        self._wall_s = wall_s
        self._look_s = look_s
        self._log_patience_s = log_patience_s
        self._denial_patience_s = denial_patience_s
        self._denied_at: float | None = None
        self._changed = threading.Condition()
        self._upload: CheckpointUpload | None = None
        self._teller = Teller(say, wall_s=wall_s)
        self._work_due = Renewal(
            # No pause is longer than a drain's grace, so a node that leaves has an attempt left.
            every_s=0.0,
            retry_s=RETRY_S,
            longest_retry_s=LONGEST_RETRY_S,
            is_scattered=True,
        )
        self._is_stopping = False
        self._longest_s: float | None = None
        self._told: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="carrier", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread; what it is doing now may not be finished."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
        self._thread.join(timeout=END_GRACE_S)

    def begin(self, assignment: Assignment) -> None:
        with self._changed:
            # In a session only the first rank's own word tells that it is here, and in which round.
            is_alone = assignment.nnodes_max == 1 and assignment.mode is not Mode.LIVE
            self._upload = CheckpointUpload(assignment=assignment, has_first_rank=is_alone)
            self._changed.notify_all()

    def serve(self, generation: int) -> None:
        with self._changed:
            if self._upload is not None:
                self._upload.serves = generation

    def hears(self, message: Mapping[str, Any]) -> bool:
        with self._changed:
            upload = self._present(message.get("generation"))
            if upload is not None:
                if message.get("round", upload.round) != upload.round:
                    upload.round = message["round"]
                    upload.has_given_way = False
                # Before it joins a session, each worker is the first rank of its own, and names no
                # round. Its folder then holds what it was filled with, not the members' newest
                # state.
                upload.has_first_rank = (
                    upload.round is not None or upload.assignment.mode is not Mode.LIVE
                )
            if message["kind"] != "checkpoint":
                return False
            # A checkpoint of an earlier generation adds nothing to that generation's exit.
            if upload is not None and upload.has_first_rank:
                upload.held.append(dict(message))
                self._changed.notify_all()
            return True

    def fill(self, generation: int, *, patience_s: float = STORE_PATIENCE_S) -> str | None:
        """Waits until the folder is filled from the newest checkpoint; gives why it could not
        be."""
        request = FillRequest()
        with self._changed:
            upload = self._present(generation)
            if upload is None or upload.verdict is not None:
                return f"generation {generation} is not what this node runs"
            upload.requests.append(request)
            self._changed.notify_all()
        if not request.is_answered.wait(patience_s):
            upload.refusal = StartRefusal(
                f"no checkpoint could be fetched for {duration(patience_s)}: {self._teller.trouble}"
            )
            return upload.refusal.why
        return request.refusal

    def finish(self, generation: int, *, is_clean: bool) -> None:
        with self._changed:
            upload = self._present(generation)
            if upload is not None and upload.ended_at is None:
                upload.ended_at = time.monotonic()
                upload.is_clean = is_clean
                self._changed.notify_all()

    def verdict(self, generation: int, *, patience_s: float) -> UploadVerdict | None:
        with self._changed:
            upload = self._present(generation)
            if upload is None or upload.ended_at is None:
                return None
            over_for_s = time.monotonic() - upload.ended_at
            if (
                upload.is_ending
                and upload.holds_nothing
                and over_for_s >= min(self._log_patience_s, patience_s)
            ):
                upload.close(UploadVerdict(is_durable=True))
            elif upload.is_ending and over_for_s >= patience_s:
                upload.close(
                    UploadVerdict(
                        is_durable=False,
                        why=f"the last checkpoint is not stored: {self._teller.trouble}",
                    )
                )
            return upload.verdict

    @property
    def saving_s(self) -> float | None:
        """The longest time that a checkpoint took.

        The last one may hold as many bytes, and meet as slow a store.
        """
        if self._longest_s is None:
            return SAVING_PRIOR_S
        return self._longest_s

    @property
    def must_drain(self) -> bool:
        return False

    def _present(self, generation: object) -> CheckpointUpload | None:
        upload = self._upload
        return upload if upload is not None and upload.is_of(generation) else None

    def _run(self) -> None:
        while True:
            with self._changed:
                # After a failure only the pause ends the wait, so that news does not cut it short.
                self._changed.wait_for(self._is_due, timeout=self._pause_s() or self._look_s)
                if self._is_stopping:
                    return
                upload = self._upload
            if upload is not None and upload.verdict is None:
                self._try(upload)

    def _is_due(self) -> bool:
        upload = self._upload
        has_news = upload is not None and upload.verdict is None and upload.has_news
        return self._is_stopping or (has_news and not self._pause_s())

    def _pause_s(self) -> float:
        return self._work_due.wait_s(now_s=time.monotonic())

    def _try(self, upload: CheckpointUpload) -> None:
        denied_at = self._denied_at
        self._denied_at = None
        try:
            self._work(upload)
            self._teller.trouble = ""
            self._work_due.note_success(now_s=time.monotonic())
        except Superseded as error:
            self._give_way(upload, error)
        except StorageForbidden as error:
            if denied_at is None:
                denied_at = time.monotonic()
            self._denied_at = denied_at
            self._refuse(upload, error, for_s=time.monotonic() - self._denied_at)
            self._try_again(error)
        except (StorageUnavailable, Changing) as error:
            self._try_again(error)
        except Exception as error:
            log.exception("storing checkpoints failed; trying again")
            self._try_again(error)

    def _give_way(self, upload: CheckpointUpload, error: Superseded) -> None:
        """Another writer is ahead for good: this generation's checkpoints no longer count.

        In a session only the first rank has moved to another node, and may come back. Nothing is
        lost there.
        """
        if upload.assignment.mode is Mode.LIVE:
            log.info("a checkpoint is not stored, for a later round's is: %s", error)
            with self._changed:
                upload.held.clear()
                upload.has_given_way = True
            return
        self._teller.tell(f"checkpoints are no longer stored: {error}")
        with self._changed:
            upload.close(UploadVerdict(is_durable=False, why=str(error)))

    def _refuse(self, upload: CheckpointUpload, error: StorageForbidden, *, for_s: float) -> None:
        """Ends the wait for a folder that stays unfilled until a person acts."""
        with self._changed:
            if upload.requests and for_s >= self._denial_patience_s:
                why = f"refused for {duration(for_s)}: fix this, then resume the job: {error}"
                upload.refusal = StartRefusal(why, needs_person=True)
                upload.answer(upload.requests, refusal=why)

    def _work(self, upload: CheckpointUpload) -> None:
        generation_files = upload.generation_files = upload.generation_files or self._load(
            upload.assignment
        )
        with self._changed:
            requests, is_ending, has_events = (
                tuple(upload.requests),
                upload.is_ending,
                bool(upload.held),
            )
        if (
            generation_files.is_filled
            and upload.has_first_rank
            and (has_events or self._is_at_rest(upload, generation_files))
        ):
            self._carry(upload, generation_files)
        if requests and not is_ending:
            self._fill(upload, requests, generation_files)
        if is_ending:
            generation_files.carry_artifacts()
            generation_files.carry_logs()
            with self._changed:
                upload.close(UploadVerdict(is_durable=True))

    def _is_at_rest(self, upload: CheckpointUpload, generation_files: GenerationFiles) -> bool:
        """Whether the folder holds a checkpoint to store that no worker reported."""
        is_last = upload.is_ending and upload.is_clean
        return not upload.has_given_way and (is_last or generation_files.has_come_to_rest())

    def _carry(self, upload: CheckpointUpload, generation_files: GenerationFiles) -> None:
        with self._changed:
            held = tuple(upload.held)
            upload.iteration = next(
                (each["iteration"] for each in reversed(held)), upload.iteration
            )
        begun_at = time.monotonic()
        is_new = generation_files.carry(
            iteration=upload.iteration, session_round=upload.round, now_s=self._wall_s()
        )
        if is_new:
            # A checkpoint that was stored already costs nothing, and says nothing about the next.
            self._longest_s = max(time.monotonic() - begun_at, self._longest_s or 0.0)
        # If the script reported no checkpoint, report one for it: it is safe from now on.
        told = {"kind": "checkpoint", "at_s": self._wall_s()}
        if upload.iteration is not None:
            told["iteration"] = upload.iteration  # as its manifest says
        self._say(held or ([told] if is_new else []))
        with self._changed:
            del upload.held[: len(held)]

    def _fill(
        self,
        upload: CheckpointUpload,
        requests: Sequence[FillRequest],
        generation_files: GenerationFiles,
    ) -> None:
        # torchrun restarts workers that were refused. If a person must act, do not fetch again for
        # them.
        if upload.refusal is None or not upload.refusal.needs_person:
            upload.refusal = self._brought(generation_files)
        with self._changed:
            upload.answer(requests, refusal=None if upload.refusal is None else upload.refusal.why)

    def _brought(self, generation_files: GenerationFiles) -> StartRefusal | None:
        try:
            generation_files.bring(tell=self._tell_once)
        except (CheckpointDamaged, Superseded) as error:
            log.error("%s", error)
            return StartRefusal(str(error), needs_person=isinstance(error, CheckpointDamaged))
        return None

    def _try_again(self, error: Exception) -> None:
        self._teller.note_trouble(
            error, "checkpoints wait on the node, trying again", passing=(Changing,)
        )
        self._work_due.note_failure(now_s=time.monotonic())

    def _tell_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._teller.tell(text)
