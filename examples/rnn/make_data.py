"""Writes random digits as MNIST lays its own out: a file of images and a file of labels."""

import argparse
import os
import struct
from pathlib import Path

import numpy as np


def main(folder, images):
    labels_file = folder / "train-labels-idx1-ubyte"
    if labels_file.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    labels = random.integers(0, 10, images, dtype=np.uint8)
    pixels = random.integers(0, 64, (images, 28, 28), dtype=np.uint8)
    # A bright bar whose height tells the digit, so that there is something to learn.
    for image, label in zip(pixels, labels, strict=True):
        image[2 * label + 4 : 2 * label + 7] += 160
    # The format of both: a magic number, the sizes, then the bytes.
    header = struct.pack(">iiii", 2051, images, 28, 28)
    write(folder / "train-images-idx3-ubyte", header + pixels.tobytes())
    # Last, since it says that all is there.
    write(labels_file, struct.pack(">ii", 2049, images) + labels.tobytes())


def write(path, content):
    """Writes a file whole or not at all: several nodes may share the folder."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    partial.write_bytes(content)
    partial.replace(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, default=3200)
    given = parser.parse_args()
    main(given.folder, given.images)
