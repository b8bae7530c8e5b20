"""Builds what fills this node's folders before workers begin, and stores what they leave."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from elastic.agent.local_rpc import LocalRpcServer
from elastic.agent.mask import Mask
from elastic.agent.output_upload import OutputUploadThread
from elastic.agent.outputs import OutputUploader
from elastic.agent.settings import AgentSettings
from elastic.agent.uploader import Uploader, Uploaders
from elastic.checkpoints.folder import Look
from elastic.checkpoints.objects import FolderObjects, Objects
from elastic.durations import MINUTE_S, SELDOM_S
from elastic.protocol import Assignment, from_json
from elastic.worker.messages import Arrival

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
    checkpoints = None
    if settings.storage is not None:
        # Import boto3 only on a node with a bucket: the import takes long.
        from elastic.agent.checkpoint_upload import CheckpointUploadThread
        from elastic.agent.generation_files import GenerationFiles

        load = functools.partial(
            GenerationFiles, settings=settings, storage=settings.storage, mask=mask
        )
        checkpoints = CheckpointUploadThread(
            load=lambda assignment: load(assignment, client=connect()), say=say, wall_s=wall_s
        )

    def fill(arrival: Arrival) -> str | None:
        refusal = None
        if checkpoints is not None:
            refusal = _why("no checkpoint to go on from", checkpoints.fill(arrival.generation))
        return refusal or _why("no working folder to go on in", outputs.fill(arrival))

    threads = (outputs,) if checkpoints is None else (checkpoints, outputs)
    with _running(*threads, open_startup_barrier(settings.barrier_path, fill=fill)):
        yield Uploaders(*threads)
    if outputs.is_home:
        # Or this machine would keep the working folder of every node that has left.
        shutil.rmtree(settings.code_dir, ignore_errors=True)


def open_startup_barrier(path: Path, *, fill: Callable[[Arrival], str | None]) -> LocalRpcServer:
    """The start-up barrier that each worker of this node passes before its script begins.

    `fill` blocks until it may begin, and gives why it cannot.
    """

    def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"refusal": fill(from_json(Arrival, question))}

    return LocalRpcServer(path, answer)


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
        from elastic.checkpoints.s3 import Bucket

        return Bucket(connect(), settings.storage.below(folder))

    if settings.storage is None:
        pause_s = SELDOM_S
    else:
        # One upload a minute is 5 cents a day (docs/how-to/checkpoints.md).
        pause_s = MINUTE_S
    return OutputUploadThread(load=load, say=say, wall_s=wall_s, pause_s=pause_s)


def _client(settings: AgentSettings) -> Any:
    from elastic.checkpoints.s3 import connect

    return connect(region=settings.region)


@contextmanager
def _running(*parts: _Runs) -> Iterator[None]:
    with ExitStack() as running:
        for each in parts:
            each.start()
            running.callback(each.stop)
        yield


def _why(what: str, refusal: str | None) -> str | None:
    return None if refusal is None else f"{what}: {refusal}"
