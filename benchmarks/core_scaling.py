"""How a step of ESRGAN speeds up with cores on this machine, and how training did on others'
machines.

    python benchmarks/core_scaling.py                batch 4, crops of 32, 64 and 128, both phases,
    1, 2, 4, ... threads python benchmarks/core_scaling.py --size 128     those crops alone python
    benchmarks/core_scaling.py --fit          the law that `elastic/policy/trial.py` hopes by

Here one process takes its turns with one thread, then with two, and so on, over and over: the
machine's moods meet all alike. What is printed is the median over rounds of how many times faster
they were than with one thread, seconds of the clock and of the processors. Threads wait for one
another at the end of each operation, and as nodes' workers do, they sleep soon (GOMP_SPINCOUNT; set
it to see another). Run it on an idle machine, or before its neighbours (`chrt -f 5`).

The law is fitted to measurements of others (`ELASTICD_BENCH_DATA`, default ../shared/data):
training of a CNN on t2 instances of four sizes (Casimiro et al., ICDCS 2020; 384 runs), and 81
experiments on three clouds (discovery-unicamp/2025-Paramount-Iterations-analysis), which tell how
much node types with as many cores differ. Most of the latter give each process a fixed piece of
work, so that their speed says little of one batch divided over cores; their exponent is printed and
not used.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import os
import re
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import permutations
from pathlib import Path
from time import perf_counter, process_time

from elastic.agent.torchrun import SPIN_COUNT

DATA = Path(os.environ.get("ELASTICD_BENCH_DATA", "../shared/data"))
SIZES = (32, 64, 128)
BATCH = 4
TURNS = 4
"""Turns in a row with the same number of threads; one more comes before them, unmeasured."""

_T2_CORES = {"t2.small": 1, "t2.medium": 2, "t2.xlarge": 4, "t2.2xlarge": 8}
_NUMBERED = re.compile(r"((?:c2|n1)\.\w+_|Standard_[ADEF])(\d+)(s?(?:_v\d)?)")
_AWS_CORES = {"small": 2, "medium": 2, "large": 2, "xlarge": 4}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fit", action="store_true", help="fit the law to others' measurements")
    parser.add_argument(
        "--size", type=int, action="append", help="height and width of a crop; may be repeated"
    )
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    if arguments.fit:
        fit()
    else:
        measure(arguments.size or SIZES, precision=arguments.precision, rounds=arguments.rounds)
    return 0


def measure(sizes: Iterable[int], *, precision: str, rounds: int) -> None:
    """Prints how many times faster each number of threads is than one."""
    # Read when torch is loaded.
    os.environ.setdefault("GOMP_SPINCOUNT", SPIN_COUNT["GOMP_SPINCOUNT"])
    cores = len(os.sched_getaffinity(0))
    threads = [count for count in (1, 2, 4, 8, 16, 32, 64) if count <= cores]
    print(f"ESRGAN, batch {BATCH}, {precision}, {cores} cores, load {os.getloadavg()[0]:.1f}:")
    print(
        "  crop  phase   threads  s an iteration  CPU-s  times one thread (least, most)  exponent"
    )
    for size in sizes:
        for phase, turn in turns_of(size, precision).items():
            _print_phase(size, phase, _timed(turn, threads, rounds))


def turns_of(size: int, precision: str) -> Mapping[str, Callable[[], None]]:
    """Gives a turn of each phase, preparing its samples included: the preset `small` but for the
    size of its crops."""
    import torch

    from elastic.workloads import WORKLOADS
    from elastic.workloads.arithmetic import DTYPES
    from elastic.workloads.esrgan.networks import build_networks, random_features
    from elastic.workloads.esrgan.training import Batches, Stepper
    from elastic.workloads.group import ProcessGroup
    from elastic.workloads.photographs import open_photographs

    crops = {"batch_size": BATCH, "hr_height": size, "hr_width": size}
    options, dtype = WORKLOADS["esrgan"].configure(crops, preset="small"), DTYPES[precision]
    group = ProcessGroup(0, 1, torch.device("cpu"))
    photographs, _ = open_photographs("skimage", None, height=size, width=size, channels=3)
    batches = Batches(photographs, options, group)
    features = random_features(options.feature_layers, seed=0)
    features.to(dtype=dtype, memory_format=torch.channels_last)  # type: ignore[call-overload]
    stepper = Stepper(
        build_networks(options, group.device), options, group, features=features, dtype=dtype
    )
    positions = iter(range(0, 10**9, BATCH))

    def turn(train: Callable[..., object]) -> None:
        train(batches.at(next(positions)), lr=options.lr, stop=False)

    return {"warmup": lambda: turn(stepper.warmup_turn), "gan": lambda: turn(stepper.gan_turn)}


def fit() -> None:
    """Prints the exponent by which speed grows with cores, and how far node types turn out better
    than it promises."""
    training = _training_speeds()
    growth = _slope(training)
    print(
        f"training of a CNN on t2: speed grows with cores to the power {growth:.2f} "
        f"({len(training)} sets of sizes)"
    )
    sizes = [
        speeds[other] / speeds[one] / (other / one) ** growth
        for speeds in training
        for one, other in permutations(speeds, 2)
    ]
    print(
        f"  95 % of {len(sizes)} pairs are less than {_quantile(sizes, 0.95):.2f} times better "
        "than that promises"
    )
    by_family, by_size = _paramount_speeds()
    print(
        "81 experiments, most with a fixed piece of work a process: to the power "
        f"{_slope(by_family):.2f} (not used)"
    )
    families = [
        speeds[other] / speeds[one] for speeds in by_size for one, other in permutations(speeds, 2)
    ]
    print(
        f"  95 % of {len(families)} pairs of other families with as many cores are less than "
        f"{_quantile(families, 0.95):.2f} times better"
    )


def _timed(
    turn: Callable[[], None], threads: list[int], rounds: int
) -> dict[int, list[tuple[float, float]]]:
    """Seconds of the clock and of the processors an iteration, by number of threads, round by
    round."""
    import torch

    found: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for number in range(rounds + 1):
        for count in threads:
            torch.set_num_threads(count)
            turn()
            clock_s, cpu_s = perf_counter(), process_time()
            for _ in range(TURNS):
                turn()
            if number:  # the first round allocates, and compiles kernels
                found[count].append(
                    ((perf_counter() - clock_s) / TURNS, (process_time() - cpu_s) / TURNS)
                )
    return found


def _print_phase(size: int, phase: str, timed: Mapping[int, list[tuple[float, float]]]) -> None:
    for count, taken in timed.items():
        ratios = [one[0] / each[0] for one, each in zip(timed[1], taken, strict=True)]
        ratio = statistics.median(ratios)
        exponent = "" if count == 1 else f"{math.log(ratio) / math.log(count):9.2f}"
        print(
            f"  {size:4}  {phase:<7} {count:6}  "
            f"{statistics.median(each[0] for each in taken):14.4f} "
            f"{statistics.median(each[1] for each in taken):6.3f}  {ratio:10.2f} "
            f"({min(ratios):.2f}, {max(ratios):.2f})"
            f"         {exponent}"
        )


def _training_speeds() -> list[dict[int, float]]:
    """Iterations a second by cores of a node, of runs that are alike in all else."""
    found: dict[tuple[str, ...], dict[int, float]] = defaultdict(dict)
    with (DATA / "ec2_t2_tensorflow_cnn.csv").open() as file:
        for row in csv.DictReader(file):
            alike = tuple(
                row[name] for name in ("n_workers", "learning_rate", "batch_size", "synchronism")
            )
            found[alike][_T2_CORES[row["vm_flavor"]]] = float(row["total_iterations"]) / float(
                row["training_time"]
            )
    return [speeds for speeds in found.values() if len(speeds) > 1]


def _paramount_speeds() -> tuple[list[dict[int, float]], list[dict[str, float]]]:
    """Iterations a second: of one family's sizes by cores, and of one size's families by name; as
    many nodes each."""
    by_family: dict[tuple[str, str, int], dict[int, float]] = defaultdict(dict)
    by_size: dict[tuple[str, int, int], dict[str, float]] = defaultdict(dict)
    with gzip.open(DATA / "paramount_iterations_2025.json.gz", "rt") as file:
        experiments = json.load(file)["experiments"]
    for experiment in experiments:
        for each in experiment["configs"]:
            name, nodes, speed = (
                experiment["experiment"],
                each["count"],
                1 / each["windows"]["all"]["mean_s"],
            )
            if (kind := _family(each["instance_type"])) is not None:
                family, cores = kind
                by_family[name, family, nodes][cores] = speed
                by_size[name, cores, nodes][family] = speed
    return [each for each in by_family.values() if len(each) > 1], list(by_size.values())


def _family(instance_type: str) -> tuple[str, int] | None:
    """The family of an instance type and its cores, as its cloud counts them; None where its name
    does not say.

    >>> _family("n1.highcpu_16"), _family("Standard_D32_v3"), _family("c5.xlarge")
    (('n1.highcpu_', 16), ('Standard_D_v3', 32), ('c5', 4))
    """
    if numbered := _NUMBERED.fullmatch(instance_type):
        return numbered[1] + numbered[3], int(numbered[2])
    family, _, size = instance_type.partition(".")
    return (
        (family, _AWS_CORES[size])
        if family in ("t3", "m4", "m5", "c5") and size in _AWS_CORES
        else None
    )


def _slope(sets: Iterable[Mapping[int, float]]) -> float:
    """The common slope of log speed over log cores, each set about its own mean."""
    covariance = variance = 0.0
    for speeds in sets:
        mean_cores = statistics.mean(map(math.log, speeds))
        mean_speed = statistics.mean(map(math.log, speeds.values()))
        for cores, speed in speeds.items():
            covariance += (math.log(cores) - mean_cores) * (math.log(speed) - mean_speed)
            variance += (math.log(cores) - mean_cores) ** 2
    return covariance / variance


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[int(share * len(values))]


if __name__ == "__main__":
    raise SystemExit(main())
