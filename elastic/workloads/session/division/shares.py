"""Splits a global batch over the ranks by measured speed, with the same integers on every rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from statistics import median

AGREEING = 1.25  # two turns at one pace differ by this factor at most
# How much slower than the others an untried rank may be, until its first samples show it.
UNTRIED = 4.0
# What a new split must gain: otherwise each step's noise would move samples.
WORTH_MOVING = 1.05


def split(
    batch: int,
    costs: Sequence[float],
    *,
    limits: Sequence[int | None] | None = None,
    spares: bool = True,
) -> tuple[int, ...]:
    """Returns each rank's number of samples, so that all take equally long.

    `costs` are seconds a sample, 0 if unknown. Every rank gets at least one if there are enough.
    `spares` leaves out a rank that takes longer for one sample than the others for all. `limits`
    are the most that a rank's memory holds.

    >>> split(48, (0.002, 0.002, 0.008))
    (22, 21, 5)
    >>> split(6, (1.0, 1.0, 8.0)), split(6, (1.0, 1.0, 8.0), spares=False)
    ((3, 3, 0), (3, 2, 1))
    >>> split(12, (1.0, 0.0))
    (6, 6)
    >>> split(12, (1.0, 1.0), limits=(2, None))
    (2, 10)
    """
    size = len(costs)
    known = [cost for cost in costs if cost > 0]
    # A rank whose speed is unknown counts as the median one.
    usual = median(known) if known else 1.0
    speeds = [1.0 / (cost if cost > 0 else usual) for cost in costs]
    # The samples that each rank's memory allows; without a limit, all of them.
    most = [
        batch if limits is None or limits[rank] is None else limits[rank] or 0
        for rank in range(size)
    ]
    if sum(most) < batch:
        raise ValueError(f"a global batch of {batch} does not fit: the ranks' limits are {most}")
    whole = _filled(batch, speeds, most)
    if (
        not spares
        or batch < size
        or any(cost <= 0 < room for cost, room in zip(costs, most, strict=True))
    ):
        return whole
    # Compare with a split that leaves out the ranks that are too slow for one sample.
    fastest = _fastest(batch, speeds, most)
    if fastest == most:
        return whole
    spared = _filled(batch, speeds, fastest)
    if _duration(whole, costs) > WORTH_MOVING * _duration(spared, costs):
        return spared
    return whole


def fits(batch: int, limits: Sequence[int | None]) -> bool:
    """Whether the ranks' memories hold a batch together.

    >>> fits(12, (4, 8)), fits(12, (4, None)), fits(12, (4,))
    (True, True, False)
    """
    return any(limit is None for limit in limits) or sum(limit or 0 for limit in limits) >= batch


def first_split(
    batch: int, costs: Sequence[float], *, limits: Sequence[int | None], are_new: Sequence[bool]
) -> tuple[int, ...]:
    """Returns the split for a round's first turn: `()` if the ranks' memories do not hold a batch.

    A new rank gets no sample if the others can have them all. The last step is still on its way to
    it, and so the others need not wait for it before they have computed theirs.

    >>> first_split(12, (1.0, 1.0, 0.0), limits=(None, None, None), are_new=(False, False, True))
    (6, 6, 0)
    >>> first_split(12, (1.0, 0.0), limits=(8, None), are_new=(False, True))
    (6, 6)
    """
    without = [0 if is_new else limit for limit, is_new in zip(limits, are_new, strict=True)]
    # First the earlier members alone, then with the newcomers.
    if fits(batch, without):
        return split(batch, costs, limits=without)
    if fits(batch, limits):
        return split(batch, costs, limits=limits)
    return ()


def next_split(
    batch: int,
    now: Sequence[int],
    costs: Sequence[float],
    *,
    limits: Sequence[int | None] | None = None,
    spares: bool = True,
) -> tuple[int, ...]:
    """Returns the split for the next turn: the present one unless another is clearly faster.

    >>> next_split(12, (6, 6), (1.0, 1.01))
    (6, 6)
    >>> next_split(12, (6, 6), (1.0, 2.0))
    (8, 4)

    A rank that had no sample yet gets a few at first. It may be as slow as assumed, and then an
    equal share would delay all.

    >>> next_split(48, (24, 24, 0), (1.0, 1.0, 0.0))
    (22, 21, 5)
    """
    took_s = [share * cost for share, cost in zip(now, costs, strict=True)]
    longest_s = max(took_s)
    at_work = now
    paces = costs
    if 0 in now:
        # A rank without a sample, whose single sample would take longer than all others take, makes
        # nothing faster.
        pairs = [
            (share, cost)
            for share, cost in zip(now, costs, strict=True)
            if share or cost <= longest_s
        ]
        at_work = [share for share, _ in pairs]
        paces = [cost for _, cost in pairs]
        took_s = [share * cost for share, cost in pairs]
    if longest_s < WORTH_MOVING * min(took_s):
        # At nearly every step: the best split takes no less than the least of these times.
        return tuple(now)
    if any(cost <= 0 < share for cost, share in zip(costs, now, strict=True)) or _is_good(
        batch, at_work, paces
    ):
        return tuple(now)
    # A rank without a measured speed is assumed to be slow.
    usual = median(cost for cost in costs if cost > 0)
    spares = spares and min(costs) > 0
    tried = [cost if cost > 0 else UNTRIED * usual for cost in costs]
    better = split(batch, tried, limits=limits, spares=spares)
    # Among many ranks one that is spared gains the others little, however fast it may be.
    is_spared = any(2 * share < wanted for share, wanted in zip(now, better, strict=True))
    is_worth_it = _duration(now, costs) > WORTH_MOVING * _duration(better, costs)
    return better if is_spared or is_worth_it else tuple(now)


def slice_of(split_: Sequence[int], rank: int) -> range:
    """Returns a rank's places in the global batch.

    >>> slice_of((3, 5), 1)
    range(3, 8)
    """
    first = sum(split_[:rank])
    return range(first, first + split_[rank])


@dataclass(slots=True)
class Pace:
    """A rank's seconds a sample: half its last turn's, half its earlier pace.

    So one odd turn moves it little. Two turns that agree with each other, and not with the pace
    before, show a lasting change: the pace becomes theirs. Turns without a sample take 0, and make
    the pace unknown again.

    >>> pace = Pace()
    >>> [pace.after(cost_s) for cost_s in (2.0, 2.0, 8.0, 8.0, 8.0)]
    [2.0, 2.0, 5.0, 8.0, 8.0]
    >>> [pace.after(cost_s) for cost_s in (80.0, 8.0, 8.0)]
    [44.0, 26.0, 8.0]
    >>> [pace.after(cost_s) for cost_s in (0.0, 2.0)]
    [0.0, 2.0]
    """

    cost_s: float = 0.0
    last_s: float = 0.0

    def after(self, measured_s: float) -> float:
        """Returns the pace after another turn; the first one counts in full."""
        before_s = self.last_s
        self.last_s = measured_s
        if measured_s <= 0:
            self.cost_s = 0.0
        elif self.cost_s <= 0 or (
            _agree(before_s, measured_s) and not _agree(self.cost_s, measured_s)
        ):
            if before_s > 0:
                self.cost_s = (before_s + measured_s) / 2
            else:
                self.cost_s = measured_s
        else:
            self.cost_s = (self.cost_s + measured_s) / 2
        return self.cost_s


def _agree(one_s: float, other_s: float) -> bool:
    return max(one_s, other_s) <= AGREEING * min(one_s, other_s)


def _is_good(batch: int, now: Sequence[int], costs: Sequence[float]) -> bool:
    """Whether no other split could gain much over the present one.

    In the shorter time the ranks would not finish a batch of whole samples.
    """
    if min(costs) <= 0:
        return False
    ideal_s = batch / sum(1.0 / cost for cost in costs)
    is_spared = any(2 * share * cost < ideal_s for share, cost in zip(now, costs, strict=True))
    wanted_s = _duration(now, costs) / WORTH_MOVING
    return not is_spared and sum(int(wanted_s / cost) for cost in costs) < batch


def _fastest(batch: int, speeds: Sequence[float], most: Sequence[int]) -> list[int]:
    """Returns `most`, with 0 for ranks whose one sample takes longer than the others' batch."""
    ranks = sorted(
        (rank for rank in range(len(most)) if most[rank]), key=lambda rank: -speeds[rank]
    )
    result = [0] * len(most)
    speed = 0.0
    room = 0
    for rank in ranks:
        if room >= batch and speed > batch * speeds[rank]:
            break
        result[rank] = most[rank]
        speed = speed + speeds[rank]
        room = room + most[rank]
    return result


