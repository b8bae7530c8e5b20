"""How fast a group should be that was never measured: from its hardware and from other
measurements.

The logarithm of the step time is a Gaussian process over all groups (Rasmussen and Williams,
Gaussian Processes for Machine Learning, 2006, chapters 2 and 5). Before anything is measured, the
hardware says what to expect: more compute is faster. How much faster differs from program to
program, because memory, its bandwidth and the network limit some of them. So the exponents are
unknown, each with a spread.

Every measurement then informs the beliefs about all other groups. Two sizes of one type show how
this program grows with cores, and similar types are expected to be similarly fast. What remains is
particular to each type: only a trial shows it. A trial that ended before its first iteration shows
that an iteration takes longer than the trial did.

The numbers below were fitted to 81 published experiments of many programs at once, by maximum
likelihood, and rounded (docs/decisions/0119). Decisions hardly depend on them: each may be half as
large again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from elastic.model import NodeType, Workers, workers_on
from elastic.policy.evaluation import Evaluation, Evaluations
from elastic.policy.spells import begun_s, spells
from elastic.throughput import NodeTypes

Vector = NDArray[np.float64]

# Step time against cores, of one node: mean and standard deviation of the exponent over programs.
_GROWTH = -0.3
_GROWTH_SPREAD = 0.55
# The same against nodes: between no gain and a perfect one. It is not fitted, because the
# experiments rarely vary the number of nodes.
_NODES = -0.7
_NODES_SPREAD = 0.4
# Similar types share a part of what the exponents do not explain. Types are similar within so many
# e-folds of cores and of memory.
_ALIKE = 0.25
_ALIKE_CORES = 1.3
_ALIKE_MEMORY = 0.6
# The rest belongs to the type alone. One size of a type deviates by so much from its type's law.
_OWN = 0.30
_OWN_SIZE = 0.05
# How far the published speeds of GPUs and cores may mislead for one program.
_KIND = 0.8
# Before any measurement nothing is known of a program's pace: from microseconds to hours.
_ANY_PACE = 0.0
_ANY_SPREAD = 6.0
# How far the mean of a group's first n warm iterations lies from its mean over all, beyond the part
# that all groups have in common. In two thirds of 800 runs it was within 0.075 after one iteration,
# and 0.036 after nine. The tails are longer.
_EARLY = 0.12
_LEAST_NOISE = 0.01
# The same program on the same node type on another day. Nine in ten configurations that were run
# again for months varied by less (Maricq et al., Taming Performance Variability, OSDI 2018).
ANOTHER_DAY = 0.1
# A prediction from other sizes or from parts of a mix.
_PREDICTED = 0.1
# A bound says nothing if it reduces a variance by less than this share. Bounds beyond so many
# deviations are all alike.
_TELLS = 1e-6
_FAR = 20.0
_NORMAL = NormalDist()
# Single-precision TFLOP/s of one GPU at its peak, by NVIDIA's data sheets.
_GPU_TFLOPS = {
    "K80": 4.1,
    "M60": 4.8,
    "P100": 9.5,
    "P4": 5.5,
    "V100": 15.7,
    "T4": 8.1,
    "T4G": 8.1,
    "A10G": 31.2,
    "A100": 19.5,
    "L4": 30.3,
    "L40S": 91.6,
    "H100": 66.9,
    "H200": 66.9,
}
# One that is not listed is taken for the median of those that are.
_OTHER_GPU_TFLOPS = 15.7
# A core with AVX2: 2 units x 8 numbers x multiply and add x 3 GHz (Intel 64 and IA-32 Optimization
# Manual, 2.5).
_CORE_TFLOPS = 0.1


@dataclass(frozen=True, slots=True)
class Belief:
    """The step time of a group: the logarithm of its seconds, with a standard deviation."""

    log_s: float
    spread: float

    @property
    def step_s(self) -> float:
        """The median, in seconds."""
        return math.exp(self.log_s)

    def quantile_s(self, deviations: float) -> float:
        """The step time that lies so many standard deviations above the median, in seconds.

        >>> round(Belief(0.0, 0.5).quantile_s(-1.96), 3)
        0.375
        """
        return math.exp(self.log_s + deviations * self.spread)


@dataclass(frozen=True, slots=True)
class Seen:
    """A step time that was measured, with its uncertainty."""

    node_types: NodeTypes
    step_s: float
    # How far it may be from the truth: the standard deviation of its logarithm.
    spread: float


@lru_cache(maxsize=4)
def beliefs_of(evaluations: Evaluations) -> Mapping[NodeTypes, Belief]:
    """Gives a belief for each candidate's node types, if the provider describes them."""
    described = evaluations.types
    asked = evaluations.snapshot.job.spec.nproc_per_node
    workers = {each.name: workers_on(asked, each) for each in evaluations.snapshot.node_types}
    wanted = dict.fromkeys(each.group.node_types for each in evaluations.outlooks)
    known = [types for types in wanted if _is_described(types, described)]
    seen = measured(evaluations)
    # Each trial without a window is a bound, and each bound sharpens the belief that the next one
    # meets.
    for types, least_s in _outlasted(evaluations):
        (belief,) = believe([types], seen, described, workers)
        seen += _as_seen(types, belief, least_s)
    found = {}
    if known:
        found = dict(zip(known, believe(known, seen, described, workers), strict=True))
    # Where a size or a mix was predicted from measurements, the prediction replaces the belief.
    predicted = {
        each.group.node_types: Belief(math.log(each.step_s.value), _PREDICTED)
        for each in evaluations.outlooks
        if not each.samples and each.step_s is not None
    }
    return found | predicted


