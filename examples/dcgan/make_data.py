"""Writes random images as CIFAR-10 lays its own out: pickled batches of 32 x 32 pixels."""

import argparse
import os
import pickle
from pathlib import Path

import numpy as np

BATCHES = 5


def main(folder, images):
    if (folder / "batches.meta").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    for number in range(1, BATCHES + 1):
        count = images // BATCHES
        # 1,024 bytes of red, then of green, then of blue.
        pixels = random.integers(0, 256, (count, 3072), dtype=np.uint8)
        labels = random.integers(0, 10, count).tolist()
        write(folder / f"data_batch_{number}", {b"data": pixels, b"labels": labels})
    # Last, since it says that all is there.
    write(folder / "batches.meta", {b"num_cases_per_batch": images // BATCHES})


def write(path, content):
    """Writes a file whole or not at all: several nodes may share the folder."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    partial.write_bytes(pickle.dumps(content))
    partial.replace(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, default=800)
    given = parser.parse_args()
    main(given.folder, given.images)