def _filled(batch: int, speeds: Sequence[float], most: Sequence[int]) -> tuple[int, ...]:
    least = 1 if batch >= len(most) else 0
    result = [min(least, room) for room in most]
    while _give_whole(result, speeds, most, batch):
        pass
    _give_singly(result, speeds, most, batch)
    return tuple(result)


def _give_whole(
    result: list[int], speeds: Sequence[float], most: Sequence[int], batch: int
) -> bool:
    """Adds whole samples towards the ideal; returns whether there were any to add."""
    open_ranks = [rank for rank in range(len(result)) if result[rank] < most[rank]]
    left = batch - sum(result)
    shared = left + sum(result[rank] for rank in open_ranks)
    total = sum(speeds[rank] for rank in open_ranks)
    given = 0
    for rank in open_ranks:
        ideal = min(int(shared * speeds[rank] / total), most[rank])
        more = max(0, min(ideal - result[rank], left - given))
        result[rank] += more
        given += more
    return given > 0


def _give_singly(
    result: list[int], speeds: Sequence[float], most: Sequence[int], batch: int
) -> None:
    """Gives the remaining samples one by one to the rank that ends soonest, the first on a tie."""
    soonest = [
        ((result[rank] + 1) / speeds[rank], rank)
        for rank in range(len(result))
        if result[rank] < most[rank]
    ]
    heapify(soonest)
    for _ in range(batch - sum(result)):
        _, rank = heappop(soonest)
        result[rank] += 1
        if result[rank] < most[rank]:
            heappush(soonest, ((result[rank] + 1) / speeds[rank], rank))


def _duration(shares: Sequence[int], costs: Sequence[float]) -> float:
    return max(share * cost for share, cost in zip(shares, costs, strict=True))
