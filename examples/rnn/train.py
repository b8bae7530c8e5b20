"""An RNN that reads MNIST row by row, with Lightning Fabric: data parallel (dp) or DDP."""

import argparse
import csv
import os
import time
from pathlib import Path

import numpy as np
import torch
from lightning_fabric import Fabric, seed_everything
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SNAPSHOT = "snapshot.ckpt"


class Reader(nn.Module):
    """Reads images (batch, 28, 28) from top to bottom, and says which digit each is."""

    def __init__(self, width):
        super().__init__()
        self.rnn = nn.LSTM(28, width, batch_first=True)
        self.head = nn.Linear(width, 10)

    def forward(self, images):
        rows, _ = self.rnn(images)
        return self.head(rows[:, -1])


def mnist(folder):
    """MNIST's training images in [0, 1], with their labels."""
    images = np.fromfile(folder / "train-images-idx3-ubyte", np.uint8, offset=16)
    labels = np.fromfile(folder / "train-labels-idx1-ubyte", np.uint8, offset=8)
    pixels = torch.from_numpy(images).view(-1, 28, 28).float() / 255
    return TensorDataset(pixels, torch.from_numpy(labels).long())


def make_fabric(strategy):
    if strategy == "dp":
        # One process uses all GPUs of this machine, and of no other.
        return Fabric(strategy="dp", devices=max(torch.cuda.device_count(), 1))
    return Fabric(
        strategy="ddp",
        devices=int(os.environ.get("LOCAL_WORLD_SIZE", "1")),
        num_nodes=int(os.environ.get("GROUP_WORLD_SIZE", "1")),
    )


def main(given):
    seed_everything(7)
    fabric = make_fabric(given.strategy)
    fabric.launch()
    loader = DataLoader(mnist(given.data), given.batch, shuffle=True, drop_last=True)
    loader = fabric.setup_dataloaders(loader)
    model = Reader(given.width)
    model, optimizer = fabric.setup(model, torch.optim.Adam(model.parameters(), lr=1e-3))
    state = {"model": model, "optimizer": optimizer, "iteration": 0, "epoch": 0}
    if os.path.exists(SNAPSHOT):
        fabric.load(SNAPSHOT, state)

    while state["epoch"] < given.epochs:
        begun_s = time.perf_counter()
        for images, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            fabric.backward(loss)
            optimizer.step()
            state["iteration"] += 1
            if fabric.is_global_zero:
                write_log([state["epoch"], state["iteration"], fabric.world_size, loss.item()])
        state["epoch"] += 1
        fabric.save(SNAPSHOT, state)
        if fabric.is_global_zero:
            epoch_s = time.perf_counter() - begun_s
            print(f"epoch {state['epoch']}: {epoch_s:.2f} s, loss {loss.item():.3f}", flush=True)


def write_log(row):
    """Adds an iteration to the program's own log."""
    with open("log.csv", "a", newline="") as file:
        if file.tell() == 0:
            csv.writer(file).writerow(["epoch", "iteration", "ranks", "loss"])
        csv.writer(file).writerow(row)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of MNIST's files")
    parser.add_argument("--strategy", choices=["dp", "ddp"], default="ddp")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=32, help="images a step, on each rank")
    parser.add_argument("--width", type=int, default=32, help="size of the RNN's state")
    main(parser.parse_args())
