"""accelerate on a tiny transformer with random weights: prepare, save_state and load_state."""

import os
import time

import torch
from accelerate import Accelerator
from runlog import log, log_saved

TOTAL, EVERY, FOLDER = 1100, 50, "accelerated/latest"


def main():
    log("started")
    accelerator = Accelerator(cpu=True)
    torch.manual_seed(5)
    layer = torch.nn.TransformerEncoderLayer(16, 2, dim_feedforward=32, batch_first=True)
    model = torch.nn.Sequential(torch.nn.Embedding(64, 16), layer, torch.nn.Linear(16, 64))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = torch.utils.data.TensorDataset(torch.randint(0, 64, (8192, 12)))
    loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=100)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    step = 0
    if os.path.isdir(FOLDER):
        accelerator.load_state(FOLDER)
        with open(f"{FOLDER}/step.txt") as file:
            step = int(file.read())
    log(f"begins at {step}")
    model.train()
    while step < TOTAL:
        for (words,) in loader:
            loss = torch.nn.functional.cross_entropy(model(words).flatten(0, 1), words.flatten())
            accelerator.backward(loss)
            time.sleep(0.04)  # a larger model
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            step += 1
            log(f"at {step} loss {loss.item():.4f}")
            if step % EVERY == 0 or step == TOTAL:
                save(accelerator, step)
            if step == TOTAL:
                break
    log("done")


def save(accelerator, step):
    accelerator.save_state(FOLDER)
    if accelerator.is_main_process:
        with open(f"{FOLDER}/step.txt", "w") as file:
            file.write(str(step))
        for name in sorted(os.listdir(FOLDER)):
            log_saved(f"{FOLDER}/{name}")
    accelerator.wait_for_everyone()


if __name__ == "__main__":
    main()
