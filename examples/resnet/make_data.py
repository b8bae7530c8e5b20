"""Writes random pictures as ImageNet lays its own out: a folder of JPEGs for each class."""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

CLASSES = ("n01440764", "n02102040", "n02979186", "n03000684")


def main(folder, images, size):
    done = folder / "done"
    if done.exists():
        return
    random = np.random.default_rng(0)
    for number, name in enumerate(CLASSES):
        place = folder / "train" / name
        place.mkdir(parents=True, exist_ok=True)
        for index in range(images):
            pixels = random.integers(0, 128, (size, size, 3), dtype=np.uint8)
            # A brighter quarter tells the class, so that there is something to learn.
            down, right = divmod(number, 2)
            half = size // 2
            pixels[down * half : down * half + half, right * half : right * half + half] += 100
            Image.fromarray(pixels).save(place / f"{name}_{index}.JPEG")
    done.touch()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, default=120, help="of each class")
    parser.add_argument("--size", type=int, default=72)
    given = parser.parse_args()
    main(given.folder, given.images, given.size)
