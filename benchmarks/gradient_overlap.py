"""What sending gradients during the backward pass gains: ``python -m benchmarks.gradient_overlap``.

Two hosts on this machine train ESRGAN's generator, over a link of `--mbit` each way (needs root:
network namespaces). In turn the gradients go in buckets, as `GradientSum` sends them, and in one
message after the backward pass, as torch's DistributedDataParallel does without buckets. One torch
thread a host. Ratios are of two turns side by side.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from time import perf_counter, process_time

from tests.workloads.session.hosts import running_hosts

Took = dict[str, list[tuple[float, float]]]  # by way, each turn's seconds and CPU-seconds

MODULE = (sys.executable, "-m", "benchmarks.gradient_overlap")
WARM = 1
WAYS = ("one message", "buckets")


def main(argv: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gradient_overlap", description=__doc__
    )
    parser.add_argument(
        "--mbit", type=int, default=1000, help="megabits a second between the two hosts"
    )
    parser.add_argument(
        "--blocks", type=int, default=23, help="residual blocks: 23 have 154 MB of gradients"
    )
    parser.add_argument("--size", type=int, default=128, help="height and width of a crop")
    parser.add_argument("--batch", type=int, default=1, help="samples a host")
    parser.add_argument("--turns", type=int, default=7)
    options = parser.parse_args(argv)
    if "RANK" in os.environ:
        train(options)
        return
    with running_hosts(2) as hosts:
        for host in hosts:
            host.slow_down(options.mbit)
        environment = {
            "MASTER_ADDR": hosts[0].address,
            "GLOO_SOCKET_IFNAME": "eth0",
            "OMP_NUM_THREADS": "1",
        }
        show(
            trained([host.command(*MODULE, *argv) for host in hosts], environment),
            f"{options.mbit} Mbit/s",
        )


def trained(commands: Sequence[Sequence[str]], environment: Mapping[str, str]) -> Took:
    """Runs the ranks, each by its command, and gives what the first one's turns took."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        port = str(probe.getsockname()[1])
    ranks = []
    for rank, command in enumerate(commands):
        place = {
            "RANK": str(rank),
            "LOCAL_RANK": str(rank),
            "WORLD_SIZE": str(len(commands)),
            "MASTER_PORT": port,
        }
        own = {**os.environ, **environment, **place}
        ranks.append(subprocess.Popen(command, env=own, stdout=subprocess.PIPE, text=True))
    told: list[Took] = [json.loads(rank.communicate()[0]) for rank in ranks]
    return told[0]


def train(options: argparse.Namespace) -> None:
    """Runs one rank, and prints what each turn took."""
    import torch

    from elastic.workloads.esrgan import EsrganOptions
    from elastic.workloads.esrgan.networks import build_networks
    from elastic.workloads.group import BUCKET_BYTES, GradientSum, joined

    torch.set_num_threads(1)
    settings = EsrganOptions(
        residual_blocks=options.blocks, hr_height=options.size, hr_width=options.size
    )
    took: Took = {way: [] for way in WAYS}
    with joined(timeout_s=300.0) as group:
        low = torch.rand(
            options.batch, 3, options.size // 4, options.size // 4, device=group.device
        )
        ways = {}
        for way, bucket_bytes in zip(WAYS, (10**12, BUCKET_BYTES), strict=True):
            generator = build_networks(settings, group.device).generator
            weights = list(generator.parameters())
            ways[way] = (generator, weights, GradientSum(weights, group, bucket_bytes=bucket_bytes))
        for turn in range(WARM + options.turns):
            for way, (generator, weights, sums) in ways.items():
                group.barrier()
                began_s, processor_s = perf_counter(), process_time()
                sums.start(torch.autograd.grad(generator(low).square().mean(), weights))
                sums.finish()
                if group.device.type == "cuda":
                    torch.cuda.synchronize()
                if turn >= WARM:
                    took[way].append((perf_counter() - began_s, process_time() - processor_s))
    print(json.dumps(took))


def show(took: Took, what: str) -> None:
    """Prints a table's worth of it."""
    print(f"gradients of two ranks, {what}:")
    whole, parts = (took[way] for way in WAYS)
    for index, unit in enumerate(("s", "CPU-s")):
        medians = [statistics.median(each[index] for each in found) for found in (whole, parts)]
        ratio = statistics.median(
            part[index] / one[index] for one, part in zip(whole, parts, strict=True)
        )
        print(
            f"  {WAYS[0]} {medians[0]:.3f} {unit} a turn, {WAYS[1]} {medians[1]:.3f}: {ratio:.3f} x"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
