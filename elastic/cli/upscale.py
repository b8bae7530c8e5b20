"""`elasticd upscale`: enlarges pictures fourfold with the weights of an ESRGAN job."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elastic.cli.exits import ExitCode
from elastic.cli.options import connection_of
from elastic.client import path_of
from elastic.errors import InvalidInput, NotFound
from elastic.figures import percent
from elastic.model import JobPhase

if TYPE_CHECKING:
    from elastic.workloads.esrgan.generator import Upscaler

_SUFFIX = "_x4.png"


def upscale(
    context: typer.Context,
    pictures: Annotated[list[Path], typer.Argument(help="Image files.")],
    job: Annotated[
        str | None, typer.Option("--job", "-j", help="Take the weights of this job, by id or name.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--weights", "-w", help="Take the weights in this file (safetensors) instead."
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write to this folder; else beside each picture."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of these names that are there already.")
    ] = False,
) -> None:
    """Enlarge pictures fourfold with the weights of an ESRGAN job, to PNG files NAME_x4.png.

    A picture that cannot be enlarged is named, and the status is then 1; the others are enlarged.
    """
    if (job is None) == (file is None):
        raise InvalidInput("upscale: wanted either --job or --weights, to know what to enlarge by")
    targets = {
        picture: (folder or picture.parent) / f"{picture.stem}{_SUFFIX}" for picture in pictures
    }
    with _weights(context, job, file) as weights:
        left_out: list[InvalidInput] = []
        upscaler = _upscaler(weights, targets, replaces=force, left_out=left_out)
        for picture, target in targets.items():
            try:
                width, height = upscaler.upscale(picture, target, tell=_teller(picture))
            except InvalidInput as error:
                # The head of a file may be sound, and the rest damaged.
                left_out.append(error)
            else:
                print(f"{target}: {width} x {height}", flush=True)
    if left_out:
        for each in left_out:
            print(f"left out: {each}", file=sys.stderr)
        raise typer.Exit(ExitCode.ERROR)


def _upscaler(
    weights: Path, targets: dict[Path, Path], *, replaces: bool, left_out: list[InvalidInput]
) -> Upscaler:
    """Loads the upscaler, and moves pictures that cannot be enlarged to `left_out`.

    These are no images, or their targets exist. Raises InvalidInput if none is left.
    """
    try:
        from elastic.workloads.esrgan.generator import upscaler_of
        from elastic.workloads.pictures import size_of
    except ModuleNotFoundError as error:
        raise InvalidInput(
            f"upscale: {error.name} is not installed here: pip install 'elasticd[train]'"
        ) from error
    taken: dict[Path, Path] = {}
    for picture, target in list(targets.items()):
        try:
            # The head of each file first: to load the network takes seconds, for pictures that are
            # none.
            size_of(picture)
            if target.exists() and not replaces:
                raise InvalidInput(f"{picture}: {target} is there already; --force replaces it")
        except InvalidInput as error:
            left_out.append(error)
            del targets[picture]
            continue
        # a.jpg and a.png: the second would replace what the first has just become.
        if (other := taken.setdefault(target, picture)) != picture:
            raise InvalidInput(
                f"upscale: {other} and {picture} would both be written to {target}; enlarge one by "
                "one"
            )
    if not targets:
        raise InvalidInput("; ".join(str(each) for each in left_out))
    return upscaler_of(weights)


@contextmanager
def _weights(context: typer.Context, job: str | None, file: Path | None) -> Iterator[Path]:
    """The file of weights: the named one, or the job's, which is downloaded."""
    if file is not None:
        yield file
        return
    assert job is not None
    with tempfile.TemporaryDirectory(prefix="elasticd-upscale-") as folder:
        fetched = Path(folder) / "weights.safetensors"
        fetched.write_bytes(_fetched(context, job))
        yield fetched


def _fetched(context: typer.Context, job: str) -> bytes:
    """Downloads a job's averaged weights. Raises NotFound if it has none yet."""
    from elastic.workloads.esrgan.weights import AVERAGE

    with connection_of(context).open() as client:
        found = client.get(path_of(job))
        if found["spec"]["workload"] != "esrgan":
            raise InvalidInput(
                f"{job}: wanted a job of the workload esrgan, found one that runs another program"
            )
        artifacts = client.get(f"{path_of(job)}/artifacts")["items"]
        href = next((each["href"] for each in artifacts if each["name"] == AVERAGE), None)
        if href is None:
            phase = JobPhase(found["phase"])
            at = f"at iteration {found['progress']['iteration']}"
            if phase.is_final:
                raise NotFound(f"{job} has left no weights: it {phase.predicate} {at}")
            raise NotFound(
                f"{job} has no weights yet: it {phase.predicate}, {at}. It writes them with each "
                "checkpoint, or where checkpoints go to a bucket, when nodes end. Wait "
                f"(`elasticd job watch {job}`), or stop it, which writes them too"
            )
        return client.content(href)


def _teller(picture: Path) -> Callable[[float], None]:
    """Prints on a terminal how much of a picture is done; elsewhere nothing."""

    def tell(done: float) -> None:
        ending = "\r" if done < 1 else "\r\033[K"
        print(f"{picture}: {percent(done)}", end=ending, file=sys.stderr, flush=True)

    if sys.stderr.isatty():
        return tell
    return lambda done: None
