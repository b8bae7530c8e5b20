"""How well early windows tell the whole run, and what that costs: ``python
benchmarks/estimator.py``.

On measurements of others (`ELASTICD_BENCH_DATA`, default ../shared/data): 81 experiments of HPC and
deep-learning programs on three clouds (discovery-unicamp/2025-Paramount-Iterations-analysis), and
rates of GPUs by count (stanford-futuredata/gavel, MIT). Nothing is trained here; the estimator, the
scaling model and the ranking are those the decider uses. The intervals cover the noise of the
windows they come from, not the drift of programs whose later iterations are longer; as drift is
much alike on all machines, the ranking survives it.
"""

from __future__ import annotations

import ast
import gzip
import itertools
import json
import math
import os
import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from elastic.model import Interval, Sample
from elastic.throughput import estimate_step_s, iterations_per_usd, predict_step_s

DATA = Path(os.environ.get("ELASTICD_BENCH_DATA", "../shared/data"))

# The nested early windows of the data, and where each ends; their differences are windows as a job
# reports them.
_ENDS = {
    "iteration_2": 2,
    "iterations_2_to_5": 5,
    "iterations_2_to_10": 10,
    "first_32": 32,
    "first_64": 64,
}
_SIZED = re.compile(r"(.*) \(batch size (\d+)\)")
# The data name no prices of GPUs: on-demand of p2.xlarge and p3.2xlarge in us-east-1, and Google's
# P100.
_USD_PER_H = {"k80": 0.90, "p100": 1.46, "v100": 3.06}


@dataclass(frozen=True, slots=True)
class Run:
    """One configuration of one experiment: its early windows without the first iteration, and its
    whole truth."""

    usd_per_h: float
    windows: tuple[Sample, ...]
    true_step_s: float
    iterations: float
    is_pytorch: bool

    def estimate(self, until: int) -> Interval | None:
        """The step time that the windows of the first `until` iterations tell."""
        return estimate_step_s([window for window in self.windows if window.ended_at_s <= until])

    @property
    def true_usd(self) -> float:
        return self.usd_per_h * self.true_step_s * self.iterations / 3600


def main() -> None:
    experiments = _experiments(DATA / "paramount_iterations_2025.json.gz")
    runs = [run for experiment in experiments for run in experiment]
    print(
        f"{len(runs)} configurations of {len(experiments)} experiments; errors against the mean of "
        "the whole run\n"
    )
    _report_errors("step time, all", runs)
    _report_errors("step time, PyTorch", [run for run in runs if run.is_pytorch])
    print()
    _report_choice(experiments)
    _report_scaling(json.loads((DATA / "gpu_throughputs.json").read_text()))


def _report_errors(name: str, runs: Sequence[Run]) -> None:
    print(
        f"{name:24}{'runs':>6}{'median error':>14}{'p95':>9}{'interval holds it':>20}{'its half width':>16}"
    )
    for until in (10, 32, 64):
        known = [
            (run, step_s)
            for run in runs
            if (step_s := run.estimate(until)) and _longer_than(run, until)
        ]
        errors = [abs(step_s.value / run.true_step_s - 1) for run, step_s in known]
        bounded = [
            (step_s.low, run.true_step_s, step_s.high)
            for run, step_s in known
            if step_s.low and step_s.high
        ]
        holds = _share([low <= true_s <= high for low, true_s, high in bounded])
        width = statistics.median(math.sqrt(high / low) - 1 for low, _, high in bounded)
        print(
            "  iterations 2 to "
            f"{until:<6}{len(known):6}{statistics.median(errors):14.1%}{_p95(errors):9.1%}"
            f"{holds:20.0%}{width:16.1%}"
        )


def _report_choice(experiments: Sequence[Sequence[Run]]) -> None:
    choices = [runs for runs in experiments if len(runs) > 1]
    print(f"the most iterations per dollar, of {len(choices)} experiments with a choice")
    print(
        f"{'picked by':24}{'best':>8}{'within 10 %':>13}{'times dearer':>16}{'p95':>9}{'worst':>10}{'regret':>24}"
    )
    for until in (10, 32, 64):
        _report_picks(f"iterations 2 to {until}", choices, partial(_value, until=until))
    _report_picks("least price an hour", choices, lambda run: 1 / run.usd_per_h)
    _report_picks("shortest iteration", choices, lambda run: 1 / run.true_step_s)
    _report_picks("the worst choice", choices, lambda run: run.usd_per_h * run.true_step_s)
    print()


