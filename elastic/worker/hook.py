"""The words of a training script: a turn has ended, a checkpoint is safe, the job is done."""

from __future__ import annotations

import atexit
import functools
import os
import socket
import time
from collections.abc import Callable
from dataclasses import replace

from elastic.bounds import as_unicode
from elastic.worker.agreement import default_store
from elastic.worker.messages import MOST_OF_A_NOTE, Datagram
from elastic.worker.outbox import Outbox
from elastic.worker.place import WorkerPlace
from elastic.worker.rank_starts import RankStart, compare
from elastic.worker.recorder import Recorder
from elastic.worker.replicas import Replica
from elastic.worker.saves import Saves

DRAIN_LOOK_S = 0.1  # a look costs 25 us with cold caches: at most every second step of 50 ms
LAST_SEND_TIMEOUT_S = 1.0
JOINED_AGAIN_S = 5.0  # an agent that has started anew hears again that this worker takes part
TURNS_AGAIN_S = (
    0.5  # ranks without windows say that their turns go on: the first one's node may be cut off
)
FOLDERS = ("ELASTICD_CHECKPOINT_DIR", "ELASTICD_ARTIFACT_DIR")
"""Variables that name the folders a script may write into; they are there when it begins."""
WORKER_PID = "ELASTICD_WORKER_PID"
"""Names the process that torchrun started to those that it starts itself: what they say is no
worker's beginning."""
CANNOT_BEGIN = "elasticd: no worker can begin: "
"""Begins the message about a command that cannot run here, however often it is tried."""


def paramount(
    iteration: int | None = None, *, phase: str = "main", samples: int | None = None
) -> bool:
    """Marks the end of one turn of the main loop; call it once a turn, on every rank.

    Args:
        iteration: Turns the job has done so far, this one included, as its checkpoint keeps them;
        ``None`` if unknown. phase: A name for what the loop is doing, where one kind of turn costs
        more than another. samples: Samples of this turn, over all workers together. Given in every
        turn, a sample is one iteration.

    Returns:
        True when this worker has been asked to stop here. Ranks learn it at different turns: agree
        before stopping.
    """
    return worker().turn(iteration, phase, samples=samples)


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
    worker().say("note", text=as_unicode(text, most=MOST_OF_A_NOTE))


