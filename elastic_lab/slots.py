"""A lab's slot on this machine: a number that names all it makes, held by a lock."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from elastic.errors import Conflict

COUNT = 32
_SHARED = Path("/tmp")


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot; everything of a lab outside its folder is named `name`, or begins with `name-`."""

    number: int
    # The lab's own folder.
    folder: Path
    lock: IO[str]

    @property
    def name(self) -> str:
        # Root, when it removes leftovers, sees all users' processes, so names differ by user. Only
        # root has namespaces, whose names must be short.
        if os.geteuid() == 0:
            return f"elab{self.number}"
        return f"elab{self.number}-u{os.geteuid()}"

    def release(self) -> None:
        """Frees the slot for the next lab; all that it named must be gone."""
        self.lock.truncate(0)
        self.lock.close()


def claim_slot(sweep: Callable[[Slot], None]) -> Slot:
    """Takes the first free slot, after `sweep` has removed what killed labs left in any slot."""
    mine: Slot | None = None
    root = _root()
    for number in range(COUNT):
        # Beyond the slot that is taken, only those that were ever used may have leftovers.
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
    # Not TMPDIR: all labs of a user share the machine's namespaces and addresses, so they must see
    # each other's locks.
    root = _SHARED / f"elasticd-lab-{os.geteuid()}"
    with suppress(FileExistsError):
        root.mkdir(mode=0o700)
    # Anybody may have made it first: a link would let a lab write and delete elsewhere, and in a
    # folder that others may write to they would change what instances run.
    found = root.lstat()
    is_own = found.st_uid == os.geteuid() and stat.S_ISDIR(found.st_mode)
    if not is_own or found.st_mode & 0o077:
        raise Conflict(
            f"{root}: wanted a folder of this user's with mode 700, found another's, a link or "
            "another mode: remove it"
        )
    return root


def _free_slot(root: Path, number: int) -> Slot | None:
    # It stays open as long as the slot is held.
    lock = open(root / f"{number}.lock", "a+")  # noqa: SIM115
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    lock.seek(0)
    return Slot(number, root / str(number), lock)
