"""How checkpoints and outputs leave a node."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from elastic.bounds import as_unicode
from elastic.errors import ElasticError
from elastic.protocol import Assignment
from elastic.worker.messages import MOST_OF_A_NOTE

# How long storing a last checkpoint may take before its generation counts as failed, and how long
# a worker waits for its folders to be filled. Five minutes without a bucket are no passing trouble.
STORE_PATIENCE_S = 300.0
# How often a folder is checked while workers run. What has not changed since the last look is
# complete.
FOLDER_LOOK_S = 5.0
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StartRefusal:
    """Why no worker may begin. `needs_person` means that it stays so until a person acts."""

    why: str
    needs_person: bool = False
    # The script caused it, perhaps after hours of work.
    is_by_script: bool = False


@dataclass(frozen=True, slots=True)
class UploadVerdict:
    """Whether a generation's last checkpoint survives the loss of this node; if not, `why`."""

    is_durable: bool
    why: str = ""
    # Why its workers could not begin, None if they could.
    refusal: StartRefusal | None = None


@dataclass(slots=True, kw_only=True)
class Upload:
    """What one generation has to be stored of. `ended_at` is monotonic, None while it runs."""

    assignment: Assignment
    # Workers in a session continue into later generations: the one they belong to now.
    serves: int | None = None
    # The newest round of the session in which the first rank was here, None outside a session.
    round: int | None = None
    refusal: StartRefusal | None = None
    ended_at: float | None = None
    verdict: UploadVerdict | None = None

    @property
    def is_ending(self) -> bool:
        """Whether a caller waits for the verdict."""
        return self.ended_at is not None and self.verdict is None

    def is_of(self, generation: object) -> bool:
        return generation in (self.assignment.generation, self.serves)

    def close(self, verdict: UploadVerdict) -> None:
        """Sets the verdict, unless one is set."""
        self.verdict = self.verdict or verdict


class Uploader(Protocol):
    """The interface to what stores files for the agent; every call returns at once."""

    def begin(self, assignment: Assignment) -> None:
        """Begins to store this generation's folder."""
        ...

    def serve(self, generation: int) -> None:
        """Moves the workers, which are in a session, to this generation; uploads go on."""
        ...

    def hears(self, message: Mapping[str, Any]) -> bool:
        """Handles a message of the first rank; True if the daemon must not receive it yet."""
        ...

    def finish(self, generation: int, *, is_clean: bool) -> None:
        """Ends the generation.

        `is_clean` is False if it failed, which may leave a file half written.
        """
        ...

    def verdict(self, generation: int, *, patience_s: float) -> UploadVerdict | None:
        """How its last checkpoint fared; None while it is being stored, `patience_s` at most."""
        ...

    @property
    def saving_s(self) -> float | None:
        """Seconds to store a last checkpoint; None if nothing is stored."""
        ...

    @property
    def must_drain(self) -> bool:
        """Whether the workers must stop because a person has to act first."""
        ...


class Teller:
    """Reports trouble to the job's owner, as a note among the job's events."""

    def __init__(
        self, say: Callable[[Sequence[dict[str, Any]]], None], *, wall_s: Callable[[], float]
    ) -> None:
        self._say = say
        self._wall_s = wall_s
        self.trouble = ""

    def tell(self, text: str) -> None:
        log.warning("%s", text)
        self._say(
            [
                {
                    "kind": "note",
                    "text": as_unicode(text, most=MOST_OF_A_NOTE),
                    "at_s": self._wall_s(),
                }
            ]
        )

    def note_trouble(
        self, error: Exception, what: str, *, passing: tuple[type[Exception], ...]
    ) -> None:
        """Reports the first trouble since all was well, unless it passes by itself."""
        if isinstance(error, ElasticError):
            why = str(error)
        else:
            why = repr(error)
        if not self.trouble and not isinstance(error, passing):
            self.tell(f"{what}: {why}")
        self.trouble = why


class Uploaders:
    """Several uploaders as one, such as those of checkpoints and outputs.

    With none, what is written is durable already, as in a folder that all nodes share.
    """

    def __init__(self, *uploaders: Uploader) -> None:
        self._all = uploaders

    def begin(self, assignment: Assignment) -> None:
        for each in self._all:
            each.begin(assignment)

    def serve(self, generation: int) -> None:
        for each in self._all:
            each.serve(generation)

    def hears(self, message: Mapping[str, Any]) -> bool:
        kept = [each.hears(message) for each in self._all]  # all need the message
        return any(kept)

    def finish(self, generation: int, *, is_clean: bool) -> None:
        for each in self._all:
            each.finish(generation, is_clean=is_clean)

    def verdict(self, generation: int, *, patience_s: float) -> UploadVerdict | None:
        """Asks all at once: they work side by side."""
        found = [each.verdict(generation, patience_s=patience_s) for each in self._all]
        verdicts = [each for each in found if each is not None]
        if len(verdicts) < len(found):
            return None
        return UploadVerdict(
            is_durable=all(each.is_durable for each in verdicts),
            why="; ".join(each.why for each in verdicts if each.why),
            refusal=next((each.refusal for each in verdicts if each.refusal), None),
        )

    @property
    def saving_s(self) -> float | None:
        known = [each.saving_s for each in self._all if each.saving_s is not None]
        return max(known, default=None)

    @property
    def must_drain(self) -> bool:
        return any(each.must_drain for each in self._all)
