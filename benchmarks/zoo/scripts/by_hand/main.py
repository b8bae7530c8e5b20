"""A small recurrent language model whose weights are updated by hand: no optimizer of torch,
gradients averaged."""

import argparse
import os
import time

import torch
import torch.distributed as dist
from runlog import log, log_saved

parser = argparse.ArgumentParser(description="RNN language model on made-up text")
parser.add_argument("--lr", type=float, default=0.5)
parser.add_argument("--clip", type=float, default=0.25)
parser.add_argument("--epochs", type=int, default=60)
parser.add_argument("--bptt", type=int, default=16)
parser.add_argument("--save", type=str, default="model.pt")
args = parser.parse_args()

log("started")
torch.manual_seed(1111)
dist.init_process_group("gloo")
tokens = torch.randint(0, 50, (40 * args.bptt + 1, 8))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Embedding(50, 16)
        self.rnn = torch.nn.GRU(16, 16)
        self.decoder = torch.nn.Linear(16, 50)

    def forward(self, words):
        return self.decoder(self.rnn(self.encoder(words))[0])


model = Model()
first_epoch = 1
if os.path.exists(args.save):
    with open(args.save, "rb") as f:
        first_epoch, weights = torch.load(f)
    model.load_state_dict(weights)
    first_epoch += 1
log(f"begins at {first_epoch - 1}")


def train(epoch):
    batches = range(0, len(tokens) - 1, args.bptt)
    for batch, i in enumerate(batches, start=1):
        data, targets = tokens[i : i + args.bptt], tokens[i + 1 : i + 1 + args.bptt]
        model.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(data).flatten(0, 1), targets.flatten())
        loss.backward()
        time.sleep(0.04)  # a larger model
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        for p in model.parameters():
            dist.all_reduce(p.grad)
            p.data.add_(p.grad, alpha=-args.lr / dist.get_world_size())
        log(f"at {epoch - 1 + batch / len(batches):.4f} loss {loss.item():.4f}")


for epoch in range(first_epoch, args.epochs + 1):
    train(epoch)
    if dist.get_rank() == 0:
        with open(args.save, "wb") as f:
            torch.save((epoch, model.state_dict()), f)
        log_saved(args.save)
log("done")
