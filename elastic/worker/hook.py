"""What a training script reports: a turn has ended, a checkpoint is safe, the job is done."""

from __future__ import annotations

import atexit
import functools
import mmap
import multiprocessing.util
import os
import signal
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import replace

from elastic.bounds import as_unicode
from elastic.durations import GLANCE_S, LOOK_S, MOMENT_S, WINDOW_S
from elastic.worker.agreement import default_store
from elastic.worker.messages import MOST_OF_A_NOTE, Datagram
from elastic.worker.outbox import Outbox
from elastic.worker.place import WorkerPlace
from elastic.worker.rank_starts import RankStart, compare
from elastic.worker.recorder import Recorder
from elastic.worker.replicas import Replica
from elastic.worker.saves import FOLDERS, Saves

# Holds the process id of the worker that torchrun started. Processes that the worker starts inherit
# it, so they do not report themselves as new workers.
WORKER_PID = "ELASTICD_WORKER_PID"
# The start of the message about a command that can never run on this node.
CANNOT_BEGIN = "elasticd: no worker can begin: "
_COUNT = struct.Struct("q")


def paramount(
    iteration: int | None = None, *, phase: str = "main", samples: int | None = None
) -> bool:
    """Marks the end of one turn of the main loop; call it once a turn, on every rank.

    Args:
        iteration: Turns that the job has done so far, with this one, as its checkpoint counts
            them. ``None`` if unknown.
        phase: What the loop is doing, where one kind of turn costs more than another.
        samples: Samples of this turn, over all workers together. If every turn gives them, one
            sample is one iteration.

    Returns:
        True when this worker was asked to stop here. Ranks learn it at different turns, so let
        them agree before they stop.
    """
    return worker().turn(iteration, phase, samples=samples)


def checkpointed(iteration: int, *, elapsed_s: float) -> None:
    """Says that a durable checkpoint of ``iteration`` exists; writing it took ``elapsed_s``."""
    worker().say("checkpoint", iteration=int(iteration), elapsed_s=float(elapsed_s))


def finished(iteration: int | None = None) -> None:
    """Says that the job is complete; call it last, before exit 0."""
    worker().say_last("finished", iteration)


def drained(iteration: int | None = None) -> None:
    """Says that the script stopped on request; call it last, before exit 0."""
    worker().say_last("drained", iteration)


def note(text: str) -> None:
    """Adds a sentence to the job's event log and report."""
    worker().say("note", text=as_unicode(text, most=MOST_OF_A_NOTE))


