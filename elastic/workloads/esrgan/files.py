"""The files that a job's options name: where they are, and whether they can be trained on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from elastic.errors import InvalidInput
from elastic.workloads.esrgan import weights
from elastic.workloads.esrgan.options import NAME, EsrganOptions, no_dataset
from elastic.workloads.image_folder import BUNDLED, look_over


def placed(values: Mapping[str, object], folder: Path) -> dict[str, object]:
    """Returns options with absolute paths of images and weights; relative ones count from `folder`.

    A `dataset_name` without `data` is looked for where the reference program has it, and in the
    folder's own `data`. Raises InvalidInput if it is in neither.
    """
    found = dict(values)
    name, data, init = (found.get(each) for each in ("dataset_name", "data", "init"))
    if isinstance(data, str) and data not in ("", BUNDLED) and data[0] != "~" and "://" not in data:
        found["data"] = str(folder.resolve() / data)
    elif isinstance(name, str) and NAME.fullmatch(name) and data is None:
        roots = [(folder / each).resolve() for each in ("data", "../../data")]
        root = next((each for each in roots if (each / name).is_dir()), None)
        if root is None:
            raise no_dataset(name, "at " + " and ".join(str(each / name) for each in roots))
        found["data"] = str(root)
    if isinstance(init, str) and (folder / init).is_file():
        found["init"] = str(folder.resolve() / init)
    return found


def looked_over(options: EsrganOptions) -> list[str]:
    """Returns notes on a job's images and first weights on this machine. Raises InvalidInput.

    Files that are not here are not checked.
    """
    told = _first_weights(options)
    if options.data == BUNDLED:
        return [
            *told,
            f"data: the photographs that scikit-image brings ({BUNDLED}); `data` names a folder of "
            "your own",
        ]
    folder = image_folder(options)
    if not folder.is_dir():
        return [
            *told,
            f"data: {options.data} is not on this machine; the first node looks at its images "
            "before it trains",
        ]
    try:
        seen = look_over(
            folder,
            height=options.hr_height,
            width=options.hr_width,
            most_unreadable=options.most_unreadable,
        )
        return [*told, *seen]
    except ModuleNotFoundError as error:
        unseen = (
            f"data: no image was looked at, because {error.name} is not installed here; the first "
            "node looks at them"
        )
        return [*told, unseen]


def _first_weights(options: EsrganOptions) -> list[str]:
    """Returns notes on the weights that a job begins with. Raises InvalidInput."""
    path = init_path(options)
    if options.init is None or path is None:
        return []
    if path.exists():
        weights.check_fit(path, options)
        return []
    is_relative = not Path(options.init).is_absolute()
    if is_relative and (options.data == BUNDLED or Path(options.data).is_dir()):
        where = "beside the job's file"
        if options.data != BUNDLED:
            where = f"beside the job's file and in {options.data}"
        raise InvalidInput(
            f"init: wanted weights (safetensors), found no {options.init} {where}; `elasticd job "
            "artifacts NAME --save DIR` brings those that a job left",
            field="init",
        )
    where = options.init
    if is_relative:
        where = f"{options.init} in {options.data}"
    return [f"init: {where} is not on this machine; the first node looks at it before it trains"]


def brought(options: EsrganOptions, environment: Mapping[str, str]) -> EsrganOptions:
    """Returns options whose data is where the agent downloaded it, if it is in a bucket."""
    if "://" not in options.data:
        return options
    folder = environment.get("ELASTICD_DATA_DIR")
    if folder is None:
        raise InvalidInput(
            f"data: wanted a folder, got {options.data}, which elasticd fetches to its nodes",
            field="data",
        )
    return dataclasses.replace(options, data=folder)


def image_folder(options: EsrganOptions) -> Path:
    """Returns the folder of the images, unless they are the bundled ones."""
    return Path(options.data) / (options.dataset_name or "")


def init_path(options: EsrganOptions) -> Path | None:
    """Returns the file of the first weights, if the options name one."""
    if options.init is None:
        return None
    return Path(options.data) / options.init
