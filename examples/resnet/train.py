"""A ResNet on ImageNet's folders: DDP, mixed precision, TensorBoard, and W&B if there is a key."""

import argparse
import csv
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torch.utils.tensorboard import SummaryWriter
from torchvision import datasets, models, transforms
from torchvision.models.resnet import BasicBlock, ResNet

SNAPSHOT = "snapshot.pt"


def make_model(name, classes):
    if name == "resnet10":
        # The smallest that is still a ResNet, for processors.
        return ResNet(BasicBlock, [1, 1, 1, 1], num_classes=classes)
    return models.get_model(name, weights=None, num_classes=classes)


def make_loader(given):
    steps = [
        transforms.RandomResizedCrop(given.size, scale=(0.5, 1.0)),
        transforms.ToTensor(),
        transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ]
    data = datasets.ImageFolder(given.data / "train", transforms.Compose(steps))
    sampler = DistributedSampler(data, seed=1)
    return DataLoader(data, given.batch, sampler=sampler, drop_last=True), len(data.classes)


class Records:
    """What the first rank writes down: log.csv, TensorBoard's files, and W&B's run."""

    def __init__(self, given):
        self.board = SummaryWriter("runs")
        self.wandb = None
        if os.environ.get("WANDB_API_KEY"):
            import wandb

            # The same id after each restart, so that there is one curve.
            run_id = os.environ.get("ELASTICD_JOB_ID")
            self.wandb = wandb.init(
                project="resnet", id=run_id, resume="allow", config={"batch": given.batch}
            )

    def write(self, epoch, iteration, loss):
        with open("log.csv", "a", newline="") as file:
            if file.tell() == 0:
                csv.writer(file).writerow(["epoch", "iteration", "ranks", "loss"])
            csv.writer(file).writerow([epoch, iteration, dist.get_world_size(), loss])
        self.board.add_scalar("loss", loss, iteration)
        if self.wandb is not None:
            self.wandb.log({"loss": loss}, step=iteration)

    def close(self):
        self.board.close()
        if self.wandb is not None:
            self.wandb.finish()


def main(given):
    has_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if has_gpu else "gloo")
    device = torch.device("cpu")
    if has_gpu:
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.manual_seed(7)
    loader, classes = make_loader(given)
    model = make_model(given.model, classes).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=given.lr, momentum=0.9)
    # bfloat16 has the range of float32, so it needs no loss scale.
    mixed = torch.autocast(device.type, torch.bfloat16, enabled=not given.fp32)
    first_epoch = 0
    iteration = 0
    if os.path.exists(SNAPSHOT):
        snapshot = torch.load(SNAPSHOT, map_location=device)
        model.load_state_dict(snapshot["model"])
        optimizer.load_state_dict(snapshot["optimizer"])
        first_epoch = snapshot["epochs"]
        iteration = snapshot["iteration"]
    ddp = DistributedDataParallel(model)
    is_first = dist.get_rank() == 0
    records = Records(given) if is_first else None

    for epoch in range(first_epoch, given.epochs):
        loader.sampler.set_epoch(epoch)
        begun_s = time.perf_counter()
        for images, labels in loader:
            optimizer.zero_grad()
            with mixed:
                loss = nn.functional.cross_entropy(ddp(images.to(device)), labels.to(device))
            loss.backward()
            optimizer.step()
            iteration += 1
            if is_first:
                records.write(epoch, iteration, loss.item())
        if is_first:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save({**state, "epochs": epoch + 1, "iteration": iteration}, "snapshot.tmp")
            os.replace("snapshot.tmp", SNAPSHOT)
            epoch_s = time.perf_counter() - begun_s
            print(f"epoch {epoch}: {epoch_s:.2f} s, loss {loss.item():.3f}", flush=True)
    if is_first:
        records.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with train/CLASS/*.JPEG")
    parser.add_argument("--model", default="resnet10", help="or resnet18, resnet50, ...")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=8, help="pictures a step, on each rank")
    parser.add_argument("--size", type=int, default=64, help="of a crop, in pixels")
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--fp32", action="store_true", help="no mixed precision")
    main(parser.parse_args())
