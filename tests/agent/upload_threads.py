"""Upload threads of checkpoints with what a test has to answer for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from elastic.agent.checkpoint_upload import CheckpointUploadThread
from elastic.agent.generation_files import GenerationFiles
from elastic.agent.uploader import Uploader, UploadVerdict
from elastic.agent.uploader_setup import open_startup_barrier
from elastic.worker.startup_barrier import wait_at_startup_barrier
from tests.agent.assignments import ONE

PATIENCE_S = 30.0


def verdict_of(uploader: Uploader, generation: int) -> UploadVerdict:
    """What it says of a generation that has ended, once it does."""
    until_s = time.monotonic() + PATIENCE_S
    while (verdict := uploader.verdict(generation, patience_s=PATIENCE_S)) is None:
        assert time.monotonic() < until_s, "no verdict in time"
        time.sleep(0.01)
    return verdict


class FakeCargo:
    """Takes the place of a bucket; each failure in `failures` is raised once by the next call."""

    def __init__(self) -> None:
        self.failures: list[Exception] = []
        self.is_filled = True
        self.refused: tuple[str, ...] = ()
        self.carried: list[int | None] = []
        self.rounds: list[int | None] = []
        self.brought = 0
        self.stored = threading.Event()

    def carry(self, *, iteration: int | None, session_round: int | None, now_s: float) -> bool:
        self._fail()
        self.carried.append(iteration)
        self.rounds.append(session_round)
        self.stored.set()
        return True

    def bring(self, *, tell: Callable[[str], None]) -> None:
        for each in self.refused:
            tell(each)
        self._fail()
        self.brought += 1

    def has_come_to_rest(self) -> bool:
        return False

    def carry_artifacts(self) -> None:
        self._fail()

    def carry_logs(self) -> None:
        pass

    def _fail(self) -> None:
        if self.failures:
            raise self.failures.pop(0)


class Desk:
    """A upload thread and what it has said."""

    def __init__(self) -> None:
        self.generation_files = FakeCargo()
        self.said: list[dict[str, Any]] = []
        self.upload_thread = CheckpointUploadThread(
            load=lambda _: cast("GenerationFiles", self.generation_files),
            say=self.said.extend,
            wall_s=lambda: 1.0,
            log_patience_s=0.0,
            denial_patience_s=0.5,
        )

    def checkpoint(self, iteration: int, *, generation: int = 1) -> bool:
        message = {
            "kind": "checkpoint",
            "generation": generation,
            "rank": 0,
            "iteration": iteration,
            "elapsed_s": 0.1,
        }
        return self.upload_thread.hears(message)

    def kinds(self) -> list[str]:
        return [str(message["kind"]) for message in self.said]

    def verdict(self) -> tuple[bool, str]:
        verdict = self.whole_verdict()
        return verdict.is_durable, verdict.why

    def whole_verdict(self) -> UploadVerdict:
        return verdict_of(self.upload_thread, ONE.generation)


def at_barrier(desk: Desk, folder: Path, *, generation: int) -> None:
    barrier = open_startup_barrier(
        folder / "barrier.socket", fill=lambda arrival: desk.upload_thread.fill(arrival.generation)
    )
    barrier.start()
    try:
        wait_at_startup_barrier(
            {
                "ELASTICD_BARRIER": str(folder / "barrier.socket"),
                "ELASTICD_GENERATION": str(generation),
            }
        )
    finally:
        barrier.stop()
