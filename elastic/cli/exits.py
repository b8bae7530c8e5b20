"""What the exit status of `elasticd` means."""

from __future__ import annotations

from enum import IntEnum

from elastic.errors import (
    AlreadyRunning,
    Conflict,
    DaemonUnreachable,
    ElasticError,
    InvalidInput,
    NotFound,
    PriceUnavailable,
    ProviderError,
    StoreUnavailable,
    Unauthorized,
)
from elastic.model import JobPhase


class ExitCode(IntEnum):
    """Every status `elasticd` ends with; `docs/reference/commands.md` repeats this table."""

    OK = 0
    ERROR = 1
    USAGE = 2
    UNREACHABLE = 3
    UNAUTHORIZED = 4
    NOT_FOUND = 5
    CONFLICT = 6
    UNAVAILABLE = 7
    JOB_FAILED = 100
    JOB_UNFINISHED = 101
    NODE_ENDED = 102


MEANINGS = {
    ExitCode.OK: "done; a watched job succeeded",
    ExitCode.ERROR: "something else went wrong, an alarm stands (`status`), `doctor` or "
    "`audit` found something, or `gc` could not end a machine",
    ExitCode.USAGE: "the command line or what was sent is wrong; nothing has changed",
    ExitCode.UNREACHABLE: "no daemon answers at the address in force",
    ExitCode.UNAUTHORIZED: "no token, or not the daemon's",
    ExitCode.NOT_FOUND: "no such job, node or decision",
    ExitCode.CONFLICT: "the request contradicts what is there: a stopped job, a reused key, a "
    "second daemon",
    ExitCode.UNAVAILABLE: "the daemon is there, but its store, prices or provider are not: try "
    "again",
    ExitCode.JOB_FAILED: "the watched job failed",
    ExitCode.JOB_UNFINISHED: "the watched job was stopped, ran out of budget, or was still running "
    "when watching ended",
    ExitCode.NODE_ENDED: "`node ssh` or `node exec` ended because its node did",
}

# The first kind that an error belongs to decides.
_EXITS: tuple[tuple[type[ElasticError], ExitCode], ...] = (
    (InvalidInput, ExitCode.USAGE),
    (DaemonUnreachable, ExitCode.UNREACHABLE),
    (Unauthorized, ExitCode.UNAUTHORIZED),
    (NotFound, ExitCode.NOT_FOUND),
    (Conflict, ExitCode.CONFLICT),
    (AlreadyRunning, ExitCode.CONFLICT),
    (StoreUnavailable, ExitCode.UNAVAILABLE),
    (PriceUnavailable, ExitCode.UNAVAILABLE),
    (ProviderError, ExitCode.UNAVAILABLE),
)


def exit_code_of(error: ElasticError) -> ExitCode:
    """The exit status of a command that ends with `error`.

    >>> exit_code_of(NotFound("no job named x"))
    <ExitCode.NOT_FOUND: 5>
    """
    return next((code for kind, code in _EXITS if isinstance(error, kind)), ExitCode.ERROR)


def exit_code_of_job(phase: str) -> ExitCode:
    """The exit status that shows a job's phase.

    >>> exit_code_of_job("cancelled")
    <ExitCode.JOB_UNFINISHED: 101>
    """
    match JobPhase(phase):
        case JobPhase.SUCCEEDED:
            return ExitCode.OK
        case JobPhase.FAILED:
            return ExitCode.JOB_FAILED
        case _:
            return ExitCode.JOB_UNFINISHED
