"""A GAN with two optimizers: weights and samples of each epoch in files of their own, the newest
pair is resumed."""

import argparse
import glob
import os
import random
import re
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.optim as optim
from runlog import log, log_saved

log("started")
parser = argparse.ArgumentParser()
parser.add_argument("--batchSize", type=int, default=32)
parser.add_argument("--nz", type=int, default=8, help="size of the latent z vector")
parser.add_argument("--niter", type=int, default=30, help="number of epochs to train for")
parser.add_argument("--iters", type=int, default=50, help="iterations an epoch")
parser.add_argument("--lr", type=float, default=0.0002)
parser.add_argument("--beta1", type=float, default=0.5)
parser.add_argument(
    "--outf", default="./out", help="folder to output samples and model checkpoints"
)
opt = parser.parse_args()
os.makedirs(opt.outf, exist_ok=True)
random.seed(7)
torch.manual_seed(7)
dist.init_process_group("gloo")

netG = nn.Sequential(nn.Linear(opt.nz, 32), nn.ReLU(), nn.Linear(32, 16), nn.Tanh())
netD = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
saved = sorted(
    glob.glob(f"{opt.outf}/netD_epoch_*.pth"), key=lambda p: int(re.findall(r"(\d+)\.pth", p)[0])
)
start = 0
if saved:
    start = int(re.findall(r"(\d+)\.pth", saved[-1])[0]) + 1
    netG.load_state_dict(torch.load(f"{opt.outf}/netG_epoch_{start - 1}.pth"))
    netD.load_state_dict(torch.load(saved[-1]))
log(f"begins at {start}")
netG = nn.parallel.DistributedDataParallel(netG)
netD = nn.parallel.DistributedDataParallel(netD)
criterion = nn.BCEWithLogitsLoss()
optimizerD = optim.Adam(netD.parameters(), lr=opt.lr, betas=(opt.beta1, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=opt.lr, betas=(opt.beta1, 0.999))
real_label, fake_label = torch.ones(opt.batchSize, 1), torch.zeros(opt.batchSize, 1)

for epoch in range(start, opt.niter):
    for i in range(opt.iters):
        real = torch.rand(opt.batchSize, 16)
        fake = netG(torch.randn(opt.batchSize, opt.nz))
        optimizerD.zero_grad()
        errD = criterion(
            netD(torch.cat([real, fake.detach()])), torch.cat([real_label, fake_label])
        )
        errD.backward()
        optimizerD.step()
        time.sleep(0.04)  # a larger model
        optimizerG.zero_grad()
        errG = criterion(netD(fake), real_label)
        errG.backward()
        optimizerG.step()
        log(
            f"at {epoch + (i + 1) / opt.iters:.4f} Loss_D: {errD.item():.4f} Loss_G: "
            f"{errG.item():.4f}"
        )
    if dist.get_rank() == 0:
        torch.save(netG.module.state_dict(), f"{opt.outf}/netG_epoch_{epoch}.pth")
        torch.save(netD.module.state_dict(), f"{opt.outf}/netD_epoch_{epoch}.pth")
        with open(f"{opt.outf}/samples_epoch_{epoch:03d}.txt", "w") as f:
            f.write("\n".join(f"{each:.4f}" for each in fake[0].tolist()))
        log_saved(f"{opt.outf}/netG_epoch_{epoch}.pth")
        log_saved(f"{opt.outf}/netD_epoch_{epoch}.pth")
        log_saved(f"{opt.outf}/samples_epoch_{epoch:03d}.txt")
log("done")
