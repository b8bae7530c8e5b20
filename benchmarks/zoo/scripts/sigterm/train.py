"""Saves when it is told to stop: a handler of SIGTERM sets a flag, the loop writes a checkpoint and
leaves with 0."""

import json
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from runlog import log, log_saved

stop_requested = False


def on_sigterm(signum, frame):
    global stop_requested
    stop_requested = True


def save(model, optimizer, step, history):
    torch.save(
        {"model": model.state_dict(), "optim": optimizer.state_dict(), "step": step}, "ckpt.pt.new"
    )
    os.rename("ckpt.pt.new", "ckpt.pt")
    with open("history.json", "w") as f:
        json.dump(history, f)
    log_saved("ckpt.pt")
    log_saved("history.json")


if __name__ == "__main__":
    log("started")
    signal.signal(signal.SIGTERM, on_sigterm)
    dist.init_process_group("gloo")
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    step, history = 0, []
    if os.path.exists("ckpt.pt"):
        ckpt = torch.load("ckpt.pt")
        model.load_state_dict(ckpt["model"])
        optimizer.load_state_dict(ckpt["optim"])
        step = ckpt["step"]
        with open("history.json") as f:
            history = json.load(f)
    log(f"begins at {step}")
    ddp = torch.nn.parallel.DistributedDataParallel(model)
    while step < 1150:
        optimizer.zero_grad()
        loss = ddp(torch.rand(4, 8)).square().mean()
        loss.backward()
        time.sleep(0.04)  # a larger model
        optimizer.step()
        step += 1
        log(f"at {step} loss {loss.item():.4f}")
        if step % 100 == 0:
            history.append([step, loss.item()])
        if dist.get_rank() == 0 and (step % 200 == 0 or stop_requested):
            save(model, optimizer, step, history)
        if stop_requested:
            log("stops on SIGTERM")
            sys.exit(0)
    if dist.get_rank() == 0:
        save(model, optimizer, step, history)
    log("done")
