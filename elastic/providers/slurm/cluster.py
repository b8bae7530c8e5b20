"""What a Slurm cluster is: its partitions and nodes, as `scontrol` and `sinfo` describe them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from elastic.errors import ProviderUnavailable
from elastic.providers.slurm.commands import SlurmCommands

# Partition, cores, MB, generic resources, features, nodes, state, sockets, cores a socket, and how
# many cores are allocated, idle, of other use, and in all.
_NODES = "%R|%c|%m|%G|%D|%T|%X|%Y|%C|%f"
_NODE_FIELDS = 10
# A node in another state takes no job, however long one waits. `~` stands behind the state of one
# that power saving has switched off, and that comes back by itself (sinfo's manual, NODE STATE
# CODES).
_USABLE = frozenset(
    [
        "idle",
        "mixed",
        "allocated",
        "completing",
        "planned",
        "powering_up",
        "powered_down",
        "powering_down",
    ]
)
_MARKS = "*~#!%$@^-+"


@dataclass(frozen=True, slots=True)
class SlurmPartition:
    """A partition, as far as it matters here."""

    name: str
    is_up: bool
    # From its first signal, a job that is preempted has this long.
    grace_s: float
    preempts: str
    priority: int
    # Billing units for each of `cpu`, GiB of `mem`, `node` and `gres/...`; empty: one a core.
    weights: Mapping[str, float]
    # All of its nodes together, with those that sinfo does not show.
    nodes: int = 0
    cpus: int = 0
    memory_gib: float = 0.0
    names: frozenset[str] = frozenset()
    # The GiB that a job gets that asks for none, for each `CPU`, `GPU` or `Node`.
    default_memory: Mapping[str, float] = field(default_factory=dict)
    # Of a job that names none; None: there is no limit.
    time_limit_s: float | None = None


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes of a partition that are alike and in the same state."""

    partition: str
    cpus: int
    memory_gib: float
    gres: str
    features: frozenset[str]
    count: int
    state: str
    cores: int
    idle_cpus: int

    @property
    def is_usable(self) -> bool:
        return self.state in _USABLE

    @property
    def is_idle(self) -> bool:
        return self.state in ("idle", "powered_down")


@dataclass(frozen=True, slots=True)
class SlurmConfig:
    """What holds in the whole cluster."""

    # From SIGTERM to SIGKILL.
    kill_wait_s: float
    preempt_type: str
    # Whether the dearest resource alone is billed, instead of the sum of all.
    bills_dearest: bool
    # Whether a node's memory is divided among its jobs: one that asks for none then gets all of it,
    # unless there is a default.
    divides_memory: bool = False
    default_memory: Mapping[str, float] = field(default_factory=dict)


def read_config(slurm: SlurmCommands) -> SlurmConfig:
    """Slurm's configuration. Raises ProviderUnavailable without an answer."""
    text = slurm.run("scontrol", "show", "config")
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
    found = {name.strip(): value.strip() for name, value in pairs}
    return SlurmConfig(
        kill_wait_s=float(found.get("KillWait", "30").split()[0]),
        preempt_type=found.get("PreemptType", "preempt/none"),
        bills_dearest="MAX_TRES" in found.get("PriorityFlags", ""),
        divides_memory="MEMORY" in found.get("SelectTypeParameters", "").upper(),
        default_memory=default_memory(text),
    )


def read_partitions(slurm: SlurmCommands) -> Mapping[str, SlurmPartition]:
    """Every partition that this user sees. Raises ProviderUnavailable without an answer."""
    found = {}
    for line in slurm.run("scontrol", "show", "partition", "-o").splitlines():
        fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if "PartitionName" not in fields:
            continue
        name = fields["PartitionName"]
        found[name] = SlurmPartition(
            name,
            is_up=fields.get("State") == "UP",
            grace_s=float(fields.get("GraceTime") or 0),
            preempts=fields.get("PreemptMode", "OFF"),
            priority=int(fields.get("PriorityTier") or 1),
            weights=billing_weights(fields.get("TRESBillingWeights", "")),
            nodes=int(fields.get("TotalNodes") or 0),
            cpus=int(fields.get("TotalCPUs") or 0),
            memory_gib=_memory_gib(fields.get("TRES", "")),
            names=frozenset(host_names(fields.get("Nodes", ""))),
            default_memory=default_memory(line),
            time_limit_s=time_limit_s(fields.get("DefaultTime", ""))
            or time_limit_s(fields.get("MaxTime", "")),
        )
    return found


def read_nodes(slurm: SlurmCommands) -> tuple[NodeGroup, ...]:
    """All nodes, in groups. Raises ProviderUnavailable without an answer."""
    rows = slurm.rows("sinfo", "-h", "-a", "-o", _NODES, fields=_NODE_FIELDS)
    try:
        return tuple(group for row in rows if (group := _group(*row)).count)
    except ValueError as error:
        raise ProviderUnavailable(
            f"sinfo: wanted {_NODES}, got what cannot be read: {error}"
        ) from error


def hidden_nodes(partition: SlurmPartition, shown: Iterable[NodeGroup]) -> NodeGroup | None:
    """The nodes of a partition that are switched off and not shown; None if all are.

    Without `PrivateData=cloud` sinfo is silent about them (slurm.conf, PrivateData).
    """
    count = partition.nodes - sum(each.count for each in shown)
    if count <= 0 or partition.cpus < partition.nodes:
        return None
    # Of each one as much as of all on average: Slurm says no more.
    cpus = partition.cpus // partition.nodes
    return NodeGroup(
        partition.name,
        cpus,
        round(partition.memory_gib / partition.nodes, 1),
        gres="",
        features=frozenset(),
        count=count,
        state="powered_down",
        cores=cpus,
        idle_cpus=count * cpus,
    )


