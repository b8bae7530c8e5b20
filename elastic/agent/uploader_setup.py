"""Builds what fills this node's folders before workers begin, and stores what they leave."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from elastic.agent.mask import Mask
from elastic.agent.output_upload import OutputUploadThread
from elastic.agent.outputs import OutputUploader
from elastic.agent.settings import AgentSettings
from elastic.agent.startup_barrier import open_startup_barrier
from elastic.agent.uploader import Both, SharedFolder, Uploader
from elastic.checkpoints import Location
from elastic.checkpoints.folder import Look
from elastic.checkpoints.objects import FolderObjects, Objects
from elastic.durations import MINUTE_S, SELDOM_S
from elastic.protocol import Assignment
from elastic.worker.messages import Arrival

_CHECKPOINT = "no checkpoint to go on from"
_WORKING = "no working folder to go on in"

Say = Callable[[Sequence[dict[str, Any]]], None]


class _Runs(Protocol):
    def start(self) -> None: ...

    def stop(self) -> None: ...


@contextmanager
def open_uploader(
    settings: AgentSettings, *, say: Say, wall_s: Callable[[], float], mask: Mask | None = None
) -> Iterator[Uploader]:
    """Stores outputs, and checkpoints if there is a bucket, until the end of the block.

    What `mask` knows is stored in no log.
    """
    connect = functools.cache(lambda: _client(settings))
    outputs = _output_upload_thread(settings, connect, say=say, wall_s=wall_s)
    if settings.storage is None:
        with _running(
            outputs,
            open_startup_barrier(
                settings.barrier_path, fill=lambda each: _why(_WORKING, outputs.fill(each))
            ),
        ):
            yield Both(SharedFolder(), outputs)
        _tidy(settings, outputs)
        return
    # Import boto3 only on a node with a bucket: the import takes long.
    from elastic.agent.checkpoint_upload import CheckpointUploadThread
    from elastic.agent.generation_files import GenerationFiles

    storage = settings.storage

    def load(assignment: Assignment) -> GenerationFiles:
        return GenerationFiles(
            assignment, settings=settings, client=connect(), storage=storage, mask=mask or Mask()
        )

    upload_thread = CheckpointUploadThread(load=load, say=say, wall_s=wall_s)

    def fill(arrival: Arrival) -> str | None:
        return _why(_CHECKPOINT, upload_thread.fill(arrival.generation)) or _why(
            _WORKING, outputs.fill(arrival)
        )

    with _running(outputs, upload_thread, open_startup_barrier(settings.barrier_path, fill=fill)):
        yield Both(upload_thread, outputs)
    _tidy(settings, outputs)


def _output_upload_thread(
    settings: AgentSettings, connect: Callable[[], Any], *, say: Say, wall_s: Callable[[], float]
) -> OutputUploadThread:
    digests: dict[Look, str] = {}

    def load(assignment: Assignment) -> OutputUploader:
        return OutputUploader(
            assignment, settings=settings, objects=objects(assignment.output_dir), digests=digests
        )

    def objects(folder: str) -> Objects:
        if settings.storage is None:
            return FolderObjects(settings.artifact_root / folder)
        return _bucket(connect(), settings.storage.below(folder))

    if settings.storage is None:
        pause_s = SELDOM_S
    else:
        # One upload a minute is 5 cents a day (docs/how-to/checkpoints.md).
        pause_s = MINUTE_S
    return OutputUploadThread(load=load, say=say, wall_s=wall_s, pause_s=pause_s)


def _tidy(settings: AgentSettings, outputs: OutputUploadThread) -> None:
    """Removes the working folder of a node that leaves, or this machine would keep each copy."""
    if outputs.is_home:
        shutil.rmtree(settings.code_dir, ignore_errors=True)


def _client(settings: AgentSettings) -> Any:
    from elastic.checkpoints.s3 import connect

    return connect(region=settings.region)


def _bucket(client: Any, location: Location) -> Objects:
    from elastic.checkpoints.s3 import Bucket

    return Bucket(client, location)


@contextmanager
def _running(*parts: _Runs) -> Iterator[None]:
    with ExitStack() as running:
        for each in parts:
            each.start()
            running.callback(each.stop)
        yield


def _why(what: str, refusal: str | None) -> str | None:
    return None if refusal is None else f"{what}: {refusal}"
