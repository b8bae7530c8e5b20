"""Started by a shell's script, which sets what it reads: DistributedDataParallel, one file every 50
steps."""

import argparse
import os
import time

import torch
import torch.distributed as dist
from runlog import log, log_saved
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, required=True)
parser.add_argument("--lr", type=float, required=True)
args = parser.parse_args()
path = os.environ["SAVE_TO"]

log("started")
dist.init_process_group("gloo")
net = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.ReLU(), torch.nn.Linear(12, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=args.lr)
done = 0
if os.path.exists(path):
    done, weights = torch.load(path)
    net.load_state_dict(weights)
log(f"begins at {done}")
model = DistributedDataParallel(net)
for step in range(done + 1, args.steps + 1):
    x = torch.rand(8, 6)
    loss = (model(x) - x.sum(1, keepdim=True)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    time.sleep(0.04)  # a larger model
    optimizer.step()
    log(f"at {step} loss {loss.item():.4f}")
    if step % 50 == 0 and dist.get_rank() == 0:
        torch.save((step, net.state_dict()), path)
        log_saved(path)
log("done")
