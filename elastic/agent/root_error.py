"""The error that ended a generation's workers on this node: the first one of a worker's own."""

from __future__ import annotations

import contextlib
import json
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from elastic.agent.cause import cause_in, is_echo, is_echo_of, last_traceback
from elastic.bounds import as_unicode
from elastic.errors import InvalidInput
from elastic.log_line import plain_lines
from elastic.model import ScriptError
from elastic.protocol import from_json
from elastic.worker.last_error import FILE_NAME, MAX_TEXT, MAX_TRACEBACK

# torchrun's report of each worker that failed, and of the first.
_ACCOUNT = re.compile(r"local_rank: (\d+)\)\s+exitcode\s+: (-?\d+)")
_FIRST = re.compile(r"failed \(exitcode: (-?\d+)\)\s+local_rank: (\d+)")
# The signal by which torchrun ends the workers beside one that failed.
_BY_TORCHRUN = signal.SIGTERM
# Written out, a control character is longer. This is the longest text that the model of the error
# takes.
_MOST_TEXT = 4 * MAX_TEXT


def root_error(torchrun_dir: Path, generation: int, *, log_tail: str) -> ScriptError | None:
    """Returns the error that ended the workers; None if nothing shows it.

    A worker's exception is in the file that it left, whatever other ranks wrote into the log. A
    worker that was killed, or is no Python program, leaves no file: then torchrun's report shows
    it. If all workers only followed others, it is the first echo that they left (`is_echo_of`).

    Its texts are plain, as in the log: what a script says of itself may hold escape sequences.
    """
    found = _found(torchrun_dir, generation, log_tail=log_tail)
    if found is None:
        return None
    return replace(
        found,
        kind=plain_lines(found.kind)[:MAX_TEXT],
        text=plain_lines(found.text)[:_MOST_TEXT],
        place=plain_lines(found.place)[:MAX_TEXT],
        lines=plain_lines(found.lines)[-MAX_TRACEBACK:],
    )


def _found(torchrun_dir: Path, generation: int, *, log_tail: str) -> ScriptError | None:
    told = list(_left(torchrun_dir, generation))
    own = [each for each in told if not is_echo_of(each.kind, each.text)]
    if own:
        first = min(own, key=lambda each: each.at_s or 0.0)
        return first if first.text else _with_text(first, log_tail)
    ends = {int(rank): int(code) for rank, code in _ACCOUNT.findall(log_tail)}
    ends |= {int(rank): int(code) for code, rank in _FIRST.findall(log_tail)}
    # torchrun itself sends SIGTERM to the workers beside one that failed.
    killed = {rank: -code for rank, code in ends.items() if code < 0 and -code != _BY_TORCHRUN}
    if killed:
        rank = min(killed)
        return _killed(rank, killed[rank])
    if told or is_echo(log_tail):
        return min(told, key=lambda each: each.at_s or 0.0, default=None)
    failed = {rank: code for rank, code in ends.items() if code > 0}
    if failed:
        return _exited(min(failed), failed[min(failed)], log_tail)
    return None


def _left(torchrun_dir: Path, generation: int) -> Iterator[ScriptError]:
    """The errors that this generation's workers left in files; a broken file is skipped."""
    for path in sorted(torchrun_dir.glob(f"*-g{generation}_*/attempt_*/*/{FILE_NAME}")):
        with contextlib.suppress(OSError, ValueError, AttributeError, InvalidInput):
            said = json.loads(path.read_text(encoding="utf-8"))
            # Half a surrogate pair, as in some file names, must not go into a heartbeat.
            texts = {
                name: as_unicode(value) for name, value in said.items() if isinstance(value, str)
            }
            yield from_json(ScriptError, said | texts)


def _with_text(error: ScriptError, log_tail: str) -> ScriptError:
    """Adds the log's cause to a script that ended by a number, and the traceback that it caught."""
    text = cause_in(log_tail) or f"the script ended with {error.kind}"
    return replace(error, text=text, lines=last_traceback(log_tail)[-MAX_TRACEBACK:])


def _killed(local_rank: int, number: int) -> ScriptError:
    names = {each.value: each.name for each in signal.Signals}
    name = names.get(number, f"signal {number}")
    why = ""
    if number == signal.SIGKILL:
        why = ", as Linux does when memory runs out"
    return ScriptError(kind=name, text=f"local rank {local_rank} was killed by {name}{why}")


def _exited(local_rank: int, code: int, log_tail: str) -> ScriptError:
    """The error of a program that leaves no file: the last line of its traceback in the log."""
    lines = last_traceback(log_tail)[-MAX_TRACEBACK:]
    text = cause_in(log_tail) or f"local rank {local_rank} exited with {code}"
    kind = text.partition(":")[0] if lines else f"exit {code}"
    return ScriptError(kind=kind, text=text, lines=lines)
