"""One rank of a real gloo group, for the test of uneven shares: trains in float64, the first rank
keeps the state."""

from __future__ import annotations

import json
import sys

import torch

from elastic.workloads.group import joined
from elastic.workloads.photographs import open_photographs
from tests.workloads.esrgan.builders import tiny_options, train_in_float64


def main(folder: str, target: str, shares: tuple[int, ...]) -> None:
    options = tiny_options(data=folder)
    photographs, _ = open_photographs(
        folder, None, height=options.hr_height, width=options.hr_width, channels=3
    )
    with joined(timeout_s=options.collective_timeout_s) as group:
        state = train_in_float64(options, group, photographs, shares)
        if group.is_first:
            torch.save(state, target)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], tuple(json.loads(sys.argv[3])))
