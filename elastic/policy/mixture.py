"""Mixes: groups of several offerings, in which what runs stays and other nodes are added to it.

Only a session divides a batch by measured speed; in mode `restart` a mix is as slow as its slowest
node. A job never begins with a mix. It grows out of what is there, where a single offering cannot
do the rest in time, or only later, or for more money.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from elastic.model import Group, Mode, NodePhase, Offering, Snapshot

_PRESENT = frozenset({NodePhase.BOOTING, NodePhase.JOINED})


def is_mix(group: Group) -> bool:
    """Whether its nodes were not all bought the same way."""
    return len(group.members) > 1


def is_in_one_zone(group: Group) -> bool:
    """Whether its gradients stay within a zone; between zones they cost more than the computing."""
    return len({offering.zone for offering, _ in group.members}) == 1


def may_mix(snapshot: Snapshot) -> bool:
    """Whether the job may have several nodes, and all its nodes report that they train in a
    session."""
    spec = snapshot.job.spec
    modes = {node.mode for node in snapshot.nodes if not node.phase.is_gone} - {None}
    return spec.mode is Mode.LIVE and spec.nodes_max > 1 and modes <= {Mode.LIVE}


def mixes(snapshot: Snapshot, offerings: Iterable[Offering]) -> set[Group]:
    """What runs with nodes of one of `offerings` added, and each running mix with one node
    fewer."""
    if not may_mix(snapshot):
        return set()
    spec = snapshot.job.spec
    sold = sorted(offerings)
    found: set[Group] = set()
    for base in filter(is_in_one_zone, _bases(snapshot)):
        found |= {base, *_without_a_part(base)}
        near = [each for each in sold if each.zone == base.members[0][0].zone]
        found |= {
            _beside(base, each, more)
            for each in near
            for more in _numbers(spec.sizes[-1] - base.node_count)
        }
    return {group for group in found if is_mix(group) and group.node_count in spec.sizes}


def _bases(snapshot: Snapshot) -> set[Group]:
    """What trains, and the nodes that stay."""
    stays = Counter(
        node.offering
        for node in snapshot.nodes
        if node.phase in _PRESENT and node.leaves_at_s is None and node.stopping_at_s is None
    )
    if stays:
        found = {snapshot.current, _group(stays)}
    else:
        found = {snapshot.current}
    return {group for group in found if group is not None}


def _beside(base: Group, offering: Offering, more: int) -> Group:
    return _group(Counter(dict(base.members)) + Counter({offering: more}))


def _without_a_part(base: Group) -> Iterator[Group]:
    """The mix with one node fewer of an offering."""
    for offering, _ in base.members:
        rest = Counter(dict(base.members)) - Counter({offering: 1})
        if rest:
            yield _group(rest)


def _numbers(most: int) -> set[int]:
    """One, its doublings, and the most: few, yet every number is within reach."""
    if most > 0:
        numbers = {most}
    else:
        numbers = set()
    count = 1
    while count < most:
        numbers.add(count)
        count *= 2
    return numbers


def _group(counts: Counter[Offering]) -> Group:
    return Group(tuple(sorted(counts.items())))
