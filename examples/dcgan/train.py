"""A DCGAN on CIFAR-10: torchrun starts it, and it goes on from snapshot.pt if that is there."""

import argparse
import csv
import json
import os
import pickle
import time
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

NOISE = 64


def generator(width):
    """From noise (batch, 64, 1, 1) to images (batch, 3, 32, 32) in [-1, 1]."""
    return nn.Sequential(
        nn.ConvTranspose2d(NOISE, width * 4, 4, bias=False),
        nn.BatchNorm2d(width * 4),
        nn.ReLU(),
        nn.ConvTranspose2d(width * 4, width * 2, 4, 2, 1, bias=False),
        nn.BatchNorm2d(width * 2),
        nn.ReLU(),
        nn.ConvTranspose2d(width * 2, width, 4, 2, 1, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.ConvTranspose2d(width, 3, 4, 2, 1, bias=False),
        nn.Tanh(),
    )


def discriminator(width):
    """From images to one number each: above 0 is real."""
    return nn.Sequential(
        nn.Conv2d(3, width, 4, 2, 1, bias=False),
        nn.LeakyReLU(0.2),
        nn.Conv2d(width, width * 2, 4, 2, 1, bias=False),
        nn.BatchNorm2d(width * 2),
        nn.LeakyReLU(0.2),
        nn.Conv2d(width * 2, width * 4, 4, 2, 1, bias=False),
        nn.BatchNorm2d(width * 4),
        nn.LeakyReLU(0.2),
        nn.Conv2d(width * 4, 1, 4, bias=False),
        nn.Flatten(0),
    )


def cifar10(folder):
    """The images of CIFAR-10's training batches, in [-1, 1]."""
    pixels = []
    for path in sorted(folder.glob("data_batch_*[0-9]")):
        with path.open("rb") as file:
            pixels.append(pickle.load(file, encoding="bytes")[b"data"])
    images = torch.from_numpy(np.concatenate(pixels)).view(-1, 3, 32, 32)
    return TensorDataset(images.float() / 127.5 - 1)


def main(given):
    # Gloo computes on processors, and NCCL on NVIDIA's GPUs.
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    rank = dist.get_rank()
    torch.manual_seed(rank)
    data = cifar10(given.data)
    sampler = DistributedSampler(data, seed=1)
    loader = DataLoader(data, given.batch, sampler=sampler, drop_last=True)

    net_g = generator(given.width).to(device)
    net_d = discriminator(given.width).to(device)
    adam = {"lr": given.lr, "betas": (0.5, 0.999)}
    optimizer_d = torch.optim.Adam(net_d.parameters(), **adam)
    optimizer_g = torch.optim.Adam(net_g.parameters(), **adam)
    parts = {"g": net_g, "d": net_d, "optimizer_g": optimizer_g, "optimizer_d": optimizer_d}
    first_epoch = 0
    iteration = 0
    if given.snapshot.exists():
        snapshot = torch.load(given.snapshot, map_location=device)
        for name, part in parts.items():
            part.load_state_dict(snapshot[name])
        first_epoch = snapshot["epochs"]
        iteration = snapshot["iteration"]
    ddp_g = DistributedDataParallel(net_g)
    ddp_d = DistributedDataParallel(net_d)

    epoch_s = []
    for epoch in range(first_epoch, given.epochs):
        sampler.set_epoch(epoch)
        begun_s = time.perf_counter()
        for (images,) in loader:
            real = images.to(device)
            fake = ddp_g(torch.randn(len(real), NOISE, 1, 1, device=device))
            loss_d = step_d(ddp_d, optimizer_d, real, fake.detach())
            loss_g = step_g(ddp_d, optimizer_g, fake)
            iteration += 1
            if rank == 0:
                write_log([epoch, iteration, dist.get_world_size(), loss_d, loss_g])
        epoch_s.append(time.perf_counter() - begun_s)
        if rank == 0:
            state = {name: part.state_dict() for name, part in parts.items()}
            torch.save({**state, "epochs": epoch + 1, "iteration": iteration}, given.snapshot)
            print(f"epoch {epoch}: {epoch_s[-1]:.2f} s, {loss_d=:.3f} {loss_g=:.3f}", flush=True)
    report(epoch_s)
    dist.destroy_process_group()


def step_d(net_d, optimizer, real, fake):
    optimizer.zero_grad()
    judged = net_d(torch.cat([real, fake]))
    truth = torch.cat([torch.ones(len(real)), torch.zeros(len(fake))]).to(judged.device)
    loss = nn.functional.binary_cross_entropy_with_logits(judged, truth)
    loss.backward()
    optimizer.step()
    return loss.item()


def step_g(net_d, optimizer, fake):
    optimizer.zero_grad()
    judged = net_d(fake)
    loss = nn.functional.binary_cross_entropy_with_logits(judged, torch.ones_like(judged))
    loss.backward()
    optimizer.step()
    return loss.item()


def write_log(row):
    """Adds an iteration to the program's own log."""
    with open("log.csv", "a", newline="") as file:
        if file.tell() == 0:
            csv.writer(file).writerow(["epoch", "iteration", "ranks", "loss_d", "loss_g"])
        csv.writer(file).writerow(row)


def report(epoch_s):
    """Writes what an epoch took, on the slowest rank and on each, where elasticd looks for it."""
    of_ranks = [None] * dist.get_world_size()
    dist.all_gather_object(of_ranks, epoch_s)
    if dist.get_rank() != 0 or not epoch_s:
        return
    said = {"epochs_s": sum(max(each) for each in zip(*of_ranks, strict=True))}
    for rank, seconds in enumerate(of_ranks):
        said[f"epoch_s_rank_{rank}"] = sum(seconds) / len(seconds)
    folder = Path(os.environ.get("ELASTICD_ARTIFACT_DIR", "."))
    (folder / "report.json").write_text(json.dumps(said))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder cifar-10-batches-py")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=16, help="images a step, on each rank")
    parser.add_argument("--width", type=int, default=8, help="channels of the widest layer")
    parser.add_argument("--lr", type=float, default=2e-4)
    parser.add_argument("--snapshot", type=Path, default=Path("snapshot.pt"))
    main(parser.parse_args())
