"""The rows of the zoo: each a folder of `scripts`, and what must be seen when it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"
SHARED = ("runlog.py", "frameworks.txt")
"""Files that lie beside each script: how it logs, and the versions of what it may require."""
PRELOAD = ("no", "yes")


@dataclass(frozen=True, slots=True)
class Row:
    """One script.

    `batch` says what elasticd calls an iteration of it, as its job does: a `worker`'s batch, or the
    whole `job`'s. `says` are words that the daemon must use about its job. `is_counted` is False
    where elasticd sees no optimizer of torch step: then 0 iterations are right as well, if the
    daemon says what to do. `is_whole` is False for a script that has something wrong with it: it
    runs on one node, and is judged by how it ends, what is said and what it costs. `preload`
    is what its job may ask for: what a shell starts is a program of its own.
    """

    name: str
    what: str
    ends: str = "succeeded"
    says: tuple[str, ...] = ()
    is_counted: bool = True
    is_whole: bool = True
    most_starts: int | None = None
    batch: str = "worker"
    preload: tuple[str, ...] = PRELOAD

    @property
    def folder(self) -> Path:
        return SCRIPTS / self.name


_WHOLE = (
    Row("ddp", "tutorial's Trainer, snapshot.pt beside the script"),
    Row("by_hand", "weights updated by hand", says=("paramount",), is_counted=False),
    Row("gan", "two optimizers, files by epoch"),
    Row("accumulate", "four micro-batches a step"),
    Row("plain", "no checkpoint at all"),
    Row("workers", "DataLoader with worker processes", batch="job"),
    Row("sigterm", "saves in its own SIGTERM handler"),
    Row("all_reduce", "argparse, torchrun's variables, plain all_reduce", batch="job"),
    Row("best_last", "tqdm, best.pt and last.pt by epoch"),
    Row("fabric", "Lightning Fabric"),
    Row("trainer", "transformers' Trainer"),
    Row("accelerate", "accelerate's save_state and load_state"),
    Row("fsdp", "sharded weights, full state dict saved by rank 0"),
    Row(
        "shell",
        "bash run.sh sets variables and starts Python",
        says=("paramount",),
        is_counted=False,
        preload=("no",),
    ),
)
_WRONG = (
    Row(
        "import_error",
        "a package is missing",
        "failed",
        ("some_package_that_is_missing",),
        is_whole=False,
        most_starts=2,
    ),
    Row(
        "out_of_memory",
        "out of memory at step 30",
        "failed",
        ("out of memory",),
        is_whole=False,
        most_starts=2,
    ),
    Row(
        "separate",
        "two processes that never meet",
        says=("separate",),
        is_whole=False,
        most_starts=2,
    ),
    Row(
        "no_step",
        "ends with 0 before any step",
        says=("no iteration",),
        is_whole=False,
        most_starts=1,
    ),
)
ROWS = {row.name: row for row in (*_WHOLE, *_WRONG)}
