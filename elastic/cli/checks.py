"""The checks of `elasticd doctor`; each says what it found and what to do about it."""

from __future__ import annotations

import json
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import TYPE_CHECKING

from elastic.cli.account import findings_of_account
from elastic.cli.host import findings_of_hosts
from elastic.clock import AGREES_S, Clock
from elastic.data_folder import ADVICE, WANTED, found_instead
from elastic.durations import DAY_S, TRANSFER_TIMEOUT_S
from elastic.engines import find_engine
from elastic.errors import DaemonUnreachable, ElasticError, InvalidInput, Unauthorized
from elastic.figures import ago, duration, instant, size
from elastic.finding import Finding

if TYPE_CHECKING:
    from elastic.config import Settings
    from elastic.providers import LeaderLease

_OURS = "elasticd"
# Room for some checkpoints of a small model.
_LEAST_FREE_BYTES = 2 << 30
# Let's Encrypt's clients renew 30 days before the end: a week before it, they have failed.
_RENEWED_S = 7 * DAY_S
# What nodes on this machine import, in the way in which workers do.
_IMPORTS = {
    "torch": "import torch.distributed; assert torch.distributed.is_available()",
    "torchvision": "from elastic.worker.torchvision_import import help_torchvision\n"
    "help_torchvision()\nimport torchvision.transforms\nimport torchvision.extension\n"
    "print(torchvision.extension._has_ops())",
}


def findings(clock: Clock, *, provider: str | None = None, nodes: int = 1) -> tuple[Finding, ...]:
    """Runs every check, in the order in which to fix what they find.

    `provider` replaces that of the settings; `nodes` is how many the largest job may have.
    """
    return tuple(_run(clock, provider, nodes))


def _run(clock: Clock, provider: str | None, nodes: int) -> Iterator[Finding]:
    from elastic.config import load_settings  # pydantic takes 0.2 s, which --help need not wait for

    # What hides our own code comes first: all later checks run it.
    yield check_packages(packages_distributions())
    yield check_torch()
    try:
        settings = load_settings(provider=provider)
    except ElasticError as error:
        yield Finding(
            "settings",
            "error",
            str(error),
            "fix the setting; docs/reference/settings.md names them all",
        )
        # Without settings there is nothing that the other checks could look at.
        return
    yield check_settings(settings)
    checks: Sequence[Callable[[Settings], Finding]] = (
        check_data_dir,
        check_token,
        check_database,
        check_port,
        check_node_port,
    )
    for check in checks:
        yield check(settings)
    if settings.provider == "local":
        yield check_quotas()
        yield check_engine()
    if settings.provider == "ssh":
        yield from findings_of_hosts(settings)
    if settings.tls is not None:
        yield check_certificate(settings, settings.tls.cert, now_s=clock.now_s())
    yield check_clock(settings.data_dir, clock)
    yield from check_alarms()
    if settings.provider == "ec2":
        yield from findings_of_account(settings, clock, nodes=nodes)
        yield check_lease(settings, clock)


def check_engine() -> Finding:
    """Whether nodes on this machine can run jobs in containers."""
    found = find_engine()
    if found.engine is None:
        return Finding("containers", "ok", f"{found}: only jobs with `image` need an engine")
    return Finding("containers", "ok", f"{found}")


def check_settings(settings: Settings) -> Finding:
    """Which provider is checked, and whether the daemon that runs here has the same."""
    found = f"provider {settings.provider}, data in {settings.data_dir}"
    running = _running(settings).get("provider", settings.provider)
    if running != settings.provider:
        advice = f"elasticd doctor --provider {running}"
        return Finding(
            "settings",
            "warning",
            f"{found}; but the daemon that runs here has provider {running}",
            advice,
        )
    return Finding("settings", "ok", found)


def check_packages(distributions: Mapping[str, Sequence[str]]) -> Finding:
    """Other distributions with a package `elastic` or `api` hide ours, or ours hides theirs."""
    intruders = sorted(
        {
            each
            for package in ("elastic", "api")
            for each in distributions.get(package, ())
            if each != _OURS
        }
    )
    if intruders:
        names = " and ".join(intruders)
        return Finding(
            "packages",
            "error",
            f"{names} has a package with our name",
            f"pip uninstall {' '.join(intruders)}",
        )
    return Finding(
        "packages",
        "ok",
        f"Python {sys.version.split()[0]}, no other package is called elastic or api",
    )


