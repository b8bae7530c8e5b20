"""Two processes that never meet: the author forgot DistributedDataParallel, so each trains a model
of its own."""

import time

import torch
from runlog import log

log("started")
model = torch.nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
log("begins at 0")
for step in range(1, 401):
    optimizer.zero_grad()
    loss = (model(torch.rand(8, 6)) - 1).square().mean()
    loss.backward()
    time.sleep(0.04)  # a larger model
    optimizer.step()
    log(f"at {step} loss {loss.item():.4f}")
log("done")
