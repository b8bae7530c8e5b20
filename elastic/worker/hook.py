"""The words of a training script: a turn has ended, a checkpoint is safe, the job is done."""

from __future__ import annotations

import atexit
import functools
import os
import socket
import time
from collections.abc import Callable
from dataclasses import replace

from elastic.worker.membership import Membership
from elastic.worker.outbox import Datagram, Outbox
from elastic.worker.recorder import Recorder

DRAIN_LOOK_S = 0.1  # a look costs 25 us with cold caches: at most every second step of 50 ms
LAST_SEND_TIMEOUT_S = 1.0
JOINED_AGAIN_S = 5.0  # an agent that has started anew hears again that this worker takes part
TURNS_AGAIN_S = 0.5  # ranks without windows say that their turns go on: the first one's node may be cut off
MAX_NOTE_LENGTH = 2000
WORKER_PID = "ELASTICD_WORKER_PID"
"""Names the process that torchrun started to those that it starts itself: what they say is no worker's beginning."""


def paramount(iteration: int | None = None, *, phase: str = "main") -> bool:
    """Marks the end of one turn of the main loop; call it once a turn, on every rank.

    Args:
        iteration: Turns the job has done so far, this one included, as its checkpoint keeps them; ``None`` if unknown.
        phase: A name for what the loop is doing, where one kind of turn costs more than another.

    Returns:
        True when this worker has been asked to stop here. Ranks learn it at different turns: agree before stopping.
    """
    return worker().turn(iteration, phase)


def checkpointed(iteration: int, *, elapsed_s: float) -> None:
    """Says that a durable checkpoint of ``iteration`` exists; writing it took ``elapsed_s``."""
    worker().say("checkpoint", iteration=int(iteration), elapsed_s=float(elapsed_s))


def finished(iteration: int | None = None) -> None:
    """The last word before exit 0: the job is complete."""
    worker().say_last("finished", iteration)


def drained(iteration: int | None = None) -> None:
    """The last word before exit 0: stopped on request, to be resumed elsewhere."""
    worker().say_last("drained", iteration)


def note(text: str) -> None:
    """Adds a sentence to the job's event log and report."""
    worker().say("note", text=text[:MAX_NOTE_LENGTH])


class Worker:
    """This process as the agent sees it. Turns, checkpoints and notes come from rank 0; last words from every rank."""

    def __init__(self, membership: Membership, *, started_at: float) -> None:
        self.membership = membership
        self.has_last_word = False
        # In a session: whether the job is complete, which another member's script may say while this one ends early.
        self.is_complete: Callable[[], bool] | None = None
        self._group: tuple[int, int, int | None] | None = None
        self._told_joined_at: float | None = None
        self.counts_own_turns = False
        self._has_begun = False
        self._pid = os.getpid()
        self._outbox = Outbox(
            membership.socket_path,
            worker=f"{socket.gethostname()}-{self._pid}-{time.time_ns():x}",
            common={
                "rank": membership.rank,
                "world_size": membership.world_size,
                "generation": membership.generation,
            },
        )
        self.recorder = Recorder(self._outbox, started_at=started_at)
        self._is_reporting = membership.rank == 0 and membership.socket_path is not None
        self._drain_file = membership.drain_file
        self._is_asked_to_stop = False
        self._next_look = self._next_word = 0.0

    def turn(self, iteration: int | None, phase: str) -> bool:
        self.count_own_turns()
        return self.count(iteration, phase)

    def count_own_turns(self) -> None:
        """From now on the script tells of its turns itself: what the optimizer's hook has seen, and still holds, is
        none."""
        if not self.counts_own_turns:
            self.counts_own_turns = True
            self.recorder.discard()

    def count(self, iteration: int | None, phase: str) -> bool:
        """Counts a turn whoever saw it, the script or the optimizer's hook."""
        now = self.recorder.turn(iteration, phase) if self._is_reporting else time.perf_counter()
        if now >= self._next_word:
            self._next_word = now + TURNS_AGAIN_S
            self.tell_agent("turns")
        if now >= self._next_look:
            self._next_look = now + DRAIN_LOOK_S
            self._look_for_drain()
        return self._is_asked_to_stop

    @property
    def is_asked_to_stop(self) -> bool:
        """Whether the drain file exists, seen afresh."""
        self._look_for_drain()
        return self._is_asked_to_stop

    def regroup(self, *, rank: int, world_size: int, number: int | None = None) -> None:
        """Takes note of its place in a group that has changed while it runs; `number` grows with each change."""
        now, told_at, group = time.monotonic(), self._told_joined_at, (rank, world_size, number)
        if told_at is not None and group == self._group and now - told_at < JOINED_AGAIN_S:
            return
        if group != self._group:
            self._group = group
            self.recorder.restart()
            self.membership = replace(self.membership, rank=rank, world_size=world_size)
            self._outbox.common = {
                **self._outbox.common,
                "rank": rank,
                "world_size": world_size,
                **({} if number is None else {"round": number}),
            }
            self._is_reporting = rank == 0 and self.membership.socket_path is not None
        self._told_joined_at = now
        self.tell_agent("joined")

    def say(self, kind: str, **content: str | float | None) -> None:
        if self._is_reporting:
            self._post({"kind": kind, "at_s": time.time(), **content})

    def say_last(self, kind: str, iteration: int | None) -> None:
        self.has_last_word = True
        self.recorder.flush()
        self._post({"kind": kind, "at_s": time.time(), "iteration": iteration})

    def tell_agent(self, kind: str, **content: int) -> None:
        """Says something that concerns this node's agent only, from any rank."""
        self._post({"kind": kind, "at_s": time.time(), **content})

    def begin(self) -> None:
        """Says that this process takes its place on the node, perhaps another's that torchrun has ended."""
        self._has_begun = True
        self.tell_agent("began", local_rank=self.membership.local_rank)

    def close(self) -> None:
        # A fork (a data loader's worker) must not speak for its parent.
        if os.getpid() == self._pid:
            self.recorder.flush()
            if self._has_begun:
                self.tell_agent("left")
            self._outbox.close(timeout_s=LAST_SEND_TIMEOUT_S)

    def _post(self, message: Datagram) -> None:
        self._outbox.put(message)
        self._outbox.flush()

    def _look_for_drain(self) -> None:
        # Once asked, always asked: a script that has begun to stop cannot be called back.
        if self._drain_file and not self._is_asked_to_stop:
            # Half the cost of os.path.exists, which raises and catches: this runs in every step of 50 ms or more.
            self._is_asked_to_stop = os.access(self._drain_file, os.F_OK)


@functools.cache
def worker() -> Worker:
    """The one worker that this process is, made from the environment at its first word.

    The one value of the package that outlives a call: scripts call plain functions, as they do with ``print``.
    """
    result = Worker(Membership.from_environment(os.environ), started_at=time.perf_counter() - process_age_s())
    atexit.register(result.close)
    if result.membership.socket_path and os.environ.setdefault(WORKER_PID, str(os.getpid())) == str(os.getpid()):
        result.begin()
    return result


def process_age_s() -> float:
    """Seconds since this process was started or forked: what its first turn has cost; 0 where the system hides it."""
    try:
        with open("/proc/self/stat", "rb") as file:
            # The second field, a name in parentheses, may hold anything; the start's tick is the 22nd.
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, AttributeError):
        return 0.0
