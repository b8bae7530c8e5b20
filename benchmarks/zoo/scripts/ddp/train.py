"""DistributedDataParallel in the manner of a first tutorial: a Trainer, epochs, and a snapshot
beside the script."""

import argparse
import os
import time

import torch
import torch.distributed as dist
from runlog import log, log_saved
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Trainer:
    def __init__(self, model, loader, optimizer, save_every, snapshot_path):
        self.model = model
        self.loader = loader
        self.optimizer = optimizer
        self.save_every = save_every
        self.snapshot_path = snapshot_path
        self.epochs_run = 0
        if os.path.exists(snapshot_path):
            self._load_snapshot()
        log(f"begins at {self.epochs_run}")
        self.model = DistributedDataParallel(self.model)

    def _load_snapshot(self):
        snapshot = torch.load(self.snapshot_path)
        self.model.load_state_dict(snapshot["MODEL_STATE"])
        self.epochs_run = snapshot["EPOCHS_RUN"]

    def _save_snapshot(self, epoch):
        snapshot = {"MODEL_STATE": self.model.module.state_dict(), "EPOCHS_RUN": epoch + 1}
        torch.save(snapshot, self.snapshot_path)
        log_saved(self.snapshot_path)

    def _run_batch(self, source, targets):
        self.optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(self.model(source), targets)
        loss.backward()
        time.sleep(0.04)  # a larger model
        self.optimizer.step()
        return loss.item()

    def _run_epoch(self, epoch):
        self.loader.sampler.set_epoch(epoch)
        for batch, (source, targets) in enumerate(self.loader, start=1):
            loss = self._run_batch(source, targets)
            log(f"at {epoch + batch / len(self.loader):.4f} loss {loss:.4f}")

    def train(self, max_epochs):
        for epoch in range(self.epochs_run, max_epochs):
            self._run_epoch(epoch)
            if dist.get_rank() == 0 and epoch % self.save_every == 0:
                self._save_snapshot(epoch)


def main(total_epochs, save_every, batch_size):
    dist.init_process_group("gloo")
    generator = torch.Generator().manual_seed(0)
    dataset = TensorDataset(
        torch.rand(2048, 20, generator=generator), torch.rand(2048, 1, generator=generator)
    )
    loader = DataLoader(dataset, batch_size=batch_size, sampler=DistributedSampler(dataset))
    model = torch.nn.Linear(20, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    Trainer(model, loader, optimizer, save_every, "snapshot.pt").train(total_epochs)
    log("done")
    dist.destroy_process_group()


if __name__ == "__main__":
    log("started")
    parser = argparse.ArgumentParser()
    parser.add_argument("total_epochs", type=int)
    parser.add_argument("save_every", type=int)
    parser.add_argument("--batch_size", default=32, type=int)
    args = parser.parse_args()
    main(args.total_epochs, args.save_every, args.batch_size)
