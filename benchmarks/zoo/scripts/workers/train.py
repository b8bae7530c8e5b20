"""A DataLoader with worker processes, and a checkpoint an epoch that is written beside and
renamed."""

import argparse
import os
import time

import torch
import torch.distributed as dist
from runlog import log, log_saved
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Waves(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        time.sleep(0.002)  # decodes an image
        x = torch.linspace(0, 1 + index % 7, 32)
        return torch.sin(x), index % 7


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=22)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--resume", default="checkpoint.pth.tar")
    args = parser.parse_args()
    log("started")
    dist.init_process_group("gloo")
    data = Waves(400)
    sampler = DistributedSampler(data)
    loader = DataLoader(
        data,
        batch_size=args.batch_size // dist.get_world_size(),
        sampler=sampler,
        num_workers=args.workers,
        persistent_workers=True,
        drop_last=True,
    )
    model = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 7))
    criterion = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    start_epoch = 0
    if os.path.isfile(args.resume):
        checkpoint = torch.load(args.resume)
        start_epoch = checkpoint["epoch"]
        model.load_state_dict(checkpoint["state_dict"])
        optimizer.load_state_dict(checkpoint["optimizer"])
    log(f"begins at {start_epoch}")
    ddp = torch.nn.parallel.DistributedDataParallel(model)
    for epoch in range(start_epoch, args.epochs):
        sampler.set_epoch(epoch)
        for i, (images, target) in enumerate(loader, start=1):
            loss = criterion(ddp(images), target)
            optimizer.zero_grad()
            loss.backward()
            time.sleep(0.04)  # a larger model
            optimizer.step()
            log(f"at {epoch + i / len(loader):.4f} loss {loss.item():.4f}")
        if dist.get_rank() == 0:
            state = {
                "epoch": epoch + 1,
                "state_dict": model.state_dict(),
                "optimizer": optimizer.state_dict(),
            }
            torch.save(state, args.resume + ".tmp")
            os.replace(args.resume + ".tmp", args.resume)
            log_saved(args.resume)
    log("done")


if __name__ == "__main__":
    main()
