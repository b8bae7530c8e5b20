"""Gradient accumulation: four micro-batches a step, a schedule, clipping, and a checkpoint every 50
steps."""

import contextlib
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from runlog import log, log_saved
from torch.nn.parallel import DistributedDataParallel as DDP

ACCUMULATE = 4
TOTAL_STEPS = int(os.environ.get("TOTAL_STEPS", "1400"))
CHECKPOINT = Path("checkpoints/latest.pt")


def main():
    log("started")
    dist.init_process_group(backend="gloo")
    rank = dist.get_rank()
    torch.manual_seed(rank)
    net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4))
    net = DDP(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=TOTAL_STEPS)
    step = 0
    if CHECKPOINT.exists():
        state = torch.load(CHECKPOINT, map_location="cpu")
        net.module.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        scheduler.load_state_dict(state["scheduler"])
        step = state["step"]
    log(f"begins at {step}")
    while step < TOTAL_STEPS:
        total = 0.0
        for micro in range(ACCUMULATE):
            is_last = micro == ACCUMULATE - 1
            with contextlib.nullcontext() if is_last else net.no_sync():
                x = torch.randn(8, 16)
                loss = net(x).square().mean() / ACCUMULATE
                loss.backward()
                total += loss.item()
            time.sleep(0.01)  # a larger model
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        log(f"at {step} loss {total:.4f} lr {scheduler.get_last_lr()[0]:.2e}")
        if rank == 0 and step % 50 == 0:
            CHECKPOINT.parent.mkdir(exist_ok=True)
            state = {"net": net.module.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save({**state, "scheduler": scheduler.state_dict(), "step": step}, CHECKPOINT)
            log_saved(str(CHECKPOINT))
    log("done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
