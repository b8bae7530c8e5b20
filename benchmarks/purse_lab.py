"""Many jobs share one purse on the lab: `python -m benchmarks.purse_lab --jobs 20 --minutes 60`.

A real daemon buys real instances of the local EC2 for small scripts, in real time, while the spot
price rises and falls. One job is paused and resumed by hand. It ends with status 1 if a cap was
passed, if a job has done nothing, if an iteration was lost, or if the sum of all ledgers is more
than 1 % off the lab's bill.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any

from elastic.calendar import hour_around
from elastic.figures import count, duration, percent, usd
from elastic_lab import Lab, parse_scenario, running_lab
from tests.e2e.counting import COUNTING
from tests.e2e.running import RunningDaemon, running_daemon_on

# What one machine costs an hour while spot is cheap: with its disk of 30 GiB and its address.
_MACHINE_USD_PER_H = 0.05 + 30 * 0.08 / 730 + 0.005
# Of an hour's cap nine tenths burn at a time (docs/how-to/purse.md).
_BURNS = 0.9
_STEP_S = 0.5
_LOOK_S = 5.0
_CONFIG = """
tick_s = 2.0
heartbeat_s = 1.0
drain_grace_s = 10.0

[ec2]
cluster = "purse"
capacities = ["spot"]
spot_refresh_s = 5.0

[policy]
cooldown_s = 60.0
trial_windows = 4
boot_prior_s = 15.0
switch_pause_prior_s = 10.0
wind_down_s = 20.0

