"""Step time of nodes of several types together, predicted from each type's own.

In a session shares of the batch follow measured speed, so no node waits for the slowest, and the
nodes' speeds add up. Working together costs a part of that: as much as in the mixes measured so
far, or as assumed while there are none.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from elastic.model import Interval
from elastic.throughput.scaling import predict_step_s

# What a speed belongs to: how many nodes of which types. Zone and capacity change a price, never a
# speed.
NodeTypes = tuple[tuple[str, int], ...]

# A step on uneven nodes takes this many times the ideal one: the most that sessions may take once
# their shares have settled.
ASSUMED_LOSS = 1.10

# A type's own speed is assumed to grow in proportion, up to twice the nodes that were measured.
_REACH = 2


def predict_mixed_step_s(
    measured_s: Mapping[NodeTypes, float], types: NodeTypes
) -> Interval | None:
    """A step time for a mix that was not measured, as an Interval without bounds.

    None unless each of its types is known. A half core does 2 iterations a second, a whole one 3:
    together 5, less a tenth of the time.

    >>> alone = {(("half", 1),): 0.5, (("full", 1),): 1 / 3}
    >>> round(predict_mixed_step_s(alone, (("full", 1), ("half", 1))).value, 3)
    0.22

    Once a mix was measured, at 0.25 s instead of the ideal 0.2 s, others are expected to lose as
    much:

    >>> known = alone | {(("full", 1), ("half", 1)): 0.25}
    >>> round(predict_mixed_step_s(known, (("full", 1), ("half", 2))).value, 3)
    0.179
    >>> predict_mixed_step_s(alone, (("full", 1), ("quarter", 1))) is None
    True
    """
    ideal_s = _ideal_step_s(measured_s, types)
    if ideal_s is None:
        return None
    return Interval(round(ideal_s * _loss(measured_s), 12))


def _loss(measured_s: Mapping[NodeTypes, float]) -> float:
    found = [
        step_s / ideal_s
        for types, step_s in measured_s.items()
        if len(types) > 1 and (ideal_s := _ideal_step_s(measured_s, types)) is not None
    ]
    # Better than ideal is chance, so it must not make a mix look better.
    if found:
        return max(1.0, median(found))
    return ASSUMED_LOSS


def _ideal_step_s(measured_s: Mapping[NodeTypes, float], types: NodeTypes) -> float | None:
    speeds = []
    for node_type, count in types:
        sizes = {
            each[0][1]: step_s
            for each, step_s in measured_s.items()
            if [name for name, _ in each] == [node_type]
        }
        speed = _speed_per_s(sizes, count)
        if speed is None:
            return None
        speeds.append(speed)
    return 1 / sum(speeds)


def _speed_per_s(sizes_s: Mapping[int, float], count: int) -> float | None:
    """Iterations a second of `count` nodes of one type: measured, or as it scales, or in
    proportion."""
    if count in sizes_s:
        return 1 / sizes_s[count]
    predicted = predict_step_s(sizes_s, count)
    if predicted is not None:
        return 1 / predicted.value
    known = [size for size in sizes_s if count <= _REACH * size]
    if not known:
        return None
    nearest = min(known, key=lambda size: (abs(size - count), size))
    return count / nearest / sizes_s[nearest]
