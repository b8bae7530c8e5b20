"""Runs out of memory at step 30, each time: the batch is too large for the machine."""

import time

import torch
from runlog import log

log("started")
model = torch.nn.Linear(16, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
log("begins at 0")
for step in range(1, 1001):
    optimizer.zero_grad()
    if step == 30:
        raise torch.OutOfMemoryError(
            "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has 15.77 GiB in total"
        )
    model(torch.rand(64, 16)).square().mean().backward()
    time.sleep(0.04)  # a larger model
    optimizer.step()
    log(f"at {step}")