class Worker:
    """This process as the agent sees it.

    Rank 0 sends turns, checkpoints and notes. Every rank sends its last message.
    """

    def __init__(self, membership: WorkerPlace, *, started_at: float) -> None:
        self.membership = membership
        self.has_last_word = False
        # In a session: whether the job is complete. Another member's script may say so while this
        # one ends early.
        self.is_complete: Callable[[], bool] | None = None
        self._group: tuple[int, int, int | None] | None = None
        self._told_joined_at: float | None = None
        self.counts_own_turns = False
        self._has_begun = False
        self._pid = self._counting_pid = os.getpid()
        self._outbox = self._new_outbox()
        self.recorder = Recorder(self._outbox, started_at=started_at)
        self.saves = Saves(
            membership.saves_file,
            tell=self._tell_of_save,
            folders=(os.getcwd(), *filter(None, map(os.environ.get, FOLDERS))),
            tell_outside=self._tell_of_save_outside,
        )
        self._done: int | None = None
        # The same, shared with forks: a script may train in one after another.
        self._done_by_all = mmap.mmap(-1, _COUNT.size)
        self._began_at = 0
        self._began_at_s: float | None = None
        self._has_told_beginning = False
        self._is_reporting = membership.rank == 0 and membership.socket_path is not None
        self._drain_file = membership.drain_file
        self._is_asked_to_stop = False
        # The first turn looks for a drain, and reports itself.
        self._next_look = self._next_word = 0.0

    def turn(self, iteration: int | None, phase: str, *, samples: int | None = None) -> bool:
        """Counts a turn that the script reports."""
        self.count_own_turns()
        is_first = self._done is None
        result = self.count(iteration, phase, samples=samples)
        if is_first and iteration is not None:
            self.meet(RankStart(int(iteration) - 1, "paramount()"))
        self.tell_beginning(stops_when_asked=True)
        return result

    def count_own_turns(self) -> None:
        """From now on the script reports its turns itself.

        Turns that the optimizer's hook counted, and windows that are still held, are dropped.
        """
        if not self.counts_own_turns:
            self.counts_own_turns = True
            self.recorder.discard()
            self._done = None
            self._has_told_beginning = False

    def count(self, iteration: int | None, phase: str, *, samples: int | None = None) -> bool:
        """Counts a turn that the script or the optimizer's hook has seen."""
        if os.getpid() != self._counting_pid:
            self._go_on_in_fork()
        work = self._work(samples)
        is_first = self._done is None
        if iteration is None or samples is not None or self.is_per_worker:
            if self._done is None:
                # If no files are seen, a script that names its turn is taken to have done all turns
                # alike.
                self._done = self.saves.begin() or work * max((iteration or 1) - 1, 0)
            self._done += work
        else:
            self.saves.begin()
            self._done = int(iteration)
        if is_first:
            self._began_at = max(self._done - work, 0)
            # Taken before the first window ends: that window shows how much work was lost.
            self._began_at_s = time.time()
        _COUNT.pack_into(self._done_by_all, 0, self._done)
        self.saves.turn(self._done)
        is_timed = self._is_reporting
        if is_timed:
            now = self.recorder.turn(self._done, phase, work=work)
        else:
            now = time.perf_counter()
        if now >= self._next_word:
            # Only rank 0 sends windows. The other ranks report as often that turns go on: rank 0's
            # node may be cut off.
            self._next_word = now + WINDOW_S
            self.tell_agent("turns")
        if now >= self._next_look:
            # A look costs 25 us with cold caches: at most every second step of 50 ms.
            self._next_look = now + GLANCE_S
            self._look_for_drain()
        return self._is_asked_to_stop

    @property
    def is_per_worker(self) -> bool:
        """Whether an iteration is one worker's batch, so that a step of four workers counts four.

        By default a script has the batch of a DistributedDataParallel tutorial, which is each
        worker's own.
        """
        batch = self.membership.batch
        if batch is not None:
            return batch == "worker"
        return not self.counts_own_turns

    def meet(self, own: RankStart, *, replica: Callable[[], Replica] = Replica) -> None:
        """Ends this process if the ranks of one group begin at different iterations.

        Training on would mix their weights.

        `replica` gives what this rank holds before its first step.
        """
        place = self.membership
        if place.world_size == 1 or self._group is not None:
            return
        try:
            store = default_store()
            if store is None:
                return
            meeting = f"{place.generation}/{'turns' if self.counts_own_turns else 'files'}"
            found = compare(
                own,
                store,
                rank=place.rank,
                world_size=place.world_size,
                meeting=meeting,
                replica=replica,
                has=self.saves.has,
            )
        except (RuntimeError, ValueError):  # torch's, when the store is gone
            return
        if found.why_apart is not None:
            raise SystemExit(f"{CANNOT_BEGIN}{found.why_apart}")
        # Rank 0 reports the job's progress. Only rank 0's own files may raise it.
        if place.rank and own.read_from is None and found.iteration is not None:
            self.saves.follow(found.iteration)

    def tell_beginning(self, *, stops_when_asked: bool) -> None:
        """Reports once where the script began, and whether it saves when it is asked to stop."""
        if self._has_told_beginning:
            return
        self._has_told_beginning = True
        self.say(
            "begins",
            at_s=self._began_at_s or time.time(),
            iteration=self._began_at,
            text=as_unicode(self.saves.read_from or "", most=MOST_OF_A_NOTE),
            stops_when_asked=stops_when_asked,
            batch="worker" if self.is_per_worker else "job",
        )

    def _go_on_in_fork(self) -> None:
        """Counts on in a process that the script has forked, and that trains itself."""
        self._counting_pid = os.getpid()
        # What waits here is sent by the process that said it.
        self._outbox = self._new_outbox()
        self.recorder = Recorder(self._outbox, started_at=time.perf_counter() - process_age_s())
        self.saves.go_on_in_fork()
        (done,) = _COUNT.unpack_from(self._done_by_all)
        if done:
            self._done = done
            self._has_told_beginning = True
        # A process of multiprocessing skips exit functions.
        multiprocessing.util.Finalize(None, self._send_rest, exitpriority=0)

    def _send_rest(self) -> None:
        self.saves.close()
        self.recorder.flush()
        # What the agent does not take by then is left in a file.
        self._outbox.close(timeout_s=MOMENT_S)

    def _new_outbox(self) -> Outbox:
        place = self.membership
        return Outbox(
            place.socket_path,
            worker=f"{socket.gethostname()}-{os.getpid()}-{time.time_ns():x}",
            common={
                "rank": place.rank,
                "world_size": place.world_size,
                "generation": place.generation,
            },
        )

    def _work(self, samples: int | None) -> int:
        if samples is not None:
            return max(int(samples), 1)
        if self.is_per_worker:
            return self.membership.world_size
        return 1

    def _tell_of_save(self, mark: str, iteration: int) -> None:
        self.say("saved", mark=mark, iteration=iteration)

    def _tell_of_save_outside(self, path: str) -> None:
        shown = as_unicode(path, most=1000)
        self.say(
            "note",
            text=f"The script saves {shown}, outside of its job's folders. It is not stored, and "
            "is lost with its node unless nodes share that folder. Save it beside the script, or "
            "in ELASTICD_CHECKPOINT_DIR",
        )

    @property
    def is_asked_to_stop(self) -> bool:
        """Whether the drain file exists; looks again at each call."""
        self._look_for_drain()
        return self._is_asked_to_stop

    def regroup(self, *, rank: int, world_size: int, number: int | None = None) -> None:
        """Records the rank and world size of a group that changed while it runs.

        `number` grows with each change.
        """
        now = time.monotonic()
        told_at = self._told_joined_at
        group = (rank, world_size, number)
        # Repeated, so that an agent that has restarted learns that this worker takes part.
        if told_at is not None and group == self._group and now - told_at < LOOK_S:
            return
        if group != self._group:
            self._group = group
            # Rates of the old group say nothing about the new one.
            self.recorder.restart()
            self.membership = replace(self.membership, rank=rank, world_size=world_size)
            self._outbox.common = {
                **self._outbox.common,
                "rank": rank,
                "world_size": world_size,
                # Outside a session there is no round.
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
        self.saves.close()
        self.recorder.flush()
        done = None if iteration is None else int(iteration)
        self._post({"kind": kind, "at_s": time.time(), "iteration": done})

    def tell_agent(self, kind: str, **content: int) -> None:
        """Sends a message for this node's agent only, from any rank."""
        self._post({"kind": kind, "at_s": time.time(), **content})

    def begin(self) -> None:
        """Reports that this process took its place on the node, perhaps after another one."""
        self._has_begun = True
        self.tell_agent("began", local_rank=self.membership.local_rank)

    def close(self) -> None:
        # A fork (a data loader's worker) must not report for its parent.
        if os.getpid() == self._pid:
            if self._done is None and self.saves.begins_at:
                # It has read a save, and found nothing left to do.
                self._began_at = self.saves.begins_at
                self.tell_beginning(stops_when_asked=self.counts_own_turns or handles_sigterm())
            self.saves.close()
            self.recorder.flush()
            if self._has_begun:
                self.tell_agent("left")
            # What the agent does not take by then is left in a file.
            self._outbox.close(timeout_s=MOMENT_S)

    def _post(self, message: Datagram) -> None:
        if os.getpid() == self._counting_pid:
            self._outbox.put(message)
            self._outbox.flush()
        else:
            # A fork that does not train, but saves: its messages have numbers of their own.
            outbox = self._new_outbox()
            outbox.put(message)
            outbox.close(timeout_s=MOMENT_S)

    def _look_for_drain(self) -> None:
        # A request is final: a script that has begun to stop cannot be called back.
        if self._drain_file and not self._is_asked_to_stop:
            # This costs half as much as os.path.exists, which raises and catches. It runs in every
            # step of 50 ms or more.
            self._is_asked_to_stop = os.access(self._drain_file, os.F_OK)


@functools.cache
def worker() -> Worker:
    """The one worker that this process is, made from the environment at first use.

    It is the package's only global value: scripts call plain functions, as they call ``print``.
    """
    result = Worker(
        WorkerPlace.from_environment(os.environ), started_at=time.perf_counter() - process_age_s()
    )
    atexit.register(result.close)
    if result.membership.socket_path and os.environ.setdefault(WORKER_PID, str(os.getpid())) == str(
        os.getpid()
    ):
        result.begin()
    return result


def handles_sigterm() -> bool:
    """Whether the script handles SIGTERM itself."""
    return signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, signal.SIG_IGN, None)


def process_age_s() -> float:
    """Seconds since this process was started or forked, which is what its first turn cost.

    0 where the system hides it.
    """
    try:
        with open("/proc/self/stat", "rb") as file:
            # The second field is a name in parentheses that may hold anything. The start tick is
            # field 22.
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, AttributeError):
        return 0.0
