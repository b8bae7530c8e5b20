"""The file of marks: which of the job's saved files belongs to which iteration, as a node knows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from elastic.agent.logs import tail
from elastic.agent.torchrun import SAVES_PREFIX
from elastic.model import newest_saves
from elastic.worker.saves import marks_in, read_marks

# How many of a node's newest save marks carry over to the next generation; all its workers share
# them.
MOST_OWN_MARKS = 256


def lay_marks(path: Path, known: Mapping[str, int]) -> None:
    """Writes the known save marks of this job into the file of a generation.

    The daemon knows what rank 0 saved. What other ranks of this node saved is in the file of the
    generation before, in the same folder.
    """
    earlier = max(
        path.parent.glob(f"{SAVES_PREFIX}*"), key=lambda each: each.stat().st_mtime, default=None
    )
    own = []
    if earlier is not None:
        own = earlier.read_text().splitlines()[-MOST_OWN_MARKS:]
    daemon_s = _lines(known)
    # If a mark occurs twice, the last one counts: the daemon's.
    path.write_text("".join(f"{line}\n" for line in own + daemon_s))


def add_marks(path: Path, stored: Mapping[str, int]) -> None:
    """Adds the marks that came with files, where they say more than the file of marks does.

    The daemon does not know what was saved while it was away. Of two words about one file the
    later iteration counts.
    """
    known = read_marks(str(path))
    news = {mark: done for mark, done in stored.items() if done > known.get(mark, -1)}
    if news:
        with path.open("a") as file:
            file.writelines(f"{line}\n" for line in _lines(news))


def newest_marks(path: Path) -> dict[str, int]:
    """The newest marks that this node knows, the newest last; empty without a file."""
    # A script may save for days: only the end of the file is read. A last line without its end is
    # still being written.
    lines, _, _ = tail(path).rpartition("\n")
    return newest_saves(marks_in(lines.splitlines()))


def _lines(marks: Mapping[str, int]) -> list[str]:
    return [f"{mark} {iteration}" for mark, iteration in marks.items()]
