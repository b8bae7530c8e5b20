"""By epochs, with a progress bar: last.pt after each, best.pt where validation improves,
results.csv."""

import argparse
import csv
import time
from pathlib import Path

import torch
import torch.distributed as dist
from runlog import log, log_saved
from torch.nn.parallel import DistributedDataParallel as DDP
from tqdm import tqdm


def parse_opt():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=35)
    parser.add_argument("--project", default="runs/train", help="save to project/name")
    parser.add_argument("--name", default="exp", help="save to project/name")
    return parser.parse_args()


def main(opt):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    folder = Path(opt.project) / opt.name
    weights = folder / "weights"
    weights.mkdir(parents=True, exist_ok=True)
    last, best = weights / "last.pt", weights / "best.pt"
    model = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.SiLU(), torch.nn.Linear(12, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    start_epoch, best_fitness = 0, float("inf")
    if last.exists():
        ckpt = torch.load(last)
        model.load_state_dict(ckpt["model"])
        optimizer.load_state_dict(ckpt["optimizer"])
        start_epoch, best_fitness = ckpt["epoch"] + 1, ckpt["best_fitness"]
    log(f"begins at {start_epoch}")
    ddp = DDP(model)
    batches = 40
    for epoch in range(start_epoch, opt.epochs):
        torch.manual_seed(1000 * epoch + rank)
        bar = range(batches)
        if rank == 0:
            bar = tqdm(bar, desc=f"{epoch}/{opt.epochs - 1}", bar_format="{l_bar}{bar:10}{r_bar}")
        for i in bar:
            x = torch.rand(32, 6)
            loss = (ddp(x) - x.sum(1, keepdim=True)).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            time.sleep(0.04)  # a larger model
            optimizer.step()
            log(f"at {epoch + (i + 1) / batches:.4f} loss {loss.item():.4f}")
        if rank == 0:
            x = torch.rand(64, 6)
            fitness = (model(x) - x.sum(1, keepdim=True)).abs().mean().item()
            is_best = fitness < best_fitness
            best_fitness = min(fitness, best_fitness)
            ckpt = {"epoch": epoch, "best_fitness": best_fitness, "model": model.state_dict()}
            torch.save({**ckpt, "optimizer": optimizer.state_dict()}, last)
            log_saved(str(last))
            if is_best:
                torch.save(ckpt, best)
                log_saved(str(best))
            with open(folder / "results.csv", "a", newline="") as f:
                csv.writer(f).writerow([epoch, f"{fitness:.5f}"])
            log_saved(str(folder / "results.csv"))


if __name__ == "__main__":
    log("started")
    main(parse_opt())
    log("done")