def check_torch() -> Finding:
    """torch and torchvision, which nodes on this machine need."""
    try:
        versions = f"torch {version('torch')}, torchvision {version('torchvision')}"
    except PackageNotFoundError as error:
        advice = "pip install 'elasticd[train]', unless all nodes are elsewhere"
        return Finding("torch", "warning", f"{error.name} is not installed", advice)
    said = ""
    for name, code in _IMPORTS.items():
        # In a process of its own: a broken library may end the process that imports it.
        try:
            said = subprocess.run(
                [sys.executable, "-c", code],
                check=True,
                capture_output=True,
                text=True,
                timeout=TRANSFER_TIMEOUT_S,
            ).stdout
        except subprocess.CalledProcessError as error:
            why = error.stderr.strip().rpartition("\n")[2]
            return Finding(
                "torch",
                "error",
                f"{versions}, but {name} does not import: {why}",
                f"install {name} again",
            )
        except subprocess.TimeoutExpired:
            found = f"{versions}, but {name} did not import within {duration(TRANSFER_TIMEOUT_S)}"
            return Finding(
                "torch", "error", found, "is the machine busy? Otherwise install it again"
            )
    # torchvision without its operators imports without an error, and fails at their first use.
    if said.split()[-1:] == ["False"]:
        found = (
            f"{versions}; both import, but torchvision's compiled operators (nms, roi_align and "
            "others) do not work"
        )
        advice = (
            "for jobs that use them, install a torch and a torchvision of the same build: both for "
            "CUDA, or neither"
        )
        return Finding("torch", "warning", found, advice)
    return Finding("torch", "ok", f"{versions}; both import, and torchvision's operators work")


def check_data_dir(settings: Settings) -> Finding:
    """The data folder must be writable, and have room for checkpoints."""
    found = found_instead(settings.data_dir)
    if found is not None:
        told = f"{settings.data_dir}: {WANTED}, found {found}"
        return Finding("data folder", "error", told, ADVICE)
    # The folder itself may not exist yet.
    folder = _nearest(settings.data_dir)
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < _LEAST_FREE_BYTES:
        return Finding(
            "data folder",
            "error",
            f"{folder}: {size(free_bytes)} free",
            "checkpoints need room: free some",
        )
    return Finding("data folder", "ok", f"{settings.data_dir}: {size(free_bytes)} free")


def check_token(settings: Settings) -> Finding:
    """Only its owner may read the token, which opens everything, and the secret that nodes know."""
    try:
        mode = settings.token_file.stat().st_mode
    except FileNotFoundError:
        return Finding(
            "token", "warning", "none yet", "`elasticd serve` makes it at its first start"
        )
    except OSError as error:
        return Finding(
            "token",
            "error",
            f"{settings.token_file} cannot be read: {error.strerror}",
            "see the data folder's advice",
        )
    secret = settings.data_dir / "secret"
    with suppress(OSError):  # the database has it, too
        mode |= secret.stat().st_mode
    if stat.S_IMODE(mode) & 0o077:
        return Finding(
            "token",
            "error",
            f"others may read {settings.token_file} or the secret beside it",
            f"chmod 600 {settings.token_file} {secret}",
        )
    return Finding("token", "ok", str(settings.token_file))


def check_database(settings: Settings) -> Finding:
    """The tables must be those of this version; `serve` migrates them."""
    from elastic.store import TO_GO_BACK, inspect_store  # SQLAlchemy takes 0.3 s

    try:
        state = inspect_store(settings.url)
    except ElasticError as error:
        return Finding("database", "error", str(error), "is the server up, the file a database?")
    if state.damages:
        return Finding("database", "error", "; ".join(state.damages), "`elasticd db restore`")
    if state.revision is None:
        return Finding(
            "database", "warning", "none yet", "`elasticd serve` makes it at its first start"
        )
    if state.is_newer:
        return Finding("database", "error", "; ".join(state.differences), TO_GO_BACK)
    if not state.is_migrated:
        found = f"revision {state.revision}, newest {state.newest_revision}"
        return Finding(
            "database", "warning", found, "`elasticd serve` or `elasticd db migrate` migrates it"
        )
    if state.differences:
        advice = "`elasticd db migrate` repairs it, or says why not"
        return Finding("database", "error", "; ".join(state.differences), advice)
    if state.faults:
        found = f"{len(state.faults)} faults of the ledger: {state.faults[0]}"
        return Finding("database", "warning", found, "`elasticd db check` lists them")
    return Finding("database", "ok", f"revision {state.revision}")


def check_port(settings: Settings) -> Finding:
    """The port must be free for `serve`, or this folder's daemon must have it."""
    return _port("port", settings.host, settings.port, _running(settings))


def check_node_port(settings: Settings) -> Finding:
    """As `check_port`, for the port that nodes call."""
    running = _running(settings)
    return _port("node_port", settings.address_of_nodes, settings.port_of_nodes, running)


