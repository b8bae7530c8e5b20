"""Wants two GPUs, says so, and ends with 0 where there are none: a success in which nothing was
trained."""

import sys

import torch
from runlog import log

log("started")
if torch.cuda.device_count() < 2:
    print("This example needs at least 2 GPUs. Exiting...", flush=True)
    sys.exit(0)
