"""Compares the ledger with the cloud: machines that only one of them knows, and seconds that
differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from elastic.durations import ANSWER_TIMEOUT_S, LISTED_WITHIN_S, TICK_S
from elastic.figures import duration
from elastic.model import LedgerRow, Node
from elastic.providers import Instance, InstanceState
from elastic.reconciler.machines import matched

# A cloud takes its time to answer, and the daemon looks only once a tick.
TOLERANCE_S = ANSWER_TIMEOUT_S + TICK_S
TOLERANCE = 0.01


class Difference(StrEnum):
    """How ledger and cloud disagree about one machine."""

    UNKNOWN = "unknown"
    STILL_THERE = "still there"
    GONE = "gone"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One disagreement between ledger and cloud."""

    difference: Difference
    provider_id: str
    node_id: str | None
    # What was found, and below what a person can do; both for people.
    found: str
    advice: str
    # The ledger's seconds less the cloud's; None if one side has none.
    off_s: float | None = None
    # The same in dollars.
    off_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """A comparison of ledger and cloud."""

    at_s: float
    # How many machines both sides know. Clouds forget: what the cloud no longer lists is not
    # compared.
    compared: int
    findings: tuple[AuditFinding, ...]


def audit(
    nodes: Sequence[Node], rows: Iterable[LedgerRow], instances: Iterable[Instance], *, now_s: float
) -> Audit:
    """Compares every machine that the cloud lists, and every open row.

    `nodes` includes those that are gone.
    """
    chains: dict[str, list[LedgerRow]] = {}
    for row in rows:
        chains.setdefault(row.node_id, []).append(row)
    told = tuple(instances)
    found = matched(nodes, told)
    findings = [
        *_unknown(told, found, nodes),
        *(
            finding
            for node in nodes
            if (finding := _of_node(node, chains.get(node.id, []), found.get(node.id), now_s))
            is not None
        ),
    ]
    return Audit(now_s, len(found), tuple(findings))


def _unknown(
    told: Sequence[Instance], found: Mapping[str, Instance], nodes: Sequence[Node]
) -> Iterator[AuditFinding]:
    known = {instance.provider_id for instance in found.values()}
    # A machine that does not report its node yet may be any node of its launch that has no machine.
    lacking = {node.token for node in nodes if node.provider_id is None}
    for instance in sorted(told, key=lambda each: each.provider_id):
        if instance.provider_id in known or (instance.token in lacking and not instance.node_id):
            continue
        is_gone = instance.state is InstanceState.GONE
        advice = "the daemon ends it at its second sighting; if it stays, `elasticd gc --terminate`"
        if is_gone:
            advice = "its dollars are in no ledger: see the invoice"
        yield AuditFinding(
            Difference.UNKNOWN,
            instance.provider_id,
            instance.node_id or None,
            f"{instance.offering}, {instance.state}: it is not in the ledger",
            advice,
        )


def _of_node(
    node: Node, chain: list[LedgerRow], instance: Instance | None, now_s: float
) -> AuditFinding | None:
    if node.provider_id is None or not chain:
        return None
    # Four cases: the cloud lists it no more, one side has ended it, or both agree that it lives or
    # ended.
    is_open = chain[-1].to_s is None
    is_there = instance is not None and instance.state is not InstanceState.GONE
    if instance is None:
        is_late = is_open and now_s - chain[0].from_s > LISTED_WITHIN_S
        if is_late:
            return _gone(node, "the cloud no longer lists it")
        return None
    if is_there and not is_open:
        found = "it runs, but the ledger has closed it"
        advice = "its dollars are no longer counted: `elasticd gc --terminate`"
        return AuditFinding(Difference.STILL_THERE, node.provider_id, node.id, found, advice)
    if is_open and not is_there:
        return _gone(node, "it is gone, but its ledger row is still open")
    return _seconds(node, chain, instance, now_s)


def _gone(node: Node, found: str) -> AuditFinding:
    advice = "the next tick closes it; if it does not, read the daemon's log"
    return AuditFinding(Difference.GONE, node.provider_id or "", node.id, found, advice)


def _seconds(
    node: Node, chain: list[LedgerRow], instance: Instance, now_s: float
) -> AuditFinding | None:
    ledger_s = (now_s if chain[-1].to_s is None else chain[-1].to_s) - chain[0].from_s
    is_gone = instance.state is InstanceState.GONE
    if is_gone and instance.exited_at_s is None:
        return None  # the cloud does not say when
    if instance.exited_at_s is None:
        ended_s = now_s
    else:
        ended_s = instance.exited_at_s
    # Small differences are rounding, and the time between two looks.
    cloud_s = ended_s - instance.launched_at_s
    off_s = ledger_s - cloud_s
    if abs(off_s) <= max(TOLERANCE_S, TOLERANCE * cloud_s):
        return None
    if off_s > 0:
        more = "more"
    else:
        more = "less"
    found = (
        f"the ledger has {duration(ledger_s)} of it, {duration(abs(off_s))} {more} than the cloud"
    )
    advice = "both are right about what they saw: the invoice follows the cloud"
    off_usd = off_s * chain[-1].usd_per_h / 3600
    return AuditFinding(
        Difference.SECONDS, instance.provider_id, node.id, found, advice, off_s, off_usd
    )
