"""Checkpoints during training: the state is copied between two turns, and a thread writes it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic, thread_time
from typing import Any

from elastic.durations import TRANSFER_TIMEOUT_S
from elastic.workloads.checkpoint.checkpoint import Checkpoints
from elastic.workloads.checkpoint.host_copy import AtOnce, CopyWay, HostCopy
from elastic.workloads.rhythm import Rhythm


@dataclass(frozen=True, slots=True)
class Saved:
    """A durable checkpoint: writing took `elapsed_s`, and cost training `cost_s` at most."""

    iteration: int
    elapsed_s: float
    cost_s: float


class BackgroundSaver:
    """Makes one checkpoint at a time; the writing thread calls `tell` once it is durable.

    The copy is reused, so that memory is allocated once: twice the state's size in all.
    `last_iteration` is that of the last checkpoint, or `at`. `rhythm` may be changed at any time.
    `way` copies from the device of the state. The writing thread calls `beside` with a durable
    state before `tell`.
    """

    def __init__(
        self,
        checkpoints: Checkpoints,
        rhythm: Rhythm,
        *,
        at: int,
        tell: Callable[[Saved], None],
        way: CopyWay | None = None,
        beside: Callable[[int, Any], None] | None = None,
    ) -> None:
        self._checkpoints = checkpoints
        self.rhythm = rhythm
        self._tell = tell
        self._beside = beside
        self.last_iteration = at
        self._last_at = monotonic()
        self._cost_s: float | None = None
        self._copies = HostCopy(way or AtOnce())
        self._writing: threading.Thread | None = None
        self._error: BaseException | None = None

    def is_due(self, iteration: int) -> bool:
        """Whether the state after `iteration`, just done, should be stored."""
        if self._is_busy and iteration - self.last_iteration < self.rhythm.most_iterations:
            return False
        return self.rhythm.is_due(
            iterations=iteration - self.last_iteration,
            elapsed_s=monotonic() - self._last_at,
            cost_s=self._cost_s,
        )

    def take(self, iteration: int, state: Mapping[str, Any]) -> None:
        """Copies `state` and begins to write it; waits first until the last one is durable.

        Raises what writing the last one raised.
        """
        self.finish()
        begun_at = monotonic()
        whole = self._copies.begin(state)
        self.last_iteration = iteration
        self._last_at = monotonic()
        copying_s = self._last_at - begun_at
        self._writing = threading.Thread(
            target=self._write, args=(iteration, whole, copying_s), name="checkpoint", daemon=True
        )
        self._writing.start()

    def finish(self) -> None:
        """Returns when every checkpoint taken is durable; raises what writing one raised."""
        self._wait(None)
        error = self._error
        self._error = None
        if error is not None:
            raise error

    def close(self) -> None:
        """Waits a while for a checkpoint that is being written."""
        self._wait(TRANSFER_TIMEOUT_S)

    @property
    def _is_busy(self) -> bool:
        return self._writing is not None and self._writing.is_alive()

    def _wait(self, timeout_s: float | None) -> None:
        if self._writing is not None:
            self._writing.join(timeout_s)

    def _write(self, iteration: int, whole: Callable[[], Any], copying_s: float) -> None:
        begun_at = monotonic()
        processor_s = thread_time()
        try:
            state = whole()
            self._checkpoints.save(iteration, state)
            if self._beside is not None:
                self._beside(iteration, state)
        # `finish` raises it in the training thread, which can act on it.
        except BaseException as error:  # noqa: BLE001
            self._error = error
            return
        # On a node whose cores are all busy, training loses the processor time of this thread.
        self._cost_s = copying_s + thread_time() - processor_s
        self._tell(
            Saved(iteration, elapsed_s=copying_s + monotonic() - begun_at, cost_s=self._cost_s)
        )
