"""A lab, a bucket in it and a daemon that buys there: what a story on EC2 needs, and what must hold
in its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest

from elastic_lab import InstanceView, Lab, parse_scenario, running_lab
from tests.e2e.running import RunningDaemon, running_daemon_on

CHECKPOINT_INTERVAL = 20
TINY: dict[str, Any] = {
    "workload": "esrgan",
    "preset": "small",
    "hyperparameters": {
        "warmup_batches": 4,
        "checkpoint_interval": CHECKPOINT_INTERVAL,
        "sample_interval": 10_000,
        "batch_size": 2,
        "residual_blocks": 1,
        "held_out_crops": 1,
        "held_out_size": 32,
    },
}
_TOLD = (
    *("decision", "failure", "generation", "checkpoint", "notice"),
    *("node_launched", "node_failed", "node_joined", "node_terminating", "job_phase"),
)
_CONFIG = """
tick_s = 1.0
heartbeat_s = 0.5
drain_grace_s = 15.0
checkpoint_root = "s3://story/elasticd"

[ec2]
cluster = "story"
capacities = ["spot"]
instance_profile = "node"
spot_refresh_s = 2.0

[policy]
cooldown_s = 5.0
trial_windows = 4
trial_usd_share = 0.9
trial_of_every = true
wind_down_s = 20.0
switch_pause_prior_s = 5.0
boot_prior_s = 3.0
"""


@dataclass(frozen=True, slots=True)
class Story:
    """A cloud and a daemon, and ways to look at both."""

    lab: Lab
    daemon: RunningDaemon

    def windows(self, job_id: str, *, limit: int = 10_000) -> list[dict[str, Any]]:
        """So many of the job's windows, newest first."""
        with self.daemon.client() as client:
            return [
                each["window"] for each in client.items("/v1/measurements", job=job_id, limit=limit)
            ]

    def nodes(self, job_id: str, **query: Any) -> list[dict[str, Any]]:
        """The job's nodes, oldest first; with `all=True` those that are gone too."""
        with self.daemon.client() as client:
            return sorted(
                client.items("/v1/nodes", job=job_id, limit=100, **query),
                key=lambda each: each["intended_at_s"],
            )

    def events(self, job_id: str, *kinds: str) -> list[dict[str, Any]]:
        """The job's events of these kinds, oldest first."""
        found: list[dict[str, Any]] = []
        after = 0
        with self.daemon.client() as client:
            while page := client.get("/v1/events", after=after, limit=200)["items"]:
                after = page[-1]["id"]
                found += [
                    each for each in page if each["job_id"] == job_id and each["kind"] in kinds
                ]
        return found

    def until(
        self, job_id: str, what: str, is_true: Callable[[], Any], *, timeout_s: float = 90.0
    ) -> Any:
        """Waits until `is_true` gives something true, and gives that; who waits in vain reads the
        job's history."""
        try:
            return self.daemon.until(what, is_true, timeout_s=timeout_s)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.tell(job_id)}") from None

    def stop(self, job_id: str) -> None:
        """Ends the job in good order, as a user does."""
        with self.daemon.client() as client:
            client.post(f"/v1/jobs/{job_id}:stop")
        self.daemon.until_phase(job_id, "cancelled", timeout_s=60.0)

    def trainer(self, job_id: str) -> InstanceView:
        """The instance on which the job trains now; the last one to have joined if there are
        several."""
        joined = [each for each in self.nodes(job_id) if each["phase"] == "joined"]
        instance_id = max(joined, key=lambda each: each["joined_at_s"])["provider_id"]
        return next(each for each in self.lab.running() if each.instance_id == instance_id)

    def command(self, *words: str) -> str:
        """What an `elasticd` command prints; fails the test unless its status is 0."""
        done = self.daemon.elasticd(*words)
        assert done.returncode == 0, (
            f"elasticd {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return done.stdout

    def tell(self, job_id: str) -> str:
        """The job's history, for whoever reads of a failure."""
        history = self.events(job_id, *_TOLD)
        lines = [f"{each['at_s']:.1f} {each['kind']}: {each['text']}" for each in history]
        generations = sorted(
            {(each["generation"], each["iteration"]) for each in self.windows(job_id)}
        )
        machines = [
            f"{each.instance_id} {each.node_type} {each.zone} {each.phase} {each.reason}"
            for each in self.lab.instances()
        ]
        living = [each.instance_id for each in self.lab.running()]
        said = [f"{each} printed:\n{_end_of(self.lab.log(each))}" for each in living]
        return "\n".join(
            [*lines, f"windows (generation, iteration): {generations}", *machines, *said]
        )

    def check_the_books(self, job_id: str) -> None:
        """Nothing runs, nothing was bought twice, and ledger, cloud and bill agree."""
        self.daemon.until("no instance runs", lambda: not self.lab.running(), timeout_s=30)
        nodes = [each for each in self.nodes(job_id, all=True) if each["provider_id"] is not None]
        bought = [each.instance_id for each in self.lab.instances()]
        assert sorted(bought) == sorted(each["provider_id"] for each in nodes), (
            "each instance belongs to one node"
        )
        bill_usd = self.lab.bill().usd
        ledger_usd = self.daemon.get("/v1/ledger", job=job_id)["total_usd"]
        assert ledger_usd == pytest.approx(bill_usd, rel=0.01), (
            f"ledger ${ledger_usd:.6f}, bill ${bill_usd:.6f}"
        )
        assert f"agree about {len(bought)} machine" in self.command("audit")
        assert "i-" not in self.command("gc", "--older-than", "0s"), "nothing is left to collect"


@contextmanager
def told(folder: Path, **scenario: Any) -> Iterator[Story]:
    """Runs a lab and a daemon for one story, which must leave no machine. What a failed one leaves
    ends with it."""
    with running_lab(parse_scenario(scenario)) as lab:
        make_bucket_and_role(lab)
        with running_daemon_on(lab, folder, config=_CONFIG) as daemon:
            yield Story(lab, daemon)
        left = [each.instance_id for each in lab.running()]
    assert left == [], "a story that is over leaves no machine"


def redone(windows: list[dict[str, Any]]) -> int:
    """How many iterations were done more often than once, counted by the windows that workers
    reported."""
    counted = sum(int(window["iterations"]) for window in windows)
    return counted - len(covered(windows))


def covered(windows: list[dict[str, Any]]) -> set[int]:
    """Every iteration that a stored window vouches for."""
    return {
        number
        for window in windows
        for number in range(window["iteration"] - window["iterations"] + 1, window["iteration"] + 1)
    }


def _end_of(text: str) -> str:
    return "\n".join(text.splitlines()[-20:])


def make_bucket_and_role(lab: Lab) -> None:
    session = boto3.Session("lab", "lab", region_name=lab.region)
    session.client("s3", endpoint_url=lab.endpoint_url).create_bucket(Bucket="story")
    session.client("iam", endpoint_url=lab.endpoint_url).create_instance_profile(
        InstanceProfileName="node"
    )
