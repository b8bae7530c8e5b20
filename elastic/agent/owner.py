"""Notes for the job's owner about how its workers run here, each sent once."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from elastic.agent import logs
from elastic.agent.cause import cause_in, is_echo
from elastic.agent.disk_outbox import DiskOutbox
from elastic.agent.worker_start import WorkerStart
from elastic.clock import SystemClock

log = logging.getLogger(__name__)


class Owner:
    """The reader of the job's events."""

    def __init__(self, disk_outbox: DiskOutbox) -> None:
        self._disk_outbox = disk_outbox
        self._told_why = ""
        self._log_path: Path | None = None
        self._starts = 0
        self._read_to: Mapping[Path, int] = {}

    def hear_way(self, way: WorkerStart) -> None:
        """Reports why the workers are not started as asked for, if so."""
        if way.why and way.why != self._told_why:
            self._tell(way.why)
        self._told_why = way.why

    def hear_starts(self, starts: int, *, log_path: Path, is_alone: bool) -> None:
        """Reports that torchrun restarted the workers, if their log says why.

        If a node of several only stopped because another did, the other one's agent reports it.
        """
        # Another generation, which may have begun before the first look at it.
        if log_path != self._log_path:
            self._log_path = log_path
            self._starts = 0
            self._read_to = {}
        if starts == self._starts:
            return
        if starts > max(self._starts, 1):
            said = logs.last_words(log_path, since=self._read_to)
            why = cause_in(said)
            if why is not None and (is_alone or not is_echo(said)):
                self._tell(f"workers crashed, torchrun restarted them ({starts - 1}): {why}")
        self._starts = starts
        self._read_to = logs.sizes(log_path)

    def _tell(self, text: str) -> None:
        log.warning("%s", text)
        self._disk_outbox.add([{"kind": "note", "text": text, "at_s": SystemClock().now_s()}])