def _report_picks(
    name: str, choices: Sequence[Sequence[Run]], worth: Callable[[Run], float]
) -> None:
    ratios, regret_usd, best_usd = [], 0.0, 0.0
    for runs in choices:
        picked, best = max(runs, key=worth), min(runs, key=_usd_per_iteration)
        ratios.append(_usd_per_iteration(picked) / _usd_per_iteration(best) - 1)
        regret_usd += ratios[-1] * best.true_usd
        best_usd += best.true_usd
    print(
        f"{name:24}{_share([r < 1e-9 for r in ratios]):8.0%}{_share([r < 0.1 for r in ratios]):13.0%}"
        f"{1 + statistics.median(ratios):16.2f}{1 + _p95(ratios):9.2f}{1 + max(ratios):10.2f}"
        f"{f'${regret_usd:.2f} on ${best_usd:.2f}':>24}"
    )


def _report_scaling(rates: dict[str, dict[str, float]]) -> None:
    print(f"{'step time of more GPUs':40}{'cases':>7}{'median error':>14}{'p95':>9}")
    curves = [curve for table in rates.values() for curve in _curves(table)]
    for known, wanted in (((1, 2), 4), ((1, 2, 4), 8)):
        errors = []
        for curve in curves:
            if wanted in curve and all(size in curve for size in known):
                step_s = predict_step_s({size: curve[size] for size in known}, wanted)
                if step_s is not None:
                    errors.append(abs(step_s.value / curve[wanted] - 1))
        name = f"{wanted} from {', '.join(str(size) for size in known)}"
        print(f"{name:40}{len(errors):7}{statistics.median(errors):14.1%}{_p95(errors):9.1%}")
    best = [_best_gpu(job, rates) for job in rates["k80"] if ast.literal_eval(job)[1] == 1]
    tally = {gpu: sum(each == gpu for each in best) for gpu in _USD_PER_H}
    print(
        f"\nwhich GPU buys the most steps differs by program, at {_USD_PER_H} USD an hour: best "
        f"for {tally}"
    )


def _best_gpu(job: str, rates: dict[str, dict[str, float]]) -> str:
    speeds = {gpu: rates[gpu].get(job, 0.0) for gpu in _USD_PER_H}
    fitting = {gpu: Interval(1 / rate) for gpu, rate in speeds.items() if rate > 0}
    return max(fitting, key=lambda gpu: iterations_per_usd(_USD_PER_H[gpu], fitting[gpu]).value)


def _curves(table: dict[str, float]) -> Iterable[dict[int, float]]:
    """Step times of one global batch by number of GPUs.

    The table's rate is taken to count each GPU's batch b: n GPUs need n / rate seconds for a step
    of n b samples. A global batch B is therefore found on n GPUs where the table has batch size B /
    n.
    """
    curves: dict[tuple[str, int], dict[int, float]] = {}
    for key, rate in table.items():
        job, gpus = ast.literal_eval(key)
        sized = _SIZED.fullmatch(job)
        if sized and rate > 0:
            curves.setdefault((sized[1], int(sized[2]) * gpus), {})[gpus] = gpus / rate
    return curves.values()


def _experiments(path: Path) -> list[list[Run]]:
    with gzip.open(path) as file:
        content = json.load(file)
    found = [
        [_run(config, each["experiment"]) for config in each["configs"]]
        for each in content["experiments"]
    ]
    return [[run for run in runs if run is not None] for runs in found if any(runs)]


def _run(config: dict[str, Any], experiment: str) -> Run | None:
    named = config["windows"]
    whole = named["all"]
    first_s = (
        named["first_half_second"]["sum_s"] - named["first_half_second_without_first"]["sum_s"]
    )
    # `first_32` and `first_64` count the first iteration, the others begin with the second.
    totals = [(1, 0.0)]
    for name, end in _ENDS.items():
        if name in named and named[name]["sum_s"] is not None and whole["iterations"] >= end:
            total_s = named[name]["sum_s"] - (first_s if name.startswith("first") else 0.0)
            if total_s > totals[-1][1]:
                totals.append((end, total_s))
    windows = tuple(
        Sample(end - begin, end_s - begin_s, float(end))
        for (begin, begin_s), (end, end_s) in itertools.pairwise(totals)
    )
    price, steps = config["price_usd_per_h_each"], whole["iterations"] - 1
    if not price or steps < 1 or not windows or whole["sum_s"] <= first_s:
        return None
    true_step_s = (whole["sum_s"] - first_s) / steps
    return Run(
        price * config["count"], windows, true_step_s, steps, experiment.startswith("pytorch/")
    )


def _value(run: Run, until: int) -> float:
    step_s = run.estimate(until)
    return 0.0 if step_s is None else iterations_per_usd(run.usd_per_h, step_s).value


def _usd_per_iteration(run: Run) -> float:
    return run.usd_per_h * run.true_step_s


def _longer_than(run: Run, until: int) -> bool:
    return run.windows[-1].ended_at_s >= until and run.iterations > until


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits)


def _p95(values: Iterable[float]) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(0.95 * len(ordered)) - 1)]


if __name__ == "__main__":
    main()