def measured(evaluations: Evaluations) -> list[Seen]:
    """What the job's own windows say of its groups.

    For groups that it has not run, earlier runs of its program are used instead.
    """
    # How many iterations stand behind each measured pace: few may mislead.
    iterations: dict[NodeTypes, int] = {}
    for series in evaluations.snapshot.series:
        if series.training_phase == evaluations.focus.training_phase:
            turns = sum(sample.iterations for sample in series.samples)
            iterations[series.group.node_types] = iterations.get(series.group.node_types, 0) + turns
    found = {
        each.group.node_types: Seen(
            each.group.node_types, each.step_s.value, _noise(each, iterations)
        )
        for each in evaluations.outlooks
        if each.samples and each.step_s is not None
    }
    phase = evaluations.focus.training_phase
    earlier = [
        Seen(
            each.group.node_types,
            each.elapsed_s / each.iterations,
            math.hypot(ANOTHER_DAY, _early(each.iterations)),
        )
        for each in evaluations.snapshot.earlier
        if each.training_phase == phase and each.iterations and each.group.node_types not in found
    ]
    return [*found.values(), *earlier]


def _outlasted(evaluations: Evaluations) -> Iterator[tuple[NodeTypes, float]]:
    """Node types without a window, with the least seconds that an iteration takes there, for each
    trial."""
    told = {each.group.node_types for each in evaluations.measured}
    for spell in spells(evaluations.snapshot):
        types = spell.group.node_types
        is_told = types in told or not _is_described(types, evaluations.types)
        if spell.change.code != "trial" or is_told or spell.change.at_s < begun_s(evaluations):
            continue
        least_s = spell.least_step_s(evaluations.snapshot)
        if least_s > 0:
            yield types, least_s


def _as_seen(types: NodeTypes, belief: Belief, least_s: float) -> list[Seen]:
    """The measurement that would change a belief as much as the bound `least_s` does.

    The part of a normal distribution above a bound is approximated by a normal distribution of the
    same mean and variance (Minka, Expectation Propagation, 2001). One measurement turns the first
    into the second.
    """
    bound = min((math.log(least_s) - belief.log_s) / belief.spread, _FAR)
    hazard = _NORMAL.pdf(bound) / (math.erfc(bound / math.sqrt(2)) / 2)
    taken_off = hazard * (hazard - bound)
    if taken_off <= _TELLS:
        return []
    variance = belief.spread**2 * (1 - taken_off) / taken_off
    shift = belief.spread * hazard / taken_off
    return [Seen(types, math.exp(belief.log_s + shift), math.sqrt(variance))]


def believe(
    wanted: Sequence[NodeTypes],
    seen: Sequence[Seen],
    described: Mapping[str, NodeType],
    workers: Mapping[str, Workers],
) -> list[Belief]:
    """Gives a belief for each of `wanted`, given what was `seen`."""
    told = [each for each in seen if _is_described(each.node_types, described)]
    every = [*wanted, *(each.node_types for each in told)]
    features = _Features.of(every, described, workers)
    count = len(wanted)
    mean = features.mean[:count]
    variance = features.variance[:count]
    if told:
        # Condition the Gaussian process on what was seen, by a Cholesky factor of its covariance.
        across = features.covariance(slice(count, None))
        root = np.linalg.cholesky(across[count:] + np.diag([each.spread**2 for each in told]))
        surprise = np.log([each.step_s for each in told]) - features.mean[count:]
        weights = np.linalg.solve(root, across[:count].T)
        mean = mean + weights.T @ np.linalg.solve(root, surprise)
        variance = np.maximum(variance - np.sum(weights**2, axis=0), _LEAST_NOISE**2)
    # Rounded: the last figures of linear algebra differ between processors, and decisions must not.
    pairs = zip(mean, variance, strict=True)
    return [Belief(round(float(log_s), 9), round(math.sqrt(own), 9)) for log_s, own in pairs]


