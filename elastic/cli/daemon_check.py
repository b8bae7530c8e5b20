"""The part of `elasticd doctor` that looks at the daemon which runs: its alarms, and the lease to
its machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from elastic.clock import Clock
from elastic.errors import DaemonUnreachable, ElasticError, Unauthorized
from elastic.figures import ago
from elastic.finding import Finding

if TYPE_CHECKING:
    from elastic.config import Settings
    from elastic.providers import LeaderLease

# What to do about each kind of alarm.
_ADVICE: Mapping[str, str] = {
    "cannot_write": "make room on the database's disk, or let its server take writes; the next "
    "tick goes on by itself",
    "clock": "synchronise this machine's clock: `timedatectl set-ntp true`",
    "leader_lease": "stop the other daemon, name another ec2.cluster, or `elasticd serve "
    "--take-over`",
    "cannot_see": "allow what it names: `elasticd doctor --print-policy daemon`",
    "cannot_buy": "fix what it names, often ec2.types; `elasticd doctor` tries what the daemon is "
    "allowed",
    "cannot_keep_alive": "allow ec2:CreateTags on the cluster's machines: `elasticd doctor "
    "--print-policy daemon`",
    "held": "`elasticd adopt` lists those jobs, goes on with them or ends them",
    "cannot_record": "allow what it names: `elasticd doctor --print-policy daemon`",
    "not_sold": "correct ec2.types, or what ec2.capacities and ec2.zones leave of them; the others "
    "are on offer",
    "hosts": "`elasticd host check` says what to do about each host",
    "standstill": "look into its script's log and at its nodes' network; it may only take long to "
    "judge or save",
    "outside": "look at the network between that node and its job's others; it is replaced in some "
    "minutes",
    "overrun": "stop the job, and have its script end by itself; `iterations` only tells what its "
    "work is measured by",
    "cannot_end": "allow what it names, or end machines where that is allowed: `elasticd gc "
    "--terminate`",
}


def check_alarms() -> Iterator[Finding]:
    """The alarms of the daemon that runs here; without a daemon there are none."""
    from elastic.client import Connection

    try:
        with Connection().open() as client:
            alarms = client.get("/v1/alarms")["items"]
    except (DaemonUnreachable, Unauthorized):
        yield Finding("alarms", "ok", "no daemon runs here that could have any")
        return
    except ElasticError as error:
        yield Finding(
            "alarms", "warning", f"could not be told: {error}", "look into the daemon's log"
        )
        return
    if not alarms:
        yield Finding("alarms", "ok", "the daemon has none")
    for each in alarms:
        yield Finding(
            f"alarm {each['kind']}",
            "error",
            each["text"],
            _ADVICE.get(each["kind"], "see the daemon's log"),
        )


def check_lease(settings: Settings, clock: Clock) -> Finding:
    """Which daemon acts on the cluster's machines, one at a time."""
    from elastic.providers.ec2 import ParameterLeases, connect, lease_name  # boto3 takes 0.3 s
    from elastic.reconciler import place_of

    cluster = settings.ec2.cluster
    try:
        _, lease = ParameterLeases(connect(settings.ec2.region), lease_name(cluster)).read()
    except ElasticError as error:
        return Finding(
            "aws leader lease",
            "error",
            str(error),
            "allow ssm:GetParameter and ssm:PutParameter on it",
        )
    return judge_lease(
        lease, cluster=cluster, place=place_of(settings.data_dir), now_s=clock.now_s()
    )


def judge_lease(lease: LeaderLease | None, *, cluster: str, place: str, now_s: float) -> Finding:
    """Whether a daemon at `place` may have the machines."""
    from elastic.reconciler import LEASE_EXPIRES_S

    name = "aws leader lease"
    if lease is None or lease.is_over:
        return Finding(name, "ok", f"cluster {cluster}: no daemon holds its machines")
    seen_s = now_s - lease.seen_at_s
    seen = ago(lease.seen_at_s, now_s)
    held = f"cluster {cluster}: held by the daemon on {lease.place}, seen {seen}"
    if lease.place == place:
        return Finding(name, "ok", f"{held}: the one of this data folder")
    if seen_s >= LEASE_EXPIRES_S:
        return Finding(name, "ok", f"{held}: long enough ago for another one to take them")
    advice = "stop that one, name another ec2.cluster, or take over: `elasticd serve --take-over`"
    return Finding(name, "warning", held, advice)
