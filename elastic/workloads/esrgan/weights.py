"""The generator's weights as safetensors, to enlarge pictures or to begin another job with."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

from elastic.errors import InvalidInput
from elastic.workloads.esrgan.options import EsrganOptions, preset_of

LAST = "generator.safetensors"
# The weights as the last iteration left them, and their moving average.
AVERAGE = "generator_ema.safetensors"
PROGRAM = "elasticd esrgan"
SCALE = 4
# The options that a generator's shape follows from.
_SHAPING: Mapping[str, type] = {
    "channels": int,
    "filters": int,
    "residual_blocks": int,
    "skip": str,
}
_MODE = 0o644  # safetensors itself makes files that only their owner may read
_MOST_HEADER_BYTES = 100_000_000  # safetensors' own limit


def write(
    folder: Path,
    options: EsrganOptions,
    *,
    last: Mapping[str, Any],
    average: Mapping[str, Any],
    iteration: int,
    iterations: int,
) -> None:
    """Writes both files, each complete or absent; tensors have the names of the parameters."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    for name, tensors in ((LAST, last), (AVERAGE, average)):
        partial = folder / f"{name}.{token_hex(4)}.partial"
        told = {
            "format": "pt",  # safetensors' name for a tensor layout, here torch's
            "program": PROGRAM,
            "scale": str(SCALE),
            **{each: str(getattr(options, each)) for each in _SHAPING},
            "preset": preset_of(options) or "none",
            "iteration": str(iteration),
            "iterations": str(iterations),
            "is_moving_average": str(name == AVERAGE).lower(),
        }
        try:
            save_file(
                # safetensors takes only contiguous tensors.
                {each: tensor.contiguous() for each, tensor in tensors.items()},
                partial,
                metadata=told,
            )
            partial.chmod(_MODE)
            partial.replace(folder / name)
        finally:
            partial.unlink(missing_ok=True)


def metadata_of(path: Path) -> dict[str, str]:
    """Gives what a file says of its weights, from its head alone and without torch. Raises
    InvalidInput."""
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > _MOST_HEADER_BYTES:
                raise ValueError("its head is too long")
            header = json.loads(file.read(length))
        told = header.get("__metadata__", {})
    except FileNotFoundError as error:
        raise InvalidInput(f"{path}: wanted weights (safetensors), found no such file") from error
    except OSError as error:
        raise InvalidInput(f"{path}: wanted weights (safetensors): {error.strerror}") from error
    except (ValueError, AttributeError, struct.error) as error:
        raise InvalidInput(
            f"{path}: wanted weights (safetensors), found a file of another kind"
        ) from error
    if told.get("program") != PROGRAM:
        raise InvalidInput(
            f"{path}: wanted weights that a job of the workload esrgan left ({LAST} or {AVERAGE}), "
            "found others"
        )
    return dict(told)


def shape_of(path: Path) -> EsrganOptions:
    """Gives options of a generator of the shape that a file says. Raises InvalidInput."""
    told = metadata_of(path)
    try:
        return EsrganOptions(**{name: kind(told[name]) for name, kind in _SHAPING.items()})
    except (KeyError, ValueError, InvalidInput) as error:
        raise InvalidInput(
            f"{path}: wanted weights that say of which shape they are, found them damaged"
        ) from error


def check_fit(path: Path, options: EsrganOptions) -> None:
    """Raises InvalidInput if a file's weights do not have the shape that a job trains."""
    found = shape_of(path)
    unlike = [name for name in _SHAPING if getattr(found, name) != getattr(options, name)]
    if unlike:
        wanted, has = (_named(each, unlike) for each in (options, found))
        raise InvalidInput(
            f"init: wanted weights with {wanted}, as this job trains; {path} has {has}: give the "
            "job these options, or another file",
            field="init",
        )


def read(path: Path) -> dict[str, Any]:
    """Returns the tensors by name. Raises InvalidInput."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    metadata_of(path)
    try:
        return dict(load_file(path))
    except (SafetensorError, OSError) as error:
        raise InvalidInput(
            f"{path}: wanted weights (safetensors), found a damaged file ({error})"
        ) from error


def put(path: Path, generator: Any) -> None:
    """Copies a file's tensors into a generator. Raises InvalidInput."""
    try:
        generator.load_state_dict(read(path))
    # torch names every tensor that is missing, extra, or of another shape.
    except RuntimeError as error:
        raise InvalidInput(
            f"{path}: wanted weights of the shape that it says, found others ({error})"
        ) from error


def _named(options: EsrganOptions, names: Sequence[str]) -> str:
    return ", ".join(f"{name} {getattr(options, name)}" for name in names)
