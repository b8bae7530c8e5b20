"""How fast this machine is, by what every cold worker does before its first step."""

from __future__ import annotations

import subprocess
import sys
from statistics import median

ROUNDS = 3
SCRIPT = """
from time import process_time
began_s = process_time()
import torch
imported_s = process_time()
torch.optim.Adam([torch.zeros(1, requires_grad=True)])
print(imported_s - began_s, process_time() - imported_s)
"""


def told() -> str:
    """Gives the CPU-seconds of importing torch, and of the first optimizer, which imports
    torch._dynamo."""
    imports_s, optimizers_s = zip(*(_start() for _ in range(ROUNDS)), strict=True)
    first_s, then_s = median(imports_s), median(optimizers_s)
    return (
        f"{first_s + then_s:.1f} CPU-s: {first_s:.1f} import torch, {then_s:.1f} the first "
        "optimizer"
    )


def _start() -> tuple[float, float]:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    imported_s, made_s = map(float, run.stdout.split())
    return imported_s, made_s