[purse]
usd_per_h = {cap}
usd_per_day = {day}
"""


@dataclass(slots=True)
class Row:
    """What was seen of one run."""

    jobs: int
    minutes: float
    cap_usd: float
    machines: int
    # The most of each cap that was spent, by the daemon's own account and by the lab's bill.
    spent_share: dict[str, float] = field(default_factory=dict)
    billed_share: float = 0.0
    most_at_once: int = 0
    bought: int = 0
    finished: int = 0
    waited: int = 0
    least_share: float = 1.0
    starved: list[str] = field(default_factory=list)
    longest_wait_s: float = 0.0
    redone: int = 0
    pause_held: bool | None = None
    ledgers_usd: float = 0.0
    bill_usd: float = 0.0
    iterations: int = 0

    @property
    def ledger_off(self) -> float:
        return abs(self.ledgers_usd - self.bill_usd) / self.bill_usd

    @property
    def faults(self) -> list[str]:
        """What fell short."""
        found = [
            f"of the cap of the {unit} {percent(share)} was spent"
            for unit, share in self.spent_share.items()
            if share > 1
        ]
        if self.billed_share > 1:
            found.append(f"an hour's bill was {percent(self.billed_share)} of its cap")
        found += [f"{name} starved: it has done nothing" for name in self.starved]
        if self.redone:
            found.append(f"{self.redone} iterations were done twice")
        if self.pause_held is not True:
            found.append("the paused job kept machines, made progress, or was not resumed")
        if self.ledger_off > 0.01:
            found.append(f"the ledgers are {percent(self.ledger_off)} off the bill")
        return found

    def lines(self) -> list[str]:
        caps = ", ".join(
            f"{percent(share)} of the {unit}'s" for unit, share in self.spent_share.items()
        )
        return [
            f"{self.jobs} jobs, {duration(self.minutes * 60)}, cap {usd(self.cap_usd)} an hour",
            f"caps at most: {caps}; by the bill {percent(self.billed_share)} of an hour's",
            f"machines: {self.bought} bought, at most {self.most_at_once} at once",
            f"jobs: {self.finished} finished, {self.waited} waited at the end; the least has done "
            f"{percent(self.least_share)} of its work; longest wait {duration(self.longest_wait_s)}; "
            f"{count(self.iterations)} iterations, {self.redone} of them twice",
            f"sum of the ledgers {usd(self.ledgers_usd)}, bill {usd(self.bill_usd)}: "
            f"{percent(self.ledger_off)} off",
        ]


@dataclass(slots=True)
class Play:
    """One run: its jobs, and what is looked at again and again."""

    lab: Lab
    daemon: RunningDaemon
    row: Row
    chance: random.Random
    say: Callable[[str], None]
    # By job: how many iterations it is to do.
    wanted: dict[str, int] = field(default_factory=dict)
    _without_since_s: dict[str, float] = field(default_factory=dict)
    _hour: tuple[float, float] = (0.0, 0.0)

    def submit(self, script: Path) -> None:
        """Sends all jobs, of three priorities, whose work fills three fifths of the machines."""
        row = self.row
        mean_s = 0.6 * row.machines * row.minutes * 60 / row.jobs
        for number in range(row.jobs):
            iterations = round(self.chance.uniform(0.3, 1.7) * mean_s / _STEP_S)
            job_id = self.daemon.submit(
                name=f"job-{number}",
                command=[str(script), str(iterations), str(_STEP_S)],
                iterations=iterations,
                priority=number % 3,
            )
            self.wanted[job_id] = iterations

    def run(self) -> None:
        """Looks until the time is over; pauses a job in the second fifth of it."""
        began_s = time.monotonic()
        length_s = self.row.minutes * 60
        paused: Mapping[str, Any] | None = None
        is_over = False
        while not is_over:
            time.sleep(_LOOK_S)
            passed_s = time.monotonic() - began_s
            jobs = self._look()
            if paused is None and passed_s > 0.2 * length_s:
                paused = self._pause(jobs)
            elif paused is not None and self.row.pause_held is None and passed_s > 0.4 * length_s:
                self.row.pause_held = self._resume(paused)
            is_over = passed_s > length_s or all(each["phase"] == "succeeded" for each in jobs)
        self._count(self._look())

    def end(self) -> None:
        """Stops what is left, and compares the ledgers with the bill."""
        for job_id in self.wanted:
            self.daemon.elasticd("job", "stop", job_id, "-y")
        self.daemon.until("no instance runs", lambda: not self.lab.running(), timeout_s=180)
        row = self.row
        row.bought = len(self.lab.instances())
        row.bill_usd = self.lab.bill().usd
        row.ledgers_usd = sum(
            self.daemon.get("/v1/ledger", job=each)["total_usd"] for each in self.wanted
        )

    def _look(self) -> Sequence[Mapping[str, Any]]:
        row = self.row
        now_s = time.time()
        for cap in self.daemon.get("/v1/purse")["caps"]:
            share = cap["spent_usd"] / cap["usd"]
            row.spent_share[cap["unit"]] = max(row.spent_share.get(cap["unit"], 0.0), share)
        bill_usd = self.lab.bill().usd
        hour_s, _ = hour_around(now_s, UTC)
        if hour_s != self._hour[0]:
            self._hour = hour_s, bill_usd
        row.billed_share = max(row.billed_share, (bill_usd - self._hour[1]) / row.cap_usd)
        row.most_at_once = max(row.most_at_once, len(self.lab.running()))
        jobs: Sequence[Mapping[str, Any]] = self.daemon.get("/v1/jobs", limit=500)["items"]
        holding = {each["job_id"] for each in self.daemon.get("/v1/nodes", limit=500)["items"]}
        for job in jobs:
            if job["id"] in holding or job["phase"] in ("succeeded", "paused"):
                self._without_since_s.pop(job["id"], None)
                continue
            since_s = self._without_since_s.setdefault(job["id"], now_s)
            row.longest_wait_s = max(row.longest_wait_s, now_s - since_s)
        done = sum(each["phase"] == "succeeded" for each in jobs)
        self.say(f"{done} of {len(jobs)} done, {len(holding)} hold machines, bill {usd(bill_usd)}")
        return jobs

    def _pause(self, jobs: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
        """Pauses the job that trains and has most to do; None if none trains now."""
        running = [each for each in jobs if each["phase"] == "running" and each["iteration"]]
        if not running:
            return None
        job = max(running, key=lambda each: self.wanted[each["id"]] - each["iteration"])
        self.daemon.elasticd("job", "pause", job["id"], "-y")
        self.daemon.until("its nodes are gone", lambda: not self._nodes(job["id"]))
        self.say(f"paused {job['spec']['name']}")
        return dict(self.daemon.get(f"/v1/jobs/{job['id']}"))

    def _resume(self, paused: Mapping[str, Any]) -> bool:
        now = self.daemon.get(f"/v1/jobs/{paused['id']}")
        held = now["iteration"] == paused["iteration"] and not self._nodes(paused["id"])
        resumed = self.daemon.elasticd("job", "resume", paused["id"])
        self.say(f"resumed {paused['spec']['name']}")
        return held and now["phase"] == "paused" and resumed.returncode == 0

    def _nodes(self, job_id: str) -> list[Any]:
        return list(self.daemon.get("/v1/nodes", job=job_id)["items"])

    def _count(self, jobs: Sequence[Mapping[str, Any]]) -> None:
        row = self.row
        for job in jobs:
            row.finished += job["phase"] == "succeeded"
            row.waited += job["phase"] == "waiting"
            row.iterations += job["iteration"]
            row.redone += job["redone"]
            row.least_share = min(row.least_share, job["iteration"] / self.wanted[job["id"]])
            if not job["iteration"]:
                row.starved.append(job["spec"]["name"])


def play(*, jobs: int, minutes: float, machines: int, seed: int, say: Callable[[str], None]) -> Row:
    """Plays one run; nothing of it is left when this returns."""
    # A twentieth more, or the last machine would not fit for a rounding.
    cap_usd = round(1.05 * machines * _MACHINE_USD_PER_H / _BURNS, 4)
    third_s = minutes * 20
    scenario = {
        "node_types": {
            "c5.large": {"cpu": 0.25, "on_demand_usd_per_h": 0.1, "spot_usd_per_h": 0.05},
            "c5.xlarge": {"cpu": 0.5, "on_demand_usd_per_h": 0.2, "spot_usd_per_h": 0.11},
        },
        # For a third of the time fewer machines fit the same cap.
        "prices": [
            {"after_s": third_s, "node_type": "c5.large", "spot_usd_per_h": 0.07},
            {"after_s": 2 * third_s, "node_type": "c5.large", "spot_usd_per_h": 0.05},
        ],
    }
    row = Row(jobs, minutes, cap_usd, machines)
    with tempfile.TemporaryDirectory() as folder, running_lab(parse_scenario(scenario)) as lab:
        config = _CONFIG.format(cap=cap_usd, day=24 * cap_usd)
        with running_daemon_on(lab, Path(folder), config=config) as daemon:
            script = Path(folder, "train.py")
            script.write_text(COUNTING)
            run = Play(lab, daemon, row, random.Random(seed), say)
            run.submit(script)
            run.run()
            run.end()
    return row


def main() -> int:
    """Plays one run and prints its row."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.purse_lab", description=__doc__)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--machines", type=int, default=5, help="that the cap of an hour pays")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    row = play(
        jobs=arguments.jobs,
        minutes=arguments.minutes,
        machines=arguments.machines,
        seed=arguments.seed,
        say=lambda text: print(time.strftime("%H:%M:%S"), text, flush=True),
    )
    print("\n".join(row.lines()))
    for each in row.faults:
        print(f"BROKEN: {each}")
    return 1 if row.faults else 0


if __name__ == "__main__":
    sys.exit(main())
