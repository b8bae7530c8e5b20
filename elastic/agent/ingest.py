"""Receives the workers' messages: windows and events go to the disk outbox, the rest stays here."""

from __future__ import annotations

import contextlib
import json
import logging
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elastic.agent.disk_outbox import DiskOutbox
from elastic.agent.pauses import Pauses
from elastic.agent.uploader import Uploader, Uploaders
from elastic.bounds import fault_in
from elastic.durations import END_GRACE_S, LOOK_S, MOMENT_S
from elastic.model import Pulse
from elastic.worker.messages import SIGNS, Sender, fault_of
from elastic.worker.outbox import LEFTOVER_MARK
from elastic.worker.unix_address import address_of

RECEIVE_BYTES = 65536
MAX_AT_ONCE = 100
LAST_WORDS = frozenset({"finished", "drained"})
# A script may do this many steps before it joins a session. What they load and allocate then delays
# no other member.
WARM_UP_ITERATIONS = 50
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerReports:
    """What the workers of one generation on this node have reported."""

    # Any report but a beginning or an end.
    any_word: bool = False
    # torchrun's starts that reached a worker.
    starts: int = 0
    # Workers of the last start that have nothing more to do.
    left: int = 0
    # Whether they are members of a session.
    has_joined: bool = False
    # Whether they reported more turns than a warm-up has, or the job's end.
    has_trained: bool = False
    needs_signal: bool = False
    last_words: frozenset[str] = frozenset()
    last_word_ranks: int = 0
    iteration: int | None = None
    # None until the last start has made a turn.
    pulse: Pulse | None = None


