"""What ended a job's own program, and whether it is the same that had ended it before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from elastic.bounds import Bound, Count, Number, Rank, ShortText

# A worker that is killed takes its last turns with it untold: those of half a second (WINDOW_S of
# elastic.worker).
_NEAR_TURNS = 5
_NEAR_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class ScriptError:
    """The error of the worker that failed first.

    `kind` is the exception's type, or how the process ended (`exit 3`, `SIGKILL`); `text` is one
    line that says what happened. `place` is the last frame of the user's own code, empty without a
    traceback, and `lines` are the traceback's last lines. `turns` is how many its generation had
    made, and `iteration` is where the job was then; both are None until the daemon has noted them.
    """

    kind: ShortText
    text: Annotated[str, Bound(max_length=1200)]
    place: ShortText = ""
    lines: Annotated[str, Bound(max_length=4000)] = ""
    rank: Rank | None = None
    at_s: Number | None = None
    turns: Count | None = None
    iteration: Count | None = None

    def is_again(self, earlier: ScriptError) -> bool:
        """Whether it is the same error at the same place; without a place, at about the same
        iteration.

        >>> killed = ScriptError("SIGKILL", "killed by SIGKILL", turns=30)
        >>> killed.is_again(ScriptError("SIGKILL", "killed by SIGKILL", turns=28))
        True
        >>> killed.is_again(ScriptError("SIGKILL", "killed by SIGKILL", turns=300))
        False
        """
        if (self.kind, self.place) != (earlier.kind, earlier.place):
            return False
        return (
            bool(self.place)
            or _near(self.turns, earlier.turns)
            or _near(self.iteration, earlier.iteration)
        )

    def is_past(self, iteration: int) -> bool:
        """Whether a job that stands there has gone on beyond it: not only by what a kill may have
        left untold.

        >>> error = ScriptError("SIGKILL", "killed by SIGKILL", turns=30, iteration=130)
        >>> error.is_past(135), error.is_past(136)
        (False, True)
        """
        return iteration > (self.iteration or 0) + max(_NEAR_TURNS, _NEAR_SHARE * (self.turns or 0))

    @property
    def is_out_of_memory(self) -> bool:
        said = self.text.lower()
        is_named = self.kind == "MemoryError" or self.kind.endswith("OutOfMemoryError")
        return is_named or "out of memory" in said or "can't allocate memory" in said

    def __str__(self) -> str:
        """One sentence for a person.

        >>> str(ScriptError("ValueError", "ValueError: no such folder",
        ...     "train.py, line 3, in load"))
        'ValueError: no such folder (train.py, line 3, in load)'
        >>> str(ScriptError("MemoryError", "MemoryError"))
        'out of memory: MemoryError'
        """
        if self.place:
            said = f"{self.text} ({self.place})"
        else:
            said = self.text
        if self.is_out_of_memory:
            return f"out of memory: {said}"
        return said


def _near(one: int | None, other: int | None) -> bool:
    if one is None or other is None:
        return False
    return abs(one - other) <= max(_NEAR_TURNS, _NEAR_SHARE * max(one, other))
