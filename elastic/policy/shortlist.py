"""The shortlist: the few of thousands of offerings that a decision weighs, found in one pass.

A node type is equally fast in all zones, and both on demand and as spot. So of offerings that were
never measured the cheapest stand for the rest. Among node types with the same kind of hardware, one
that is no faster and costs more ranks lower. What the job has, had or measured always stays, in
every zone, because it may go back there. A short catalogue is not shortened.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from elastic.model import Capacity, NodeType, Offering, Price, Snapshot, workers_on

# A decision takes about 0.1 ms a candidate (benchmarks/decisions/speed.py), and a person reads no
# more than this many.
_MOST = 96
# Spot is taken back, and the second zone is where to go then. On demand costs the same in all zones
# of a region.
_ZONES: Mapping[Capacity, int] = {Capacity.SPOT: 2, Capacity.ON_DEMAND: 1}
# Speed is proportional to this power of the cores: benchmarks/core_scaling.py --fit.
_GROWTH = 0.69

_SHOWN = 4

UNFIT = "cannot_run_the_job"
NO_PRICE = "no_fresh_price"
OVER_CAP = "over_max_usd_per_hour"
DEARER_ZONE = "dearer_zone"
DOMINATED = "slower_for_more_money"

# The price in force of one node type, bought one way, in each zone.
_Key = tuple[str, Capacity]
_Shelf = dict[str, Price]


@dataclass(frozen=True, slots=True)
class _Type:
    """A node type that may be chosen: its hardware, how fast that is, and its least price an
    hour."""

    name: str
    kind: str | None
    power: float
    least: Mapping[Capacity, float]


def shortlist(snapshot: Snapshot) -> Snapshot:
    """Gives the same job with the offerings that are weighed; `pruned` counts the others by reason.

    A snapshot is shortened once: one that is short or already shortened is returned as it is.
    """
    if snapshot.pruned or len(snapshot.prices) <= _MOST:
        return snapshot
    # What the job knows stays, whatever it costs.
    kept = _kept(snapshot)
    known = {offering.node_type for offering in kept} | {snapshot.job.spec.fixed_node_type or ""}
    fitting, unfit = _by_fitness(snapshot)
    pruned: Counter[str] = Counter()
    # The fresh prices that the job admits, by type and capacity. If they are few, all are weighed.
    shelves = _shelves(snapshot, unfit, pruned)
    if sum(len(shelf) for shelf in shelves.values()) <= _MOST:
        chosen = {each.offering for shelf in shelves.values() for each in shelf.values()}
        if pruned.total():
            return _only(snapshot, chosen | kept, unfit, pruned)
        return snapshot
    # Else of each shelf the cheapest, and the types in order of promise until the list is full.
    best = _best(snapshot, shelves, known, zones={offering.zone for offering in kept})
    names, dear = _in_order(snapshot, fitting, best, known)
    chosen = set()
    taken = set()
    for name in names:
        if len(chosen) >= _MOST and name not in known:
            break
        taken.add(name)
        chosen |= {
            each.offering for capacity in Capacity for each in best.get((name, capacity), ())
        }
    # Room that is left goes to further zones of the same types.
    chosen |= _spare(shelves, taken, chosen, _MOST - len(chosen))
    for (name, _), shelf in shelves.items():
        if name in taken:
            why = DEARER_ZONE
        elif name in dear:
            why = OVER_CAP
        else:
            why = DOMINATED
        pruned[why] += len(shelf)
    pruned[DEARER_ZONE] -= len(chosen)
    return _only(snapshot, chosen | kept, unfit, pruned)


def _kept(snapshot: Snapshot) -> set[Offering]:
    """What the job has, wants, had or measured."""
    groups = [snapshot.target, snapshot.current]
    groups += [each.group for each in snapshot.series]
    groups += [group for each in snapshot.changes for group in (each.from_group, each.to_group)]
    found = {offering for group in groups if group is not None for offering, _ in group.members}
    return found | {node.offering for node in snapshot.nodes}


def _by_fitness(snapshot: Snapshot) -> tuple[dict[str, NodeType], set[str]]:
    """The node types that can run the job, and the names of those that cannot."""
    spec = snapshot.job.spec
    fitting = {}
    unfit = set()
    for node_type in snapshot.node_types:
        if spec.unfit(node_type) is None:
            fitting[node_type.name] = node_type
        else:
            unfit.add(node_type.name)
    return fitting, unfit


def _shelves(snapshot: Snapshot, unfit: set[str], pruned: Counter[str]) -> dict[_Key, _Shelf]:
    """The fresh prices in force of all that the job admits."""
    spec = snapshot.job.spec
    limits = snapshot.limits
    now_s = snapshot.now_s
    names = frozenset(spec.node_types)
    admitted = {capacity for capacity in Capacity if spec.capacity.admits(capacity)}
    by_capacity: dict[Capacity, dict[str, _Shelf]] = {capacity: {} for capacity in admitted}
    for price in snapshot.prices:
        offering = price.offering
        name = offering.node_type
        of_capacity = by_capacity.get(offering.capacity)
        if of_capacity is None or (names and name not in names) or price.valid_from_s > now_s:
            continue
        shelf = of_capacity.get(name)
        if shelf is None:
            of_capacity[name] = {offering.zone: price}
            continue
        # Of several prices of one zone the latest is in force.
        other = shelf.get(offering.zone)
        if other is None or (other.valid_from_s, other.id) < (price.valid_from_s, price.id):
            shelf[offering.zone] = price
    found: dict[_Key, _Shelf] = {}
    for capacity, by_name in by_capacity.items():
        for name, shelf in by_name.items():
            if name in unfit:
                pruned[UNFIT] += len(shelf)
                continue
            # What is too old to rely on is no price.
            stale = [zone for zone, price in shelf.items() if not limits.trust(price, now_s=now_s)]
            for zone in stale:
                del shelf[zone]
            pruned[NO_PRICE] += len(stale)
            if shelf:
                found[name, capacity] = shelf
    return found


def _best(
    snapshot: Snapshot, shelves: Mapping[_Key, _Shelf], known: Container[str], zones: set[str]
) -> dict[_Key, Sequence[Price]]:
    """Of each shelf the cheapest prices that can be bought; all prices of a known type.

    In the zones of the job's nodes others are kept too, because mixes grow there.
    """
    least = snapshot.job.spec.sizes[0]
    blocked = {
        each.offering
        for each in snapshot.unavailable
        if each.until_s > snapshot.now_s and each.nodes <= least
    }

    def order(price: Price) -> tuple[bool, float, str]:
        return bool(blocked) and price.offering in blocked, price.usd_per_h, price.offering.zone

    found: dict[_Key, Sequence[Price]] = {}
    for (name, capacity), shelf in shelves.items():
        prices = sorted(shelf.values(), key=order)
        if name not in known:
            beside = [each for each in prices[_ZONES[capacity] :] if each.offering.zone in zones]
            prices[_ZONES[capacity] :] = beside
        found[name, capacity] = prices
    return found


def _in_order(
    snapshot: Snapshot,
    fitting: Mapping[str, NodeType],
    best: Mapping[_Key, Sequence[Price]],
    known: Container[str],
) -> tuple[Sequence[str], set[str]]:
    """The names of the node types, the most promising first, and of those above the job's cap.

    Known types come first. The others come by layers of the Pareto front of price and power, among
    those with the same kind of hardware. Within a layer they come by price for the speed that their
    power promises. If all are above the cap all are listed, so that a person sees by how much.
    """
    spec = snapshot.job.spec
    cap = spec.objective.max_usd_per_hour
    usd_per_h: dict[str, dict[Capacity, float]] = {}
    for (name, capacity), prices in best.items():
        usd_per_h.setdefault(name, {})[capacity] = prices[0].usd_per_h
    # The least price of each type, and what it computes with.
    types = [_type(snapshot, name, fitting.get(name), least) for name, least in usd_per_h.items()]
    dear = set()
    if cap is not None:
        dear = {
            each.name
            for each in types
            if each.name not in known and spec.sizes[0] * min(each.least.values()) > cap
        }
    # If all are above the cap, none is left out for it.
    if len(dear) == len(types):
        dear = set()
    # A type's rank is the better one of its two ways to be bought.
    ranks: dict[str, tuple[int, float]] = {}
    for capacity in Capacity:
        sold = [each for each in types if capacity in each.least and each.name not in dear]
        for each, layer in _layers(sold, capacity):
            rank = layer, each.least[capacity] / each.power**_GROWTH
            ranks[each.name] = min(ranks.get(each.name, rank), rank)
    return sorted(ranks, key=lambda name: (name not in known, ranks[name], name)), dear


def _spare(
    shelves: Mapping[_Key, _Shelf], taken: Container[str], chosen: Container[Offering], room: int
) -> set[Offering]:
    """Further zones of the chosen types, the cheapest first, as far as there is room."""
    if room <= 0:
        return set()
    others = (
        price for (name, _), shelf in shelves.items() if name in taken for price in shelf.values()
    )
    found = sorted(
        (each.usd_per_h, each.offering) for each in others if each.offering not in chosen
    )
    return {offering for _, offering in found[:room]}


def _type(
    snapshot: Snapshot, name: str, node_type: NodeType | None, least: Mapping[Capacity, float]
) -> _Type:
    if node_type is None:
        # Its hardware is not known: it is a kind of its own.
        return _Type(name, name, 1.0, least)
    if node_type.gpu_count:
        workers = workers_on(snapshot.job.spec.nproc_per_node, node_type)
        return _Type(
            name, node_type.gpu_model, float(min(node_type.gpu_count, workers.processes)), least
        )
    return _Type(name, None, node_type.cores, least)


def _layers(types: Iterable[_Type], capacity: Capacity) -> Iterable[tuple[_Type, int]]:
    """Each type with its layer: how many cheaper types of its kind, in a row, are no slower (0 on
    the front)."""
    ordered = sorted(types, key=lambda each: (each.least[capacity], -each.power, each.name))
    fronts: dict[str | None, list[float]] = {}
    for each in ordered:
        # The greatest power on each layer so far, negated so that `bisect` can search it. Cheaper
        # types come first.
        tops = fronts.setdefault(each.kind, [])
        layer = bisect_right(tops, -each.power)
        tops[layer : layer + 1] = [-each.power]
        yield each, layer


def _only(
    snapshot: Snapshot, offerings: set[Offering], unfit: set[str], pruned: Counter[str]
) -> Snapshot:
    """The snapshot with these offerings alone."""
    names = {offering.node_type for offering in offerings}
    # If the job names node types, the reason is given for each that cannot run it; else for some.
    unfit = {each for each in unfit if each in snapshot.job.spec.node_types} or set(
        sorted(unfit)[:_SHOWN]
    )
    told = names | unfit
    return replace(
        snapshot,
        prices=tuple(
            each
            for each in snapshot.prices
            if each.offering.node_type in names and each.offering in offerings
        ),
        node_types=tuple(each for each in snapshot.node_types if each.name in told),
        unavailable=tuple(each for each in snapshot.unavailable if each.offering in offerings),
        pools=tuple(each for each in snapshot.pools if each.offering in offerings),
        pruned={why: count for why, count in sorted(pruned.items()) if count > 0},
    )
