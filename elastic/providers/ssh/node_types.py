"""Makes node types and prices of what is found on hosts, and what their owner says of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from elastic.model import NodeType
from elastic.providers.precisions import FP32_ONLY, WITH_BF16, precisions_of_gpu
from elastic.providers.ssh.hosts import Host
from elastic.providers.ssh.memory import HostMemory

# A price must be positive, since 0 would be unknown. This is a cent in 10,000 hours. All hosts that
# are free have the same, so iterations per second rank them.
NOMINAL_USD_PER_H = 1e-6
_MAKERS = frozenset({"nvidia", "geforce", "tesla", "quadro"})


def types_of(memories: Iterable[HostMemory]) -> Mapping[str, str]:
    """The node type of each host whose machine is known."""
    known = [each for each in memories if each.facts is not None]
    prices: dict[str, set[float]] = defaultdict(set)
    for each in known:
        if each.host.type is None:
            prices[_found_name(each)].add(each.host.usd_per_h)
    found = {}
    for each in known:
        name = each.host.type or _found_name(each)
        if each.host.type is None and len(prices[name]) > 1:
            # One type has one price.
            name = f"{name}-{_plain(each.host.name)}"
        found[each.host.name] = name
    return found


def node_type(name: str, memories: Collection[HostMemory]) -> NodeType:
    """The type that these hosts are: what each of them has at least."""
    machines = [_machine(each.host, each.facts) for each in memories if each.facts is not None]
    gpus = min(each.gpu_count for each in machines)
    gpu_model = machines[0].gpu_model if gpus else None
    precisions = [each.precisions for each in machines]
    return NodeType(
        name,
        cpu=min(each.cpu for each in machines),
        memory_gib=min(each.memory_gib for each in machines),
        gpu_count=gpus,
        gpu_model=gpu_model,
        physical_cores=min(each.cores for each in machines),
        precisions=min(precisions, key=len),
    )


def price_of(host: Host) -> float:
    """What the host is ranked by and charged at, USD an hour."""
    return host.usd_per_h or NOMINAL_USD_PER_H


def unlike(name: str, memories: Collection[HostMemory]) -> str:
    """Why these hosts should not be one type; empty if they may."""
    machines = {
        each.host.name: _machine(each.host, each.facts)
        for each in memories
        if each.facts is not None
    }
    seen = {host: (each.cpu, each.gpu_count, each.gpu_model) for host, each in machines.items()}
    if len(set(seen.values())) < 2:
        return ""
    told = ", ".join(f"{host} has {_sizes(machines[host])}" for host in sorted(seen))
    return f"type {name}: {told}; all count as the smallest, so give them types of their own"


def _sizes(machine: NodeType) -> str:
    gpus = f" and {machine.gpu_count} x {machine.gpu_model}" if machine.gpu_count else ""
    return f"{machine.cpu:g} cores{gpus}"


def _machine(host: Host, facts: Mapping[str, Any]) -> NodeType:
    most = host.slots or facts["cores"]
    gpus = facts["gpus"][: host.slots] if host.slots else facts["gpus"]
    if gpus:
        precisions = precisions_of_gpu(gpus[0])
    else:
        precisions = WITH_BF16 if facts["bf16"] else FP32_ONLY
    return NodeType(
        host.name,
        cpu=min(facts["cores"], most),
        memory_gib=round(facts["memory_gib"], 1),
        gpu_count=len(gpus),
        gpu_model=gpus[0] if gpus else None,
        physical_cores=min(facts["physical_cores"] or facts["cores"], most),
        precisions=precisions,
    )


def _found_name(memory: HostMemory) -> str:
    """The name of a type that its owner did not name.

    >>> facts = {"cores": 8, "physical_cores": 4, "memory_gib": 31.2, "bf16": False}
    >>> facts["gpus"] = ["NVIDIA GeForce RTX 3090"] * 2
    >>> _found_name(HostMemory(Host("desk", 0.0), facts))
    '8cpu-31gib-2xrtx-3090'
    """
    assert memory.facts is not None
    machine = _machine(memory.host, memory.facts)
    name = f"{machine.cpu:g}cpu-{max(1, round(machine.memory_gib))}gib"
    if machine.gpu_model is None:
        return name
    words = [each for each in machine.gpu_model.split() if each.lower() not in _MAKERS]
    return f"{name}-{machine.gpu_count}x{_plain(' '.join(words))}"


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
