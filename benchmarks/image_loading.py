"""What a training sample costs the processor with many image files, and what it costs to find and
look over these.

    python benchmarks/image_loading.py                   200,000 files of 256 x 256, crops of 128
    python benchmarks/image_loading.py --files 1000

The files are hard links to 64 different JPEGs of chance, smoothed to compress as photographs do.
One thread; CPU-seconds. Ends with status 1 where a sample costs more than 1.5 ms.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from time import process_time

import numpy
import torch
from PIL import Image, ImageFilter

from elastic.workloads.esrgan import EsrganOptions
from elastic.workloads.esrgan.training import Batches
from elastic.workloads.group import ProcessGroup
from elastic.workloads.image_folder import look_over
from elastic.workloads.photographs import open_photographs
from elastic.workloads.pictures import read_pixels

DIFFERENT = 64
SIZE = (256, 256)  # width and height
QUALITY = 95
BATCH, BATCHES = 16, 60
TARGET_MS = 1.5


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=200_000)
    parser.add_argument("--crop", type=int, default=128)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), arguments.files)
        return measure(Path(folder), arguments.files, arguments.crop)


def measure(folder: Path, files: int, crop: int) -> int:
    """Prints what each part costs; gives the exit status."""
    options = EsrganOptions(
        data=str(folder), batch_size=BATCH, n_cpu=0, hr_height=crop, hr_width=crop
    )
    begun_s = process_time()
    photographs, _ = open_photographs(options.data, None, height=crop, width=crop, channels=3)
    listing_s = process_time() - begun_s
    batches = Batches(photographs, options, ProcessGroup(0, 1, torch.device("cpu")))
    batches.at(0)  # shuffles an epoch
    begun_s = process_time()
    for number in range(1, 1 + BATCHES):
        batches.at(number * BATCH)
    sample_ms = (process_time() - begun_s) / (BATCH * BATCHES) * 1e3
    begun_s = process_time()
    for path in photographs.paths[: BATCH * BATCHES]:
        read_pixels(path)
    decoding_ms = (process_time() - begun_s) / min(BATCH * BATCHES, len(photographs.paths)) * 1e3
    begun_s = process_time()
    look_over(folder, height=crop, width=crop, most_unreadable=0)
    look_s = process_time() - begun_s
    print(f"{files:,} files of {SIZE[0]} x {SIZE[1]}, crops of {crop} x {crop}, one thread:")
    print(
        f"  a sample            {sample_ms:6.2f} CPU-ms, of which decoding {decoding_ms:.2f} "
        f"(target: {TARGET_MS})"
    )
    print(f"  finding the files   {listing_s:6.2f} CPU-s, at each start of a worker")
    print(
        f"  looking them over   {look_s:6.2f} CPU-s, once a job: {look_s / files * 1e3:.3f} ms a "
        "file"
    )
    return 0 if sample_ms <= TARGET_MS else 1


def write_files(folder: Path, count: int) -> None:
    chance = numpy.random.default_rng(0)
    names = [folder / f"{number:06d}.jpg" for number in range(count)]
    for name in names[:DIFFERENT]:
        noise = Image.fromarray(chance.integers(0, 256, (SIZE[1], SIZE[0], 3), dtype=numpy.uint8))
        noise.filter(ImageFilter.GaussianBlur(1)).save(name, quality=QUALITY)
    for number, name in enumerate(names[DIFFERENT:]):
        os.link(names[number % DIFFERENT], name)


if __name__ == "__main__":
    sys.exit(main())
