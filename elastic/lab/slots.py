"""A lab's place on this machine: a number, which names all that it makes, held by a lock that dies
with it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from elastic.errors import Conflict

COUNT = 32
_SHARED = Path("/tmp")


@dataclass(frozen=True, slots=True)
class Slot:
    """`folder` is this lab's alone; everything of it outside that folder is called `name`, or
    `name` and a dash."""

    number: int
    folder: Path
    lock: IO[str]

    @property
    def name(self) -> str:
        # Whoever sweeps as root sees everybody's processes; namespaces, whose names must be short,
        # are root's alone.
        if os.geteuid() == 0:
            return f"elab{self.number}"
        return f"elab{self.number}-u{os.geteuid()}"

    def release(self) -> None:
        """Lets the next lab have it; all that it named must be gone."""
        self.lock.truncate(0)
        self.lock.close()


def claim_slot(sweep: Callable[[Slot], None]) -> Slot:
    """Takes the first free slot, after `sweep` has removed what killed labs left in any of them."""
    mine: Slot | None = None
    root = _root()
    for number in range(COUNT):
        # Beyond the slot that is taken only those matter that were ever used.
        slot = None
        if mine is None or (root / f"{number}.lock").exists():
            slot = _free_slot(root, number)
        if slot is None:
            continue
        if slot.lock.read():
            sweep(slot)
        if mine is None:
            mine = slot
            slot.lock.seek(0)
            slot.lock.write("in use, or left by a lab that was killed\n")
            slot.lock.flush()
        else:
            slot.release()
    if mine is None:
        raise Conflict(f"{COUNT} labs run on this machine already: end one of them")
    return mine


def _root() -> Path:
    # Not TMPDIR: the namespaces and addresses of all labs of a user are the machine's, so they must
    # meet here.
    root = _SHARED / f"elasticd-lab-{os.geteuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    if root.stat().st_uid != os.geteuid():
        raise Conflict(f"{root} belongs to somebody else: remove it")
    return root


def _free_slot(root: Path, number: int) -> Slot | None:
    lock = open(root / f"{number}.lock", "a+")  # noqa: SIM115 - it stays open as long as the slot is held
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    lock.seek(0)
    return Slot(number, root / str(number), lock)
