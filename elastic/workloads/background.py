"""Checkpoints beside the training: the state is copied between two turns and written by a thread of
its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic, thread_time
from typing import Any

from elastic.workloads.checkpoint import Checkpoints
from elastic.workloads.host_copy import AtOnce, CopyWay, HostCopy
from elastic.workloads.rhythm import Rhythm

CLOSE_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Saved:
    """A checkpoint that is durable: writing it took `elapsed_s`; `cost_s` is what it took from
    training at most."""

    iteration: int
    elapsed_s: float
    cost_s: float


class BackgroundSaver:
    """Makes one checkpoint at a time; `tell` is called from the writing thread once one is durable.

    The copy is kept and filled again, so that memory is asked for once: twice the state's size in
    all. `last_iteration` is the one taken last, or `at`. `rhythm` may be changed at any time. `way`
    is that from the device on which the state lies. `beside` is called in the writing thread with
    what has become durable, before `tell` is.
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
        """Whether `iteration`, which has just been done, is one to keep."""
        if self._is_busy and iteration - self.last_iteration < self.rhythm.most_iterations:
            return False
        return self.rhythm.is_due(
            iterations=iteration - self.last_iteration,
            elapsed_s=monotonic() - self._last_at,
            cost_s=self._cost_s,
        )

    def take(self, iteration: int, state: Mapping[str, Any]) -> None:
        """Copies `state` and begins to write it; waits first until the one before is durable.

        Raises what writing that one raised.
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
        """Lets a checkpoint that is being written become whole."""
        self._wait(CLOSE_TIMEOUT_S)

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
        except BaseException as error:  # noqa: BLE001 (it is raised where somebody can act: in the training's thread)
            self._error = error
            return
        # On a node whose cores are all busy, the processor's time is what training goes without.
        self._cost_s = copying_s + thread_time() - processor_s
        self._tell(
            Saved(iteration, elapsed_s=copying_s + monotonic() - begun_at, cost_s=self._cost_s)
        )
