"""Lightning Fabric: setup, backward, save and load by Fabric, under torchrun."""

import os
import time

import torch
from lightning_fabric import Fabric, seed_everything
from runlog import log, log_saved

TOTAL, EVERY, PATH = 1100, 50, "fabric/checkpoint.ckpt"


def main():
    log("started")
    seed_everything(7)
    fabric = Fabric(
        accelerator="cpu",
        strategy="ddp",
        devices=int(os.environ["LOCAL_WORLD_SIZE"]),
        num_nodes=int(os.environ["GROUP_WORLD_SIZE"]),
    )
    fabric.launch()
    data = torch.utils.data.TensorDataset(torch.rand(4096, 10), torch.randint(0, 3, (4096,)))
    loader = fabric.setup_dataloaders(
        torch.utils.data.DataLoader(data, batch_size=16, shuffle=True)
    )
    model = torch.nn.Sequential(torch.nn.Linear(10, 20), torch.nn.ReLU(), torch.nn.Linear(20, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)
    state = {"model": model, "optimizer": optimizer, "step": 0}
    if os.path.exists(PATH):
        fabric.load(PATH, state)
    log(f"begins at {state['step']}")
    while state["step"] < TOTAL:
        for inputs, labels in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(inputs), labels)
            fabric.backward(loss)
            time.sleep(0.04)  # a larger model
            optimizer.step()
            state["step"] += 1
            log(f"at {state['step']} loss {loss.item():.4f}")
            if state["step"] % EVERY == 0 or state["step"] == TOTAL:
                fabric.save(PATH, state)
                if fabric.is_global_zero:
                    log_saved(PATH)
            if state["step"] == TOTAL:
                break
    log("done")


if __name__ == "__main__":
    main()
