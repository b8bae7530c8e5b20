"""Looks at hosts for a person: what each is, who has it, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from elastic.errors import ProviderError
from elastic.providers.keeping import ANSWER_S, LEAST_FREE_BYTES, disk_is_full
from elastic.providers.ssh.connection import Access, HostLinks
from elastic.providers.ssh.hosts import Host
from elastic.providers.ssh.memory import HostMemory, same_machine
from elastic.providers.ssh.node_types import node_type, types_of, unlike


@dataclass(frozen=True, slots=True)
class HostReport:
    """One host as it is now. None: not known."""

    name: str
    type: str | None
    usd_per_h: float
    state: str
    cores: float | None = None
    memory_gib: float | None = None
    gpus: str | None = None
    # The container engine that jobs with an image need, or that there is none.
    engine: str | None = None
    claimed_by: str | None = None
    # What is wrong, with what to do about it.
    troubles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checks:
    """What `survey` tries on each host beyond looking."""

    daemon_url: str
    # A file in the daemon's folder of checkpoints; None if that is a bucket.
    marker: str | None = None


def survey(
    hosts: Sequence[Host], access: Access, *, checks: Checks | None = None, now_s: float
) -> tuple[HostReport, ...]:
    """Looks at all hosts at the same time."""
    links = HostLinks(hosts, access)
    try:
        looks = _asked(links, hosts, {"do": "look", "cluster": "", "now_s": now_s})
        there = [each for each in hosts if not isinstance(looks[each.name], ProviderError)]
        facts = _asked(links, there, {"do": "facts"})
        findings: dict[str, Any] = {}
        if checks is not None:
            asked = {"do": "check", "daemon_url": checks.daemon_url, "marker": checks.marker}
            requests = {each.name: {**asked, **_about_python(each)} for each in there}
            findings = dict(links.ask_each(requests, timeout_s=ANSWER_S))
        # A host that does not say what it is cannot be used, whatever the checks find.
        findings |= {name: each for name, each in facts.items() if isinstance(each, ProviderError)}
    finally:
        links.close()
    twins = _twins(there, looks)
    memories = {each.name: HostMemory(each, facts=_fields(facts.get(each.name))) for each in hosts}
    types = types_of(memories.values())
    reports = [
        _report(memories[each.name], types.get(each.name), looks[each.name], findings, twins)
        for each in hosts
    ]
    return tuple(_with_unlike(reports, memories))


def _about_python(host: Host) -> Mapping[str, Any]:
    """What the host's Python must import, and what to do where it cannot. None: the first found."""
    if host.python is None:
        imports = "import ensurepip, venv"
        advice = "elasticd cannot be installed; on Debian and Ubuntu: apt install python3-venv"
    else:
        # torch itself would take seconds.
        imports = "import elastic.agent; from importlib.metadata import version; version('torch')"
        advice = "install elasticd and torch for it there, or take `python` out of your hosts"
    return {"python": host.python, "imports": imports, "advice": advice}


def _twins(hosts: Sequence[Host], looks: Mapping[str, Any]) -> Mapping[str, str]:
    """What is wrong with each host that is another one of them."""
    machines: dict[str, Sequence[str]] = {}
    found = {}
    for each in hosts:
        twin = same_machine(each.name, looks[each.name], machines)
        if twin:
            found[each.name] = twin
        else:
            machines[each.name] = looks[each.name]["machine"]
    return found


def _asked(links: HostLinks, hosts: Sequence[Host], request: Mapping[str, Any]) -> dict[str, Any]:
    return dict(links.ask_each({each.name: dict(request) for each in hosts}, timeout_s=ANSWER_S))


def _fields(answer: Any) -> Mapping[str, Any] | None:
    if isinstance(answer, Mapping):
        return answer
    return None


def _report(
    memory: HostMemory,
    type_name: str | None,
    look: Any,
    findings: Mapping[str, Any],
    twins: Mapping[str, str],
) -> HostReport:
    host = memory.host
    report = HostReport(host.name, type_name or host.type, host.usd_per_h, "away")
    if isinstance(look, ProviderError):
        return replace(report, troubles=(_without_name(host, look),))
    claim = look["claim"]
    if claim is None:
        report = replace(report, state="free")
    else:
        report = replace(report, state=f"runs {claim['node_id']}", claimed_by=f"{claim['place']}")
    troubles = [twins[host.name]] if host.name in twins else []
    if look["disk_free_bytes"] < LEAST_FREE_BYTES:
        troubles.append(disk_is_full(look["disk_free_bytes"]))
    found = findings.get(host.name)
    if isinstance(found, ProviderError):
        troubles.append(_without_name(host, found))
    elif found is not None:
        troubles += [f"{what}; {advice}" for what, advice in found["findings"]]
    if memory.facts is not None:
        machine = node_type(host.name, [memory])
        gpus = "none"
        if machine.gpu_count:
            gpus = f"{machine.gpu_count} x {machine.gpu_model}"
        report = replace(
            report,
            cores=machine.cpu,
            memory_gib=machine.memory_gib,
            gpus=gpus,
            engine=memory.facts.get("engine"),
        )
        if memory.facts["wrong"]:
            troubles.append(memory.facts["wrong"])
    if troubles and claim is None:
        report = replace(report, state="unfit")
    return replace(report, troubles=tuple(troubles))


def _with_unlike(
    reports: Sequence[HostReport], memories: Mapping[str, HostMemory]
) -> list[HostReport]:
    found = []
    for report in reports:
        alike = [memories[each.name] for each in reports if each.type == report.type]
        why = unlike(report.type or "", alike)
        troubles = (*report.troubles, why) if why else report.troubles
        found.append(replace(report, troubles=troubles))
    return found


def _without_name(host: Host, error: ProviderError) -> str:
    return str(error).removeprefix(f"{host.name}: ")
