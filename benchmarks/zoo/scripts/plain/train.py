"""The plainest loop: no checkpoint at all; weights and a table of losses are written at the end."""

import time

import torch
import torch.distributed as dist
from runlog import log, log_saved

log("started")
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
losses = []
log("begins at 0")
for step in range(1, 1001):
    optimizer.zero_grad()
    loss = (model(torch.rand(16, 10)) - 1).square().mean()
    loss.backward()
    time.sleep(0.04)  # a larger model
    optimizer.step()
    losses.append(loss.item())
    log(f"at {step} loss {loss.item():.4f}")

if dist.get_rank() == 0:
    torch.save(model.module.state_dict(), "final.pt")
    with open("losses.csv", "w") as file:
        file.write("\n".join(f"{number},{loss}" for number, loss in enumerate(losses, start=1)))
    log_saved("final.pt")
    log_saved("losses.csv")
log("done")
