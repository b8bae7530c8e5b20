"""How often nodes are lost, as long as nothing better is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from elastic.model.offering import Capacity, Offering

# Losses a node and hour; of a group, any node's loss interrupts all.
LOSSES_PER_NODE_H: Mapping[Capacity, float] = {
    # 419 unplanned interruptions in 54 days of 16,384 GPUs, 8 a node (The Llama 3 Herd of Models,
    # arXiv:2407.21783).
    Capacity.ON_DEMAND: 419 / (54 * 24 * 16_384 / 8),
    # Clouds publish only how many of a market's nodes are taken back within a month. Chosen with
    # care for scarce ones, which go within a day; what it decides goes with its square root.
    Capacity.SPOT: 1 / 24,
}


def interruptions_per_h(offerings: Iterable[Offering]) -> float:
    """Gives how often an hour a group of nodes of these offerings is interrupted, on average.

    >>> round(1 / interruptions_per_h([Offering("small", Capacity.SPOT)] * 2))
    12
    """
    return sum(LOSSES_PER_NODE_H[each.capacity] for each in offerings)
