"""Trains a small network with DistributedDataParallel, and goes on from snapshot.pt if that is
there."""

import argparse
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

SNAPSHOT = "snapshot.pt"


def main(epochs: int) -> None:
    dist.init_process_group("gloo")
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 1))
    first_epoch = 0
    if os.path.exists(SNAPSHOT):
        snapshot = torch.load(SNAPSHOT)
        model.load_state_dict(snapshot["model"])
        first_epoch = snapshot["epoch"] + 1
    ddp = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.01)
    for epoch in range(first_epoch, epochs):
        torch.manual_seed(1000 * epoch + dist.get_rank())
        for _ in range(100):
            inputs = torch.rand(256, 256)
            optimizer.zero_grad()
            loss = (ddp(inputs) - inputs.mean(1, keepdim=True)).square().mean()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save({"model": model.state_dict(), "epoch": epoch}, SNAPSHOT)
            print(f"epoch {epoch}: loss {loss.item():.5f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=30)
    main(parser.parse_args().epochs)
