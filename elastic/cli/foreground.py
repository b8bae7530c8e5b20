"""Runs a child in the foreground of the terminal, until it ends or has to."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

from elastic.durations import END_GRACE_S, HEARTBEAT_S

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended. `because` is empty if it ended by itself."""

    exit_code: int
    because: str = ""


def run_child(
    command: Sequence[str],
    *,
    must_end: Callable[[], str],
    variables: Mapping[str, str] | None = None,
    take: Callable[[bytes], None] | None = None,
) -> Ended:
    """Runs a command until it ends, or until `must_end`, asked every second, says why it has to.

    `take` gets the child's output; without it the child writes where this process does. Such a
    child gets no input, but an input that stays open.
    """
    terminal = terminal_of_this_process()
    stdin = None
    stdout = None
    if take is not None:
        terminal = None
        stdin = subprocess.PIPE
        stdout = subprocess.PIPE
    prepare = None
    if terminal is not None:
        prepare = _taker_of(terminal)
    with _kept(terminal):
        process = subprocess.Popen(
            command,
            env={**os.environ, **(variables or {})},
            stdin=stdin,
            stdout=stdout,
            # A group of its own: what we pass on reaches all that it has started, and not
            # ourselves.
            process_group=0,
            # In the child before it runs: it might read the terminal before it may.
            preexec_fn=prepare,  # noqa: PLW1509 - a command has no other thread
        )
        with _passing_on(process):
            because = ""
            while not because and not _has_ended(process, take):
                # Asked once a second, as `_has_ended` waits for one.
                because = must_end()
            if because:
                _end(process, terminal)
        code = process.returncode
        # As shells show a death by a signal.
        return Ended(128 - code if code < 0 else code, because)


def terminal_of_this_process() -> int | None:
    """The terminal, if a person sits at both ends of it."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return sys.stdin.fileno()
    return None


def _has_ended(process: subprocess.Popen[bytes], take: Callable[[bytes], None] | None) -> bool:
    """Waits for a second at most."""
    if take is not None and process.stdout is not None and not process.stdout.closed:
        ready, _, _ = select.select([process.stdout], [], [], HEARTBEAT_S)
        if not ready:
            return False
        found = os.read(process.stdout.fileno(), 1 << 16)
        if found:
            take(found)
            return False
        # Closed by the child: it may run on, so it is waited for below.
        process.stdout.close()
    try:
        process.wait(HEARTBEAT_S)
    except subprocess.TimeoutExpired:
        _wake(process)
        return False
    return True


def _wake(process: subprocess.Popen[bytes]) -> None:
    """Continues a child that Ctrl-Z has stopped: it has the terminal, and no shell is behind it."""
    with suppress(ChildProcessError, ProcessLookupError):
        if os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOHANG) is not None:
            os.killpg(process.pid, signal.SIGCONT)


def _end(process: subprocess.Popen[bytes], terminal: int | None) -> None:
    """Ends the child's group, and the one that a shell has put in front."""
    groups = {process.pid}
    if terminal is not None:
        with suppress(OSError):
            # A shell gives its own child the terminal: that group is another one than the shell's.
            groups.add(os.tcgetpgrp(terminal))
    # First as a terminal that is closed says it, which shells and editors know.
    for number in (signal.SIGHUP, signal.SIGKILL):
        # Never ourselves: the record of the end is still to be sent.
        for group in groups - {os.getpgrp()}:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_GRACE_S)
            return


@contextmanager
def _kept(terminal: int | None) -> Iterator[None]:
    """Takes the terminal back at the end, in the state that it had."""
    if terminal is None:
        yield
        return
    state = termios.tcgetattr(terminal)
    try:
        yield
    finally:
        # A process in the background that sets the terminal would be stopped.
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        with suppress(OSError, termios.error):
            os.tcsetpgrp(terminal, os.getpgrp())
            termios.tcsetattr(terminal, termios.TCSADRAIN, state)
        signal.signal(signal.SIGTTOU, before)


def _taker_of(terminal: int) -> Callable[[], None]:
    def take() -> None:
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(terminal, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)

    return take


@contextmanager
def _passing_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Sends the child what this process is told, so that it can end in its own way."""

    def pass_on(number: int, frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)

    before = {number: signal.signal(number, pass_on) for number in _PASSED_ON}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