def host_names(text: str) -> Iterator[str]:
    """The names that Slurm's short form of a list stands for.

    >>> list(host_names("login,n[08-10,12],r1[1-2]x[1-2]"))
    ['login', 'n08', 'n09', 'n10', 'n12', 'r11x1', 'r11x2', 'r12x1', 'r12x2']
    """
    for entry in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text):
        head, bracket, rest = entry.partition("[")
        if not bracket:
            yield entry
            continue
        inside, _, tail = rest.partition("]")
        for part in inside.split(","):
            first, _, last = part.partition("-")
            for number in range(int(first), int(last or first) + 1):
                yield from host_names(f"{head}{number:0{len(first)}d}{tail}")


def default_memory(text: str) -> Mapping[str, float]:
    """The GiB that a job gets that asks for none, by what they are counted for.

    >>> default_memory("JobDefaults=DefMemPerGPU=2048 DefMemPerCPU=512 MaxMemPerNode=UNLIMITED")
    {'GPU': 2.0, 'CPU': 0.5}
    """
    found = re.findall(r"\bDefMemPer(CPU|GPU|Node)\s*=\s*(\d+)", text)
    return {name: int(number) / 1024 for name, number in found}


def time_limit_s(text: str) -> float | None:
    """The seconds of a time limit (sbatch's manual, --time); None for none, or for other words.

    >>> time_limit_s("90"), time_limit_s("30:00"), time_limit_s("12:00:00"), time_limit_s("2-12")
    (5400.0, 1800.0, 43200.0, 216000.0)
    >>> time_limit_s("1-00:30"), time_limit_s("UNLIMITED"), time_limit_s("0")
    (88200.0, None, None)
    """
    if not re.fullmatch(r"(\d+-)?\d+(:\d+){0,2}", text):
        return None
    days, dash, rest = text.rpartition("-")
    parts = [int(each) for each in rest.split(":")]
    if dash:
        # From the hours on.
        hours, minutes, seconds = [*parts, 0, 0][:3]
    elif len(parts) < 3:
        hours, (minutes, seconds) = 0, [*parts, 0][:2]
    else:
        hours, minutes, seconds = parts
    return float(((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + seconds) or None


def billing_weights(text: str) -> Mapping[str, float]:
    """What one of each resource counts; memory by the GiB.

    >>> billing_weights("CPU=1.0,Mem=0.25G,GRES/gpu=2.0")
    {'cpu': 1.0, 'mem': 0.25, 'gres/gpu': 2.0}
    """
    found = {}
    for name, number, unit in re.findall(r"([^=,]+)=([0-9.]+)([KMGT]?)", text):
        weight = float(number)
        if name.lower() == "mem":
            # By the MB, unless the weight names a larger unit (slurm.conf, TRESBillingWeights).
            weight *= {"K": 1024.0**2, "M": 1024.0, "": 1024.0, "G": 1.0, "T": 1 / 1024}[unit]
        found[name.lower()] = weight
    return found


def gpus_in(gres: str) -> tuple[int, str | None]:
    """How many GPUs generic resources name, and which model.

    >>> gpus_in("gpu:a100:4(S:0-1),shard:8"), gpus_in("gpu:2"), gpus_in("(null)")
    ((4, 'a100'), (2, None), (0, None))
    """
    count = 0
    model = None
    for entry in gres.split(","):
        words = re.sub(r"\(.*", "", entry).split(":")
        if words[0] != "gpu" or len(words) < 2:
            continue
        count += int(words[-1]) if words[-1].isdigit() else 1
        if len(words) > 2 or not words[-1].isdigit():
            model = words[1]
    return count, model


def _group(
    partition: str,
    cpus: str,
    memory: str,
    gres: str,
    count: str,
    state: str,
    sockets: str,
    cores: str,
    use: str,
    features: str,
) -> NodeGroup:
    name = state.rstrip(_MARKS)
    if state.endswith("~"):
        name = "powered_down"
    idle = int(use.split("/")[1])
    return NodeGroup(
        partition,
        # `8+` says that some have more.
        cpus=int(cpus.rstrip("+")),
        memory_gib=math.floor(int(memory.rstrip("+")) / 102.4) / 10,
        gres=gres,
        features=frozenset(re.split(r"[,|&()]", features)),
        count=int(count),
        state=name,
        cores=int(sockets.rstrip("+")) * int(cores.rstrip("+")),
        idle_cpus=idle,
    )


def _memory_gib(tres: str) -> float:
    """The memory among a partition's resources.

    >>> _memory_gib("cpu=4,mem=16000M,node=4,billing=4"), _memory_gib("cpu=4,mem=2T")
    (15.625, 2048.0)
    """
    found = re.search(r"mem=([0-9.]+)([MGTP]?)", tres)
    if found is None:
        return 0.0
    factor = {"M": 1 / 1024, "": 1 / 1024, "G": 1.0, "T": 1024.0, "P": 1024.0**2}[found[2]]
    return float(found[1]) * factor


def with_features(groups: Iterable[NodeGroup], constraint: str | None) -> tuple[NodeGroup, ...]:
    """The groups that have what a constraint names, as far as it is a plain list of features."""
    if constraint is None or not re.fullmatch(r"[\w.-]+(?:&[\w.-]+)*", constraint):
        return tuple(groups)
    wanted = set(constraint.split("&"))
    return tuple(each for each in groups if wanted <= each.features)
