"""Step time against group size: what more or fewer nodes of one offering do, from measured sizes.

The global batch is the job's, so n nodes share the work of one step: T(n) = compute / n + fixed +
comm(n). A ring all-reduce moves 2 (n - 1) / n of the gradients through each node's link, and adds a
delay for each node. Since (n - 1) / n is 1 - 1/n, the moved bytes are part of the first two terms.
What is left to fit is

    T(n) = fixed + compute / n + per_node (n - 1).

Two sizes give the first two terms, three or more all of them (least squares of relative errors).
`compute` is negative if traffic costs more than sharing saves: then adding nodes slows the job
down, as it often does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from elastic.model import Interval

_LEAST_SIZES = 2
# Beyond twice the largest measured size the line is a guess about networks that were not seen.
_REACH = 2


@dataclass(frozen=True, slots=True)
class ScalingModel:
    """How long a step takes on n nodes: `fixed_s + compute_s / n + per_node_s (n - 1)`."""

    fixed_s: float
    compute_s: float
    per_node_s: float

    def step_s(self, nodes: int) -> float:
        """Seconds an iteration takes on `nodes` nodes.

        >>> ScalingModel(fixed_s=0.25, compute_s=2.0, per_node_s=0.5).step_s(4)
        2.25
        """
        return self.fixed_s + self.compute_s / nodes + self.per_node_s * (nodes - 1)


def fit_scaling(measured_s: Mapping[int, float]) -> ScalingModel | None:
    """Fits the model to step times by number of nodes; None unless two sizes were measured.

    1 node 1.0 s, 2 nodes 0.6 s: the shared part is 0.8 s, the fixed part 0.2 s.

    >>> model = fit_scaling({1: 1.0, 2: 0.6})
    >>> round(model.fixed_s, 6), round(model.compute_s, 6), round(model.step_s(4), 6)
    (0.2, 0.8, 0.4)
    """
    if len(measured_s) < _LEAST_SIZES:
        return None
    sizes = sorted(measured_s)
    times_s = [measured_s[size] for size in sizes]
    shared = [1 / size for size in sizes]
    others = [size - 1.0 for size in sizes]
    if len(sizes) > _LEAST_SIZES:
        fixed_s, compute_s, per_node_s = _least_squares(
            [[1.0] * len(sizes), shared, others], times_s
        )
        if fixed_s >= 0 and per_node_s >= 0:
            return ScalingModel(fixed_s, compute_s, per_node_s)
    fixed_s, compute_s = _least_squares([[1.0] * len(sizes), shared], times_s)
    if fixed_s >= 0:
        return ScalingModel(fixed_s, compute_s, 0.0)
    # Better than linear (for example a cache that now fits): assume linear scaling, because no step
    # may take less than no time.
    (compute_s,) = _least_squares([shared], times_s)
    return ScalingModel(0.0, compute_s, 0.0)


def predict_step_s(measured_s: Mapping[int, float], nodes: int) -> Interval | None:
    """A step time for a size that was not measured: an Interval without bounds marks it as a
    prediction.

    None unless two sizes are measured, or if `nodes` is more than twice the largest of them.

    >>> predict_step_s({1: 1.0, 2: 0.6}, 4)
    Interval(value=0.4, low=None, high=None)
    >>> predict_step_s({1: 1.0, 2: 0.6}, 5), predict_step_s({1: 1.0}, 2)
    (None, None)
    """
    model = fit_scaling(measured_s)
    if model is None or nodes > _REACH * max(measured_s):
        return None
    step_s = model.step_s(nodes)
    if step_s > 0:
        return Interval(round(step_s, 12))
    return None


def _least_squares(columns: Sequence[Sequence[float]], times_s: Sequence[float]) -> list[float]:
    """The coefficients that make sum(((model - T) / T)^2) least, by the normal equations."""
    scaled = [[x / t for x, t in zip(column, times_s, strict=True)] for column in columns]
    matrix = [
        [sum(a * b for a, b in zip(left, right, strict=True)) for right in scaled]
        for left in scaled
    ]
    return _solve(matrix, [sum(column) for column in scaled])


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gauss and Jordan's elimination with pivoting, for at most three unknowns."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for step in range(len(rows)):
        pivot = max(range(step, len(rows)), key=lambda index: abs(rows[index][step]))
        rows[step], rows[pivot] = rows[pivot], rows[step]
        rows[step] = [value / rows[step][step] for value in rows[step]]
        for other in range(len(rows)):
            if other != step:
                factor = rows[other][step]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[step], strict=True)]
    return [row[-1] for row in rows]