@dataclass(frozen=True, slots=True)
class _Features:
    """What beliefs depend on, one row for each group.

    Logarithms of cores a node, of nodes and of GiB a core; whether there are GPUs; the share of a
    core; and the node types.
    """

    cores: Vector
    nodes: Vector
    memory: Vector
    gpus: Vector
    share: Vector
    types: NDArray[np.int64]

    @staticmethod
    def of(
        groups: Sequence[NodeTypes],
        described: Mapping[str, NodeType],
        workers: Mapping[str, Workers],
    ) -> _Features:
        rows = []
        numbers = dict[tuple[str, ...], int]()
        for group in groups:
            nodes = sum(count for _, count in group)
            parts = [(described[name], count) for name, count in group]
            cores = (
                sum(count * cores_worth(each, workers[each.name]) for each, count in parts) / nodes
            )
            memory = sum(count * each.memory_gib for each, count in parts) / nodes
            gpus = any(each.gpu_count for each, _ in parts)
            held_cores = sum(count * each.cores for each, count in parts) / nodes
            number = numbers.setdefault(tuple(name for name, _ in group), len(numbers))
            # Half a core takes twice the time, whatever is computed.
            rows.append(
                (max(cores, 1.0), nodes, memory / held_cores, gpus, min(cores, 1.0), number)
            )
        cores, nodes, memory, gpus, share, types = np.array(rows, dtype=float).T
        return _Features(
            np.log(cores),
            np.log(nodes),
            np.log(memory),
            gpus,
            np.log(share),
            types.astype(np.int64),
        )

    @property
    def mean(self) -> Vector:
        return _ANY_PACE + _GROWTH * self.cores + _NODES * self.nodes - self.share

    @property
    def variance(self) -> Vector:
        """Of each group alone."""
        linear = (
            (_GROWTH_SPREAD * self.cores) ** 2
            + (_NODES_SPREAD * self.nodes) ** 2
            + (_KIND * self.gpus) ** 2
        )
        return linear + _ANY_SPREAD**2 + _ALIKE**2 + _OWN**2 + _OWN_SIZE**2

    def covariance(self, others: slice) -> Vector:
        """Of each group with each of `others`."""
        linear = (
            _GROWTH_SPREAD**2 * np.outer(self.cores, self.cores[others])
            + _NODES_SPREAD**2 * np.outer(self.nodes, self.nodes[others])
            + _KIND**2 * np.outer(self.gpus, self.gpus[others])
        )
        # Similar types: a squared-exponential kernel over cores and memory.
        apart = (np.subtract.outer(self.cores, self.cores[others]) / _ALIKE_CORES) ** 2
        apart += (np.subtract.outer(self.memory, self.memory[others]) / _ALIKE_MEMORY) ** 2
        is_same_type = self.types[:, None] == self.types[None, others]
        is_same = is_same_type & (self.nodes[:, None] == self.nodes[None, others])
        own = _OWN**2 * is_same_type + _OWN_SIZE**2 * is_same
        return np.asarray(_ANY_SPREAD**2 + linear + _ALIKE**2 * np.exp(-apart / 2) + own)


def _is_described(types: NodeTypes, described: Mapping[str, NodeType]) -> bool:
    return all(name in described for name, _ in types)


def _early(iterations: int) -> float:
    """How far the mean of the first iterations may be from the lasting one (log standard
    deviation)."""
    return _EARLY / math.sqrt(max(iterations, 1))


def _noise(outlook: Evaluation, iterations: Mapping[NodeTypes, int]) -> float:
    """How far a measured pace may be from the lasting one (log standard deviation).

    It counts the windows' interval, and how much early windows mislead.
    """
    step_s = outlook.step_s
    assert step_s is not None
    early = _early(iterations.get(outlook.group.node_types, 1))
    if step_s.low is None or step_s.high is None:
        return math.hypot(early, _EARLY)
    return max(
        math.hypot(early, (step_s.high - step_s.low) / (2 * 1.96 * step_s.value)), _LEAST_NOISE
    )


def cores_worth(node_type: NodeType, workers: Workers) -> float:
    """How many cores a node's workers are worth, counting only the cores or GPUs that they use.

    >>> cores_worth(NodeType("c5.2xlarge", 8, 16, physical_cores=4), Workers(1, 4))
    4.0
    >>> round(cores_worth(NodeType("g4dn.xlarge", 4, 16, gpu_count=1, gpu_model="T4"), Workers(1,
    ...     4)))
    81
    >>> round(cores_worth(NodeType("own.server", 4, 16, gpu_count=1, gpu_model="Tesla k80 24GB"),
    ...     Workers(1, 4)))
    41
    """
    if not node_type.gpu_count:
        return float(min(node_type.cores, workers.processes * workers.threads))
    words = (node_type.gpu_model or "").upper().split()
    tflops = next((_GPU_TFLOPS[word] for word in words if word in _GPU_TFLOPS), _OTHER_GPU_TFLOPS)
    return min(node_type.gpu_count, workers.processes) * tflops / _CORE_TFLOPS