def check_certificate(settings: Settings, file: Path, *, now_s: float) -> Finding:
    """Users' certificate must be valid, and the daemon reads a renewed one at its start only."""
    from elastic.authority import validity_s  # cryptography takes 0.1 s

    try:
        from_s, until_s = validity_s(file)
        told = settings.data_dir / "daemon.json"
        is_newer = bool(_running(settings)) and file.stat().st_mtime > told.stat().st_mtime
    except (InvalidInput, OSError) as error:
        return Finding("certificate", "error", str(error), "correct the setting tls")
    advice = "renew it, and start the daemon again"
    if now_s < from_s:
        return Finding("certificate", "error", f"{file}: valid from {instant(from_s)} on", advice)
    found = f"{file}: valid until {instant(until_s)}"
    if now_s >= until_s:
        return Finding("certificate", "error", found, advice)
    if is_newer:
        found = f"{found}, but the daemon that runs began with the one before"
        return Finding("certificate", "warning", found, "start the daemon again")
    if until_s - now_s < _RENEWED_S:
        return Finding("certificate", "warning", found, advice)
    return Finding("certificate", "ok", found)


def _port(name: str, host: str, port: int, running: Mapping[str, object]) -> Finding:
    if ":" in host:
        family = socket.AF_INET6
    else:
        family = socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As the daemon does: a port that was closed a moment ago counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if running.get(name) == port:
                return Finding(name, "ok", f"{host}:{port}: this folder's daemon listens there")
            advice = f"a daemon runs already, or choose another: ELASTICD_{name.upper()}"
            return Finding(name, "warning", f"{host}:{port}: {error.strerror}", advice)
    return Finding(name, "ok", f"{host}:{port} is free")


def _running(settings: Settings) -> Mapping[str, object]:
    """What the daemon of this data folder has written about itself; empty if none runs."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        told: dict[str, object] = json.loads((settings.data_dir / "daemon.json").read_text())
        # The file stays when a daemon is killed; no process has its number then.
        if Path(f"/proc/{int(str(told['pid']))}").exists():
            return told
    return {}


def check_quotas() -> Finding:
    """How local nodes are limited to their share of a core."""
    from elastic.providers.local import find_cpu_cgroups

    cgroups = find_cpu_cgroups()
    # Without them quotas are only approximate, but nodes work.
    if cgroups is None:
        found = "no control groups found: local nodes are slowed by stopping and continuing them"
        return Finding("cpu quotas", "warning", found, "good enough; as root, quotas are exact")
    return Finding(
        "cpu quotas", "ok", f"control groups, version {cgroups.version}, at {cgroups.mount}"
    )


def check_clock(data_dir: Path, clock: Clock) -> Finding:
    """The clock must agree with the data folder's file system.

    Prices, leases and the ledger depend on it.
    """
    folder = _nearest(data_dir)
    try:
        # A new file has the time of the file system, which may be another machine's.
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            skew_s = abs(clock.now_s() - Path(file.name).stat().st_mtime)
    except OSError as error:
        return Finding(
            "clock",
            "warning",
            f"cannot write in {folder}: {error.strerror}",
            "see the data folder's advice",
        )
    if skew_s > AGREES_S:
        return Finding(
            "clock",
            "error",
            f"{duration(skew_s)} apart from the file system at {folder}",
            "synchronise both clocks",
        )
    return Finding("clock", "ok", f"within {duration(AGREES_S)} of the file system at {folder}")


def _nearest(folder: Path) -> Path:
    """The closest ancestor of `folder` that exists."""
    return next(each for each in (folder, *folder.absolute().parents) if each.is_dir())


# What to do about each kind of alarm.
_ADVICE: Mapping[str, str] = {
    "cannot_write": "make room on the database's disk, or let its server take writes; the next "
    "tick goes on by itself",
    "clock": "synchronise this machine's clock: `timedatectl set-ntp true`",
    "leader_lease": "stop the other daemon, name another ec2.cluster, or `elasticd serve "
    "--take-over`",
    "cannot_see": "fix what it names; on EC2, `elasticd doctor --print-policy daemon` prints the "
    "rights that are needed",
    "cannot_buy": "fix what it names, on EC2 often ec2.types; `elasticd doctor` tries what the "
    "daemon is allowed",
    "cannot_keep_alive": "allow ec2:CreateTags on the cluster's machines: `elasticd doctor "
    "--print-policy daemon`",
    "held": "`elasticd adopt` lists those jobs, goes on with them or ends them",
    "cannot_record": "allow what it names: `elasticd doctor --print-policy daemon`",
    "not_sold": "correct the types that it names, on EC2 also ec2.capacities and ec2.zones; the "
    "others are on offer",
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
