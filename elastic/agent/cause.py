"""What went wrong with a node's workers, in one line taken from the end of their log."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from dataclasses import replace

from elastic.model import AGENT_SAYS, Exit, Outcome, ScriptError

TRACEBACK = "Traceback (most recent call last):"
_RANK = re.compile(r"^\[rank\d+\]: ?")
# torchrun's own tracebacks say that a worker ended, never why.
_TORCHRUN = ("torch.distributed.elastic.", "torch.multiprocessing.spawn.")
# What gloo and NCCL raise on every rank whose peer is gone.
_ECHOES = (
    "Connection closed by peer",
    "Connection reset by peer",
    "Broken pipe",
    "ncclRemoteError",
    "Timed out waiting",
)
# What torch raises where the network or the store of a group fails.
_OF_THE_GROUP = ("torch.distributed.Dist", "torch.distributed.elastic.")
# What argparse prints, torchrun's own or a script's.
_USAGE = re.compile(r"^\S+: error: .+$", re.MULTILINE)
# What torchrun prints about the first worker that fails.
_WORKER_S_END = re.compile(r"failed \(exitcode: (-?\d+)\)\s+local_rank: (\d+)")
# How torchrun's own lines begin. The lines before the first of them are the worker's.
_BY_TORCHRUN = re.compile(
    r"^[A-Z]\d{4} \d\d:\d\d:\d\d\S* \d+ (?:torch/distributed/|elastic/)", re.MULTILINE
)
# A file that Python cannot parse. Any other place in a traceback is `in` something.
_UNREADABLE = re.compile(r'^\s+File "(.+)", line (\d+)$')
_MOST_CHARACTERS = 300


def cause_in(log_tail: str) -> str | None:
    r"""Returns the cause that a log's end shows, in one line; None if it shows none.

    In order of preference: what the agent added, the last exception of a worker, a refused option,
    or how torchrun says that a worker ended, with the worker's last line.

    >>> cause_in("Traceback (most recent call last):\n  File 'a.py'\nValueError: no folder: /d\n")
    'ValueError: no folder: /d'
    >>> cause_in("E1122 multiprocessing/api.py:836] failed (exitcode: -9) local_rank: 1 (pid: 7)")
    'local rank 1 was killed by SIGKILL'
    >>> failed = "E1122 11:24:46 69 elastic/x.py:8] failed (exitcode: 2) local_rank: 0 (pid: 7)"
    >>> cause_in(f"no such split: valid\n{failed}")
    'local rank 0 exited with 2; its last line: no such split: valid'
    >>> cause_in("Killed") is None
    True
    >>> cause_in("loss 0.5\nelasticd: the last checkpoint was not stored\n")
    'the last checkpoint was not stored'
    """
    last = log_tail.rstrip().rpartition("\n")[2]
    if last.startswith(AGENT_SAYS):
        return last.removeprefix(AGENT_SAYS)[:_MOST_CHARACTERS]
    found = [each for each in _exceptions(log_tail) if not each.startswith(_TORCHRUN)]
    found = found or _USAGE.findall(log_tail)
    found = found or [_end(code, rank, log_tail) for code, rank in _WORKER_S_END.findall(log_tail)]
    return found[-1][:_MOST_CHARACTERS] if found else None


def describe_exit(failure: Exit) -> str:
    """How workers ended that should have continued."""
    if failure.outcome is Outcome.DRAINED:
        return "the workers stopped at a safe point without being asked to"
    if failure.needs_person:
        began = failure.error is not None
        if began:
            return str(failure.error)
        return f"no worker could begin: {cause_in(failure.log_tail)}"
    said = str(failure.error) if failure.error is not None else cause_in(failure.log_tail)
    if said:
        return f"the workers exited with {failure.exit_code}: {said}"
    return f"the workers exited with {failure.exit_code}; their log says more"


def is_echo(log_tail: str) -> bool:
    """Whether the workers failed only because workers of another node did."""
    cause = cause_in(log_tail)
    return cause is not None and is_echo_of(cause.partition(":")[0], cause)


def is_echo_of(kind: str, text: str) -> bool:
    """Whether an exception says that another worker is gone, or that none was reached.

    >>> is_echo_of("RuntimeError", "RuntimeError: pair.cc:553 Connection closed by peer [10.0.0.2]")
    True
    >>> is_echo_of("ValueError", "ValueError: no such folder: /data")
    False
    """
    return kind.startswith(_OF_THE_GROUP) or any(each in text for each in _ECHOES)


def only_follows(failure: Exit) -> bool:
    """Whether workers ended only because others were gone."""
    if failure.needs_person:
        return False
    error = failure.error
    if error is None:
        return is_echo(failure.log_tail)
    return is_echo_of(error.kind, error.text)


def uneven_end(echo: ScriptError | None) -> ScriptError:
    """The error of workers that still trained when others had finished, and then missed them."""
    echo = echo or ScriptError(kind="", text="")
    who = "a rank"
    if echo.rank is not None:
        who = f"rank {echo.rank}"
    text = (
        f"{who} still trained when other ranks had finished: they disagree on how much work there "
        "is. Let all ranks begin at the same iteration, and make the same number of steps"
    )
    return replace(echo, kind="uneven end", text=text, place=echo.place or "its log shows where")


def last_traceback(log_tail: str) -> str:
    """The last traceback of a worker in a log, from its head to its last line; empty if none."""
    lines = [without_rank(each) for each in log_tail.splitlines()]
    for start in (at for at in reversed(range(len(lines))) if lines[at] == TRACEBACK):
        end = next(
            (at for at in range(start + 1, len(lines)) if lines[at] and not lines[at][0].isspace()),
            None,
        )
        if end is not None and not lines[end].startswith(_TORCHRUN):
            return "\n".join(lines[start : end + 1])
    return ""


def without_rank(line: str) -> str:
    """The line without the rank that libraries put in front of it."""
    return _RANK.sub("", line)


def local_rank_that_failed(torchrun_log: str) -> int | None:
    """The worker that torchrun saw fail first; None if it named none."""
    found = _WORKER_S_END.findall(torchrun_log)
    return int(found[-1][1]) if found else None


def _end(exit_code: str, local_rank: str, log_tail: str) -> str:
    code = int(exit_code)
    if code >= 0:
        return f"local rank {local_rank} exited with {code}{_last_line(log_tail)}"
    # Real-time signals have a number, but no name.
    names = {each.value: each.name for each in signal.Signals}
    return f"local rank {local_rank} was killed by {names.get(-code, f'signal {-code}')}"


def _last_line(log_tail: str) -> str:
    """A worker's last line: most programs that exit with a number say why."""
    torchrun = _BY_TORCHRUN.search(log_tail)
    written = []
    if torchrun:
        written = log_tail[: torchrun.start()].split("\n")
    last = next((without_rank(each).strip() for each in reversed(written) if each.strip()), "")
    return f"; its last line: {last}" if last else ""


def _exceptions(log_tail: str) -> Iterator[str]:
    """Yields the line that ends each traceback, the first one that is not indented.

    A file that Python cannot parse is added to its line.
    """
    # The end of a log may begin within a traceback.
    is_inside = log_tail.startswith((" ", "\t"))
    where = ""
    for line in map(without_rank, log_tail.splitlines()):
        if line == TRACEBACK:
            is_inside = True
            where = ""
        elif is_inside and (found := _UNREADABLE.match(line)):
            where = f" ({found[1]}, line {found[2]})"
        elif is_inside and line and not line[0].isspace():
            is_inside = False
            yield line + where
