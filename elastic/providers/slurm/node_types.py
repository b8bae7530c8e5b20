"""Makes node types and prices of partitions, features and what their users say of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from elastic.config import SlurmSettings, SlurmType
from elastic.errors import ProviderError
from elastic.model import Capacity, NodeType, Offering
from elastic.providers.precisions import FP32_ONLY, precisions_of_gpu
from elastic.providers.slurm.cluster import (
    NodeGroup,
    SlurmConfig,
    SlurmPartition,
    gpus_in,
    hidden_nodes,
    time_limit_s,
    with_features,
)

# As for hosts that cost nothing: a price must be positive, since 0 would be unknown.
NOMINAL_USD_PER_H = 1e-6


@dataclass(frozen=True, slots=True)
class SlurmNodeType:
    """A node type with what a job of it asks for."""

    asks: SlurmType
    machine: NodeType
    offering: Offering
    usd_per_h: float
    # Whether its jobs wait in the queue, or are only sent while nodes are idle.
    waits: bool
    grace_s: float
    # How long before its time limit a node begins to be replaced.
    notice_s: float
    # How many nodes could ever run at once, and how many more could start now.
    most: int
    free: int


def node_types(
    settings: SlurmSettings,
    config: SlurmConfig,
    partitions: Mapping[str, SlurmPartition],
    nodes: Sequence[NodeGroup],
) -> dict[Offering, SlurmNodeType]:
    """What the cluster offers by these settings. Raises ProviderError for what it lacks."""
    found = {}
    for asks in settings.types or _of_partitions(settings, partitions):
        partition = partitions.get(asks.partition)
        if partition is None:
            raise ProviderError(
                f"node type {asks.name}: wanted partition {asks.partition}, found "
                f"{', '.join(partitions) or 'none'}; correct slurm.types"
            )
        shown = [each for each in nodes if each.partition == asks.partition]
        hidden = hidden_nodes(partition, shown)
        # What features hidden nodes have is not known, so that they have any.
        alike = [*with_features(shown, asks.constraint), *([hidden] if hidden else ())]
        if alike:
            each = _node_type(asks, settings, config, partitions, alike)
            found[each.offering] = each
    return found


def _of_partitions(
    settings: SlurmSettings, partitions: Mapping[str, SlurmPartition]
) -> Sequence[SlurmType]:
    """One type for each partition, of whole nodes."""
    wanted = settings.partitions or tuple(partitions)
    return [
        SlurmType(name=re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-."), partition=name)
        for name in wanted
    ]


def _node_type(
    asks: SlurmType,
    settings: SlurmSettings,
    config: SlurmConfig,
    partitions: Mapping[str, SlurmPartition],
    alike: Sequence[NodeGroup],
) -> SlurmNodeType:
    partition = partitions[asks.partition]
    smallest = min(alike, key=lambda each: each.cpus)
    share = min(1.0, (asks.cpus or smallest.cpus) / smallest.cpus)
    if asks.gres is not None:
        gpu_count, gpu_model = gpus_in(asks.gres)
    elif asks.cpus is None:
        gpu_count, gpu_model = gpus_in(smallest.gres)
    else:
        gpu_count, gpu_model = 0, None
    cpus = asks.cpus or smallest.cpus
    memory_gib = asks.memory_gib or _memory_gib(
        asks, config, partition, whole_gib=min(each.memory_gib for each in alike), share=share
    )
    machine = NodeType(
        asks.name,
        cpu=cpus,
        memory_gib=memory_gib,
        gpu_count=gpu_count,
        gpu_model=gpu_model,
        physical_cores=max(1, round(share * smallest.cores)),
        precisions=precisions_of_gpu(gpu_model or "") if gpu_count else FP32_ONLY,
    )
    is_preemptible = asks.preemptible
    if is_preemptible is None:
        is_preemptible = _can_be_preempted(partition, config, partitions)
    capacity = Capacity.SPOT if is_preemptible else Capacity.ON_DEMAND
    usable = [each for each in _with_gpus(asks, alike) if each.is_usable]
    takes = asks
    if config.divides_memory:
        takes = asks.model_copy(update={"memory_gib": memory_gib})
    return SlurmNodeType(
        asks,
        machine,
        Offering(asks.name, capacity),
        usd_per_h=_price(asks, settings, config, partition, machine),
        waits=not is_preemptible if asks.waits is None else asks.waits,
        grace_s=partition.grace_s,
        notice_s=_notice_s(asks, settings, partition),
        most=_places(takes, usable) if partition.is_up else 0,
        free=_free_places(takes, usable) if partition.is_up else 0,
    )


def _notice_s(asks: SlurmType, settings: SlurmSettings, partition: SlurmPartition) -> float:
    own = asks.time_limit or settings.time_limit
    limit_s = partition.time_limit_s if own is None else time_limit_s(own)
    if limit_s is None:
        return settings.notice_s
    # With as much as the whole limit, each node would be replaced as soon as it starts.
    return min(settings.notice_s, limit_s / 2)


def _memory_gib(
    asks: SlurmType,
    config: SlurmConfig,
    partition: SlurmPartition,
    *,
    whole_gib: float,
    share: float,
) -> float:
    """The memory of a job that asks for none, on nodes of `whole_gib`."""
    defaults = partition.default_memory or config.default_memory
    gpus, _ = gpus_in(asks.gres or "")
    if asks.cpus is None:
        return whole_gib
    if gpus and "GPU" in defaults:
        return gpus * defaults["GPU"]
    if "CPU" in defaults:
        return asks.cpus * defaults["CPU"]
    if "Node" in defaults:
        return defaults["Node"]
    if config.divides_memory:
        return whole_gib
    return round(share * whole_gib, 1)


def _can_be_preempted(
    partition: SlurmPartition, config: SlurmConfig, partitions: Mapping[str, SlurmPartition]
) -> bool:
    """Whether jobs of a partition with the same nodes may end its own (slurm.conf, PreemptType)."""
    if partition.preempts == "OFF" or config.preempt_type != "preempt/partition_prio":
        return False
    return any(
        each.priority > partition.priority and each.names & partition.names
        for each in partitions.values()
    )


def lacking(asks: SlurmType) -> str:
    """What to say of a type of which there is no node."""
    constraint = f" with {asks.constraint}" if asks.constraint else ""
    return f"{asks.name}: wanted nodes of partition {asks.partition}{constraint}, found none"


def _with_gpus(asks: SlurmType, nodes: Sequence[NodeGroup]) -> Sequence[NodeGroup]:
    """The nodes that have the GPUs; all nodes where none has: sbatch then says what is wrong."""
    gpus, _ = gpus_in(asks.gres or "")
    # Of a node that sinfo hides it is not known what it has.
    return [each for each in nodes if not each.gres or gpus_in(each.gres)[0] >= gpus] or nodes


def _places(asks: SlurmType, nodes: Sequence[NodeGroup]) -> int:
    return sum(each.count * _on_one(asks, each) for each in nodes)


def _free_places(asks: SlurmType, nodes: Sequence[NodeGroup]) -> int:
    if asks.cpus is None:
        return _places(asks, [each for each in nodes if each.is_idle])
    return sum(min(each.idle_cpus // asks.cpus, _places(asks, [each])) for each in nodes)


def _on_one(asks: SlurmType, node: NodeGroup) -> int:
    """How many jobs one node takes, by its cores, memory and GPUs."""
    fits = [1 if asks.cpus is None else node.cpus // asks.cpus]
    if asks.memory_gib:
        # What a node has was rounded down to a tenth.
        fits.append(int((node.memory_gib + 0.1) // asks.memory_gib))
    gpus, _ = gpus_in(asks.gres or "")
    has_gpus, _ = gpus_in(node.gres)
    if gpus and has_gpus:
        fits.append(has_gpus // gpus)
    return min(fits)


def _price(
    asks: SlurmType,
    settings: SlurmSettings,
    config: SlurmConfig,
    partition: SlurmPartition,
    machine: NodeType,
) -> float:
    if asks.usd_per_h is not None:
        return asks.usd_per_h or NOMINAL_USD_PER_H
    units = billing_units(partition, machine, bills_dearest=config.bills_dearest)
    return settings.usd_per_billing_h * units or NOMINAL_USD_PER_H


def billing_units(partition: SlurmPartition, machine: NodeType, *, bills_dearest: bool) -> float:
    """What an hour of this machine counts in Slurm's accounting."""
    if not partition.weights:
        return machine.cpu
    amounts = {
        "cpu": machine.cpu,
        "mem": machine.memory_gib,
        "node": 1.0,
        "gres/gpu": float(machine.gpu_count),
        f"gres/gpu:{machine.gpu_model}": float(machine.gpu_count),
    }
    billed = [weight * amounts.get(name, 0.0) for name, weight in partition.weights.items()]
    if bills_dearest:
        return max(billed)
    return sum(billed)