class Worker:
    """This process as the agent sees it. Turns, checkpoints and notes come from rank 0; last words
    from every rank."""

    def __init__(self, membership: WorkerPlace, *, started_at: float) -> None:
        self.membership = membership
        self.has_last_word = False
        # In a session: whether the job is complete, which another member's script may say while
        # this one ends early.
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
        self.saves = Saves(
            membership.saves_file,
            tell=self._tell_of_save,
            folders=(os.getcwd(), *filter(None, map(os.environ.get, FOLDERS))),
            tell_outside=self._tell_of_save_outside,
        )
        self._done: int | None = None
        self._began_at = 0
        self._began_at_s: float | None = None
        self._has_told_beginning = False
        self._is_reporting = membership.rank == 0 and membership.socket_path is not None
        self._drain_file = membership.drain_file
        self._is_asked_to_stop = False
        self._next_look = self._next_word = 0.0

    def turn(self, iteration: int | None, phase: str, *, samples: int | None = None) -> bool:
        """Counts a turn that the script tells of."""
        self.count_own_turns()
        is_first = self._done is None
        result = self.count(iteration, phase, samples=samples)
        if is_first and iteration is not None:
            self.meet(RankStart(int(iteration) - 1, "paramount()"))
        self.tell_beginning(stops_when_asked=True)
        return result

    def count_own_turns(self) -> None:
        """From now on the script tells of its turns itself: what the optimizer's hook has seen, and
        still holds, is none."""
        if not self.counts_own_turns:
            self.counts_own_turns = True
            self.recorder.discard()
            self._done = None
            self._has_told_beginning = False

    def count(self, iteration: int | None, phase: str, *, samples: int | None = None) -> bool:
        """Counts a turn that the script or the optimizer's hook has seen."""
        work = self._work(samples)
        is_first = self._done is None
        if iteration is None or samples is not None or self.is_per_worker:
            if self._done is None:
                # A script that names its turn, and whose files cannot be seen, is taken to have
                # made all alike.
                self._done = self.saves.begin() or work * max((iteration or 1) - 1, 0)
            self._done += work
        else:
            self.saves.begin()
            self._done = int(iteration)
        if is_first:
            self._began_at = max(self._done - work, 0)
            self._began_at_s = (
                time.time()
            )  # before its first window ends, by which what was lost is known
        self.saves.turn(self._done)
        is_timed = self._is_reporting
        now = self.recorder.turn(self._done, phase, work=work) if is_timed else time.perf_counter()
        if now >= self._next_word:
            self._next_word = now + TURNS_AGAIN_S
            self.tell_agent("turns")
        if now >= self._next_look:
            self._next_look = now + DRAIN_LOOK_S
            self._look_for_drain()
        return self._is_asked_to_stop

    @property
    def is_per_worker(self) -> bool:
        """Whether an iteration is one worker's batch, so that a step of four workers counts four.

        A script that says nothing has the batch of a DistributedDataParallel tutorial, which is
        each worker's own.
        """
        batch = self.membership.batch
        return batch == "worker" if batch is not None else not self.counts_own_turns

    def meet(self, own: RankStart, *, replica: Callable[[], Replica] = Replica) -> None:
        """Ends this process where ranks of one group begin at different iterations: their weights
        would be mixed.

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
            )
        except (RuntimeError, ValueError):  # torch's, when the store is gone
            return
        if found.why_apart is not None:
            raise SystemExit(f"{CANNOT_BEGIN}{found.why_apart}")
        # Rank 0 tells the job's progress, which nobody but its own files may raise.
        if place.rank and own.read_from is None and found.iteration is not None:
            self.saves.follow(found.iteration)

    def tell_beginning(self, *, stops_when_asked: bool) -> None:
        """Says once where the script began, and whether it will save when it is asked to stop."""
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

    def _work(self, samples: int | None) -> int:
        if samples is not None:
            return max(int(samples), 1)
        return self.membership.world_size if self.is_per_worker else 1

    def _tell_of_save(self, mark: str, iteration: int) -> None:
        self.say("saved", mark=mark, iteration=iteration)

    def _tell_of_save_outside(self, path: str) -> None:
        shown = as_unicode(path, most=1000)
        self.say(
            "note",
            text=f"the script saves {shown}, outside of its job's folders: it is not carried home, and is lost "
            "with its node unless nodes share that folder. Save it beside the script, or in "
            "ELASTICD_CHECKPOINT_DIR",
        )

    @property
    def is_asked_to_stop(self) -> bool:
        """Whether the drain file exists, seen afresh."""
        self._look_for_drain()
        return self._is_asked_to_stop

    def regroup(self, *, rank: int, world_size: int, number: int | None = None) -> None:
        """Takes note of its place in a group that has changed while it runs; `number` grows with
        each change."""
        now = time.monotonic()
        told_at = self._told_joined_at
        group = (rank, world_size, number)
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
        self.saves.close()
        self.recorder.flush()
        done = None if iteration is None else int(iteration)
        self._post({"kind": kind, "at_s": time.time(), "iteration": done})

    def tell_agent(self, kind: str, **content: int) -> None:
        """Says something that concerns this node's agent only, from any rank."""
        self._post({"kind": kind, "at_s": time.time(), **content})

    def begin(self) -> None:
        """Says that this process takes its place on the node, perhaps another's that torchrun has
        ended."""
        self._has_begun = True
        self.tell_agent("began", local_rank=self.membership.local_rank)

    def close(self) -> None:
        # A fork (a data loader's worker) must not speak for its parent.
        if os.getpid() == self._pid:
            self.saves.close()
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
            # Half the cost of os.path.exists, which raises and catches: this runs in every step of
            # 50 ms or more.
            self._is_asked_to_stop = os.access(self._drain_file, os.F_OK)


@functools.cache
def worker() -> Worker:
    """The one worker that this process is, made from the environment at its first word.

    The one value of the package that outlives a call: scripts call plain functions, as they do with
    ``print``.
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


def process_age_s() -> float:
    """Seconds since this process was started or forked: what its first turn has cost; 0 where the
    system hides it."""
    try:
        with open("/proc/self/stat", "rb") as file:
            # The second field, a name in parentheses, may hold anything; the start's tick is the
            # 22nd.
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, AttributeError):
        return 0.0
