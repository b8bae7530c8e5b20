"""No DistributedDataParallel: torchrun's variables, a batch divided over the ranks, gradients
summed by all_reduce."""

import argparse
import os
import time

import torch
import torch.distributed as dist
from runlog import log, log_saved


def average_gradients(model, world_size):
    for param in model.parameters():
        dist.all_reduce(param.grad, op=dist.ReduceOp.SUM)
        param.grad /= world_size


def run(args):
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    torch.manual_seed(1234)
    model = torch.nn.Sequential(torch.nn.Linear(12, 24), torch.nn.Tanh(), torch.nn.Linear(24, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.5)
    first = 0
    if os.path.exists(args.checkpoint):
        loaded = torch.load(args.checkpoint)
        first = loaded["iteration"]
        model.load_state_dict(loaded["model"])
        optimizer.load_state_dict(loaded["optimizer"])
    log(f"begins at {first}")
    for iteration in range(first + 1, args.iterations + 1):
        inputs = torch.randn(args.batch // world_size, 12)
        optimizer.zero_grad()
        loss = model(inputs).pow(2).mean()
        loss.backward()
        average_gradients(model, world_size)
        time.sleep(0.04)  # a larger model
        optimizer.step()
        log(f"at {iteration} loss {loss.item():.5f}")
        if iteration % args.save_every == 0:
            if rank == 0:
                state = {
                    "iteration": iteration,
                    "model": model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                }
                torch.save(state, args.checkpoint)
                log_saved(args.checkpoint)
            dist.barrier()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=1400)
    parser.add_argument("--batch", type=int, default=64, help="samples an iteration over all ranks")
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--save-every", type=int, default=25)
    parser.add_argument("--checkpoint", default="./state.pth")
    log("started")
    run(parser.parse_args())
    log("done")
