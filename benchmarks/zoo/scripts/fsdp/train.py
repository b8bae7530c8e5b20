"""Fully sharded: weights and AdamW's state in shards over the ranks, the full state dict saved by
rank 0."""

import os
import time

import torch
import torch.distributed as dist
from runlog import log, log_saved
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

STEPS, SAVE_EVERY, PATH = 800, 50, "checkpoints/latest.pt"
FULL = StateDictOptions(full_state_dict=True, cpu_offload=True)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(16, 16) for _ in range(3))
        self.head = torch.nn.Linear(16, 4)

    def forward(self, inputs):
        for layer in self.layers:
            inputs = torch.relu(layer(inputs))
        return self.head(inputs)


def save(model, optimizer, step):
    # All ranks: it gathers the shards.
    weights, moments = get_state_dict(model, optimizer, options=FULL)
    if dist.get_rank() == 0:
        os.makedirs(os.path.dirname(PATH), exist_ok=True)
        torch.save({"model": weights, "optimizer": moments, "step": step}, PATH)
        log_saved(PATH)
    dist.barrier()


def load(model, optimizer):
    if not os.path.exists(PATH):
        return 0
    saved = torch.load(PATH, map_location="cpu")
    set_state_dict(
        model,
        optimizer,
        model_state_dict=saved["model"],
        optim_state_dict=saved["optimizer"],
        options=FULL,
    )
    return saved["step"]


def main():
    log("started")
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    model = Net()
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    first = load(model, optimizer)
    log(f"begins at {first}")
    for step in range(first + 1, STEPS + 1):
        inputs = torch.randn(8, 16)
        loss = torch.nn.functional.mse_loss(model(inputs), inputs[:, :4])
        loss.backward()
        time.sleep(0.04)  # a larger model
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        log(f"at {step} loss {loss.item():.4f}")
        if step % SAVE_EVERY == 0:
            save(model, optimizer, step)
    log("done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
