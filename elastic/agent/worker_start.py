"""How this node starts a generation's workers: preloaded or not, and why not as it was asked to."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from elastic.model import MODULE_OPTIONS, Mode, Outcome, ScriptError, is_python, is_shell
from elastic.protocol import Assignment

# Errors that come however a worker was started.
WORKLOADS = "elastic.workloads."
_SNIFFED_BYTES = 256
_NOT_BY_FORK = frozenset(
    {"ImportError", "ModuleNotFoundError", "NameError", "SyntaxError", "FileNotFoundError"}
)


@dataclass(frozen=True, slots=True)
class WorkerStart:
    """How workers are started. `kind` and `arguments` are what `elastic.worker.begin` takes.

    Those that are preloaded are forked from a process with torch loaded. `why` is a sentence for
    the job's owner where something is other than asked for, else empty.
    """

    mode: Mode
    kind: str
    arguments: tuple[str, ...]
    why: str = ""
    is_preloaded: bool = False

    @property
    def is_foreign(self) -> bool:
        """Whether workers are programs without our hook: they may never hear of a drain but
        by a signal."""
        return self.kind == "--program"


def choose_way(
    assignment: Assignment, *, code_dir: Path | None = None, distrusts_fork: bool = False
) -> WorkerStart:
    """Gives how this node starts an assignment's workers; looks at the script's file where it must.

    A script's relative path counts from `code_dir`. `distrusts_fork` says that workers forked here
    have failed before their first turn.
    """
    command = _within(code_dir, _without_own_python(assignment.command))
    if not _is_python(command):
        why = (
            f"{command[0]} is no script for torchrun's own Python: each worker is a program of its "
            "own, it is asked to stop by SIGTERM, and the turns that count are those that it "
            "reports by paramount()"
        )
        return WorkerStart(assignment.mode, "--program", command, why)
    kind = "--plain" if workload_module(command) else "--watched"
    if assignment.preload and distrusts_fork:
        why = (
            "forked workers failed here before their first turn: each is now started as a program "
            "of its own, which takes some seconds longer"
        )
        return WorkerStart(assignment.mode, kind, command, why)
    return WorkerStart(assignment.mode, kind, command, is_preloaded=assignment.preload)


def workload_module(command: Sequence[str]) -> str | None:
    """The module of one of our own workloads that this command runs, if it does.

    >>> workload_module(["-m", "elastic.workloads.esrgan"])
    'elastic.workloads.esrgan'
    """
    is_workload = len(command) > 1 and command[0] == "-m" and command[1].startswith(WORKLOADS)
    return command[1] if is_workload else None


def is_fork_distrusted(
    before: bool,
    *,
    is_preloaded: bool | None,
    outcome: Outcome,
    has_heard_workers: bool,
    were_refused: bool = False,
    error: ScriptError | None = None,
) -> bool:
    """Whether workers are no longer forked here, after a generation that ended like this.

    A fork inherits what its parent holds open: CUDA that was begun before it, locks of a library's
    threads. Workers that fail before their first turn are started the other way next, and back
    again if that was not it, unless their error has nothing to do with it. `is_preloaded` says how
    they were started, None where none were. Those that `were_refused` had no checkpoint to go on
    from.

    >>> is_fork_distrusted(False, is_preloaded=True, outcome=Outcome.FAILED,
    ...     has_heard_workers=False)
    True
    """
    is_elsewhere = error is not None and (error.kind in _NOT_BY_FORK or _is_own_decision(error))
    if (
        outcome is not Outcome.FAILED
        or has_heard_workers
        or were_refused
        or is_elsewhere
        or is_preloaded is None
    ):
        return before
    return is_preloaded


def _is_own_decision(error: ScriptError) -> bool:
    """Whether the script ended itself and no exception made it do so: it would do that again."""
    return error.kind.startswith("exit ") and error.rank is not None and not error.lines


def _without_own_python(command: Sequence[str]) -> tuple[str, ...]:
    first, *rest = command
    is_own = first in ("python", "python3") or (
        os.sep in first and Path(first) == Path(sys.executable)
    )
    parts = tuple(rest) if is_own and rest else tuple(command)
    return ("-m", *parts[1:]) if parts[0] in MODULE_OPTIONS else parts


def _within(code_dir: Path | None, command: Sequence[str]) -> tuple[str, ...]:
    script, *arguments = command
    # A shell is looked for as any program is; the script that it runs counts from the folder that
    # it is started in.
    if code_dir is None or script.startswith("-") or is_shell(script):
        return tuple(command)
    return (str(code_dir / script), *arguments)


def _is_python(command: Sequence[str]) -> bool:
    told = is_python(command)
    return _is_python_text(Path(command[0])) if told is None else told


def _is_python_text(path: Path) -> bool:
    """Whether a file without a telling name is a Python script; one that is not there fails where
    it is opened."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        head = file.read(_SNIFFED_BYTES)
        if head.startswith(b"#!"):
            return b"python" in head.splitlines()[0]
        return b"\0" not in head
    return True