class Ingest:
    """A socket and the thread that empties it."""

    def __init__(
        self,
        socket_path: Path,
        *,
        disk_outbox: DiskOutbox,
        uploader: Uploader | None = None,
        saw_round: Callable[[int], None] | None = None,
    ) -> None:
        self._path = socket_path
        self._disk_outbox = disk_outbox
        self._uploader = uploader or Uploaders()
        self._saw_round = saw_round
        self._lock = threading.Lock()
        self._generation: int | None = None
        self._serves: tuple[int, int] | None = None
        self._words: dict[int, tuple[str, str]] = {}
        self._workers: set[str] = set()
        self._places: dict[int, str] = {}
        self._session_ranks: dict[str, int] = {}
        self._left: set[str] = set()
        self._starts = 0
        self._needs_signal = False
        self._has_joined = self._has_trained = False
        self._done = 0
        self._iteration: int | None = None
        self._pauses = Pauses()
        self._is_stopping = False
        self._settled = threading.Event()
        # An agent that crashed leaves its socket behind, and bind refuses an existing file.
        socket_path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        with address_of(str(socket_path)) as address:
            self._socket.bind(address)
        self._thread = threading.Thread(target=self._receive, name="intake", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._is_stopping = True
        # Wakes the thread, which waits in select.
        self._send_to_self(b"")
        self._thread.join(timeout=END_GRACE_S)
        self._socket.close()
        self._path.unlink(missing_ok=True)

    def listen_to(self, generation: int) -> None:
        """Begins a generation: earlier reports no longer count for this node."""
        with self._lock:
            self._generation = generation
            self._serves = None
            self._forget()
            self._pauses = Pauses()
            self._workers.clear()
            self._session_ranks.clear()
            self._starts = 0
            self._iteration = None
            self._has_joined = False
            self._has_trained = False

    def serve(self, generation: int, *, world_size: int) -> None:
        """Moves the workers, which are in a session, to this generation of `world_size` workers."""
        with self._lock:
            self._serves = generation, world_size

    def reports(self) -> WorkerReports:
        """What the present generation's workers have said so far."""
        with self._lock:
            return WorkerReports(
                any_word=bool(self._workers),
                starts=self._starts,
                left=len(self._left),
                has_joined=self._has_joined,
                has_trained=self._has_trained,
                needs_signal=self._needs_signal,
                last_words=frozenset(word for _, word in self._words.values()),
                last_word_ranks=len(self._words),
                iteration=self._iteration,
                pulse=self._pauses.pulse(now=time.monotonic()),
            )

    def session_ranks(self) -> dict[int, int]:
        """The session ranks of the workers that are members, by local rank."""
        with self._lock:
            places = self._places.items()
            return {
                place: self._session_ranks[each]
                for place, each in places
                if each in self._session_ranks
            }

    def was_unanswered(self, *, since: float) -> None:
        """Notes that the daemon has not answered since this monotonic instant.

        A pause in that time may be the network's.
        """
        with self._lock:
            self._pauses.note_silence(since, time.monotonic())

    def take_leftovers(self) -> None:
        """Takes in the files that workers left because no agent answered at their end."""
        for path in sorted(self._path.parent.glob(f"{self._path.name}{LEFTOVER_MARK}*")):
            self._take([_parsed(line) for line in path.read_bytes().splitlines()])
            path.unlink()

    def settle(self) -> None:
        """Waits until all messages sent before now are taken in."""
        done = threading.Event()
        with self._lock:
            self._settled = done
        if self._send_to_self(b'{"kind": "settle"}'):
            done.wait(timeout=END_GRACE_S)
        self.take_leftovers()

    def _send_to_self(self, data: bytes) -> bool:
        probe = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with contextlib.closing(probe), contextlib.suppress(OSError):
            probe.settimeout(MOMENT_S)
            with address_of(str(self._path)) as address:
                probe.sendto(data, address)
            return True
        return False

    def _receive(self) -> None:
        while not self._is_stopping:
            # A message wakes this thread when it must stop; the look is for one that was lost.
            if not select.select([self._socket], [], [], LOOK_S)[0]:
                continue
            try:
                self._take(self._waiting())
            except Exception:
                log.exception("datagrams of workers are lost")

    def _waiting(self) -> list[dict[str, Any] | None]:
        result: list[dict[str, Any] | None] = []
        with contextlib.suppress(BlockingIOError):
            while len(result) < MAX_AT_ONCE:
                result.append(_parsed(self._socket.recv(RECEIVE_BYTES)))
        return result

    def _take(self, messages: list[dict[str, Any] | None]) -> None:
        good = [message for message in messages if message is not None]
        is_settle = any(message["kind"] == "settle" for message in good)
        with self._lock:
            kept = [message for message in good if self._is_for_daemon(message)]
        if kept:
            self._disk_outbox.add(kept)
        if is_settle:
            self._settled.set()

    def _is_for_daemon(self, message: dict[str, Any]) -> bool:
        # The node adds its own number later.
        fault = fault_of(message, absent=("seq",)) or fault_in(Sender, message)
        if fault is not None:
            self._disk_outbox.drop(fault)
            return False
        if message.get("generation") == self._generation and message["kind"] != "settle":
            self._note_worker(message)
            if self._serves is not None:
                _renumber(message, *self._serves)
        # Only rank 0's messages go on to the daemon. Signs are for this agent alone.
        if message["kind"] in SIGNS or message.get("rank") != 0:
            return False
        return not self._uploader.hears(message)

    def _note_worker(self, message: dict[str, Any]) -> None:
        kind = message["kind"]
        rank = message.get("rank")
        worker = str(message.get("worker"))
        if not isinstance(rank, int):
            return
        if kind == "began":
            self._note_start(worker, place=message.get("local_rank"))
            return
        if kind == "left":
            self._left.add(worker)
            return
        self._workers.add(worker)
        self._needs_signal |= kind == "needs_signal"
        if kind == "turns":  # not "window": it may be the last one, from a worker that ends
            self._pauses.note_turn(time.monotonic())
        if kind == "joined":
            self._has_joined = True
            self._session_ranks[worker] = rank
        if kind in LAST_WORDS:
            self._words[rank] = (worker, kind)
        if isinstance(message.get("iteration"), int):
            self._iteration = message["iteration"]
        # Count the turns made here: a script may begin at any iteration.
        if kind == "window":
            self._done += message["iterations"]
            self._has_trained |= self._done > WARM_UP_ITERATIONS
        self._has_trained |= kind == "finished"
        if self._saw_round is not None and isinstance(message.get("round"), int):
            self._saw_round(message["round"])

    def _note_start(self, worker: str, *, place: object) -> None:
        """Notes a new worker in another's place: torchrun restarted all.

        So earlier reports were not the end.
        """
        if not isinstance(place, int) or self._places.get(place) == worker:
            return
        if place in self._places or not self._starts:
            self._forget()
            self._starts += 1
        self._places[place] = worker

    def _forget(self) -> None:
        """Forgets all but the pauses, which belong to the generation."""
        self._pauses.begin_anew()
        self._words.clear()
        self._places.clear()
        self._left.clear()
        self._needs_signal = False
        self._done = 0


def _renumber(message: dict[str, Any], generation: int, world_size: int) -> None:
    """Sets a message's generation to the one that its worker belongs to now.

    A session changes over a little after its generation is recorded. Until all members are there,
    turns count as progress, but not as a rate of the new group.
    """
    message["generation"] = generation
    if message["kind"] == "window" and message.get("world_size") != world_size:
        message["is_cold"] = True


def _parsed(data: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError):
        message = json.loads(data)
        if isinstance(message, dict) and isinstance(message.get("kind"), str):
            return message
    return None
