"""`elasticd upscale`: enlarges pictures fourfold by the weights that an ESRGAN job has trained."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elastic.cli.job import path_of
from elastic.cli.options import connection_of
from elastic.errors import InvalidInput, NotFound
from elastic.figures import percent
from elastic.model import JobPhase

if TYPE_CHECKING:
    from elastic.workloads.esrgan.upscaling import Upscaler

_SUFFIX = "_x4.png"


def upscale(
    context: typer.Context,
    pictures: Annotated[list[Path], typer.Argument(help="Image files.")],
    job: Annotated[str | None, typer.Option("--job", "-j", help="Take the weights of this job, by id or name.")] = None,
    file: Annotated[
        Path | None, typer.Option("--weights", "-w", help="Take the weights in this file (safetensors) instead.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this folder; else beside each picture.")
    ] = None,
) -> None:
    """Enlarge pictures fourfold by the weights that an ESRGAN job has trained, to PNG files NAME_x4.png."""
    if (job is None) == (file is None):
        raise InvalidInput("upscale: wanted either --job or --weights, to know what to enlarge by")
    targets = {picture: (folder or picture.parent) / f"{picture.stem}{_SUFFIX}" for picture in pictures}
    with _weights(context, job, file) as weights:
        upscaler = _upscaler(weights, targets)
        for picture, target in targets.items():
            width, height = upscaler.upscale(picture, target, tell=_teller(picture))
            print(f"{target}: {width} x {height}", flush=True)


def _upscaler(weights: Path, targets: Mapping[Path, Path]) -> Upscaler:
    """Gives what enlarges. Raises InvalidInput before anything is written, where any of the pictures is none."""
    try:
        from elastic.workloads.esrgan.upscaling import upscaler_of
        from elastic.workloads.pictures import size_of
    except ModuleNotFoundError as error:
        raise InvalidInput(f"upscale: {error.name} is not installed here: pip install 'elasticd[train]'") from error
    taken: dict[Path, Path] = {}
    for picture, target in targets.items():
        size_of(picture)
        if (other := taken.setdefault(target, picture)) != picture:
            raise InvalidInput(f"upscale: {other} and {picture} would both be written to {target}; enlarge one by one")
    return upscaler_of(weights)


@contextmanager
def _weights(context: typer.Context, job: str | None, file: Path | None) -> Iterator[Path]:
    """Gives the file of weights: the named one, or the job's, which is fetched."""
    if file is not None:
        yield file
        return
    assert job is not None
    with tempfile.TemporaryDirectory(prefix="elasticd-upscale-") as folder:
        fetched = Path(folder) / "weights.safetensors"
        fetched.write_bytes(_fetched(context, job))
        yield fetched


def _fetched(context: typer.Context, job: str) -> bytes:
    """Gives the averaged weights that a job has left. Raises NotFound where it has left none yet."""
    from elastic.workloads.esrgan.weights import AVERAGE

    with connection_of(context).open() as client:
        found = client.get(path_of(job))
        if found["spec"]["workload"] != "esrgan":
            raise InvalidInput(f"{job}: wanted a job of the workload esrgan, found one that runs another program")
        artifacts = client.get(f"{path_of(job)}/artifacts")["items"]
        href = next((each["href"] for each in artifacts if each["name"] == AVERAGE), None)
        if href is None:
            phase, at = JobPhase(found["phase"]), f"at iteration {found['progress']['iteration']}"
            if phase.is_final:
                raise NotFound(f"{job} has left no weights: it {phase.predicate} {at}")
            raise NotFound(
                f"{job} has no weights yet: it {phase.predicate}, {at}. It leaves them with each checkpoint, "
                "or where checkpoints go to a bucket, when nodes end. Wait "
                f"(`elasticd job watch {job}`), or stop it, which leaves them too"
            )
        return client.content(href)


def _teller(picture: Path) -> Callable[[float], None]:
    """Gives what says on a terminal how much of a picture is done."""

    def tell(done: float) -> None:
        ending = "\r" if done < 1 else "\r\033[K"
        print(f"{picture}: {percent(done)}", end=ending, file=sys.stderr, flush=True)

    return tell if sys.stderr.isatty() else lambda done: None
