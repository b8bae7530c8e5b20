"""How the learning rate falls over a run."""


def learning_rate(*, base: float, iteration: int, total: int, decay_from: float) -> float:
    """Returns the rate after `iteration`: `base`, then linearly to 0 from `decay_from` on.

    `decay_from` is a fraction of `total`. It is a function of progress alone, so nothing about it
    needs saving or depends on the fleet.

    >>> [learning_rate(base=1.0, iteration=i, total=10, decay_from=0.5) for i in (0, 5, 6, 9)]
    [1.0, 1.0, 0.8, 0.2]
    """
    start = total * decay_from
    if iteration <= start or total <= start:
        return base
    return base * (total - iteration) / (total - start)
