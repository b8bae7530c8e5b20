"""The daemon's metrics, read from the store at each scrape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from api.deps import Context
from elastic.errors import StoreUnavailable
from elastic.model import Job, Node, NodePhase, Offering, Price
from elastic.reconciler import AlarmKind
from elastic.store import Interruptions

# `job` alone is Prometheus's own label, for what it scrapes.
_JOB = ["job_id", "job_name"]
# Alerts watch these grow, and Prometheus sees no growth in a counter that begins at 1.
_FROM_ZERO = dict.fromkeys(("alarm", "node_lost", "orphan_found", "superseded"), 0)
_OFFERING = ["node_type", "capacity", "zone"]


class StoreCollector(Collector):
    """Collects every metric; those of single jobs only for jobs that are not over."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def describe(self) -> list[Metric]:
        return []  # registering must not read the store

    def collect(self) -> Iterator[Metric]:
        now_s = self._context.clock.now_s()
        # First what the daemon knows by itself: alerts need it most while the database is away.
        yield self._alarms()
        yield GaugeMetricFamily(
            "elasticd_lease_seconds",
            "The lease a node is given now.",
            value=self._context.lease_s(),
        )
        yield from self._tick(now_s)
        with suppress(StoreUnavailable):
            yield from self._stored(now_s)

    def _stored(self, now_s: float) -> Iterator[Metric]:
        """What the database tells. Raises StoreUnavailable."""
        store = self._context.store
        # Not those that are over: each label is kept for ever by what reads this, and jobs are
        # without end.
        jobs = store.jobs.unfinished()
        nodes = store.nodes.listed()
        prices = store.prices.in_force(now_s)
        tallies = store.tallies()
        yield _counted("elasticd_jobs", "Jobs by phase.", "phase", tallies.jobs)
        yield _total(
            "elasticd_decisions",
            "Decisions; holds for one reason count once.",
            "action",
            tallies.decisions,
        )
        # From zero: an increase is seen only between two values, and the first would be missed.
        yield _total("elasticd_events", "Events.", "kind", {**_FROM_ZERO, **tallies.events})
        yield _nodes(nodes)
        yield from _usage(nodes)
        yield _interruptions(store.notices.interruptions())
        yield from self._money(jobs, nodes, prices, now_s)
        yield _by_job(
            "elasticd_job_iterations", "Iterations done.", [(job, job.iteration) for job in jobs]
        )
        yield self._worth(jobs)
        yield from _prices(self._wanted(prices, nodes), now_s)

    def _money(
        self,
        jobs: tuple[Job, ...],
        nodes: tuple[Node, ...],
        prices: tuple[Price, ...],
        now_s: float,
    ) -> Iterator[Metric]:
        spent_usd = self._context.store.ledger.spent_by_job([job.id for job in jobs], now_s)
        spent = [(job, spent_usd[job.id]) for job in jobs]
        yield _by_job("elasticd_job_spent_usd", "Dollars spent.", spent)
        budgets = [(job, usd) for job in jobs if (usd := job.spec.objective.budget_usd) is not None]
        yield _by_job(
            "elasticd_job_budget_usd", "Dollars that may be spent, of jobs with a budget.", budgets
        )
        # An offering without a price in force burns nothing that is known.
        usd_per_h = {price.offering: price.usd_per_h for price in prices}
        burns = [
            (job, _burn_usd_per_h((node for node in nodes if node.job_id == job.id), usd_per_h))
            for job in jobs
        ]
        yield _by_job(
            "elasticd_job_burn_usd_per_h",
            "What the job's machines cost, at the prices in force.",
            burns,
        )

    def _wanted(self, prices: tuple[Price, ...], nodes: tuple[Node, ...]) -> tuple[Price, ...]:
        """The prices of what is sold, and of machines that exist: others grow older for ever."""
        offered = self._context.offered()
        if offered is None:
            return prices
        wanted = offered | {node.offering for node in nodes}
        return tuple(each for each in prices if each.offering in wanted)

    def _worth(self, jobs: tuple[Job, ...]) -> Metric:
        family = GaugeMetricFamily(
            "elasticd_iterations_per_usd",
            "Marginal paramount iterations per dollar in the best zone, by the newest decision.",
            labels=[*_JOB, "group", "training_phase"],
        )
        # Groups that differ by their zones alone have one name, and a sample stands once: the best.
        best: dict[tuple[str, ...], float] = {}
        newest = self._context.store.decisions.newest_of([job.id for job in jobs])
        for job in jobs:
            if job.id not in newest:
                continue
            for each in newest[job.id].plan.candidates:
                if each.iterations_per_usd is not None:
                    labels = (job.id, job.spec.name, str(each.group), each.training_phase)
                    best[labels] = max(each.iterations_per_usd.value, best.get(labels, 0.0))
        for names, value in best.items():
            family.add_metric(names, value)
        return family

    def _alarms(self) -> Metric:
        """All kinds of alarm; 0 for one that does not stand, which differs from no value."""
        standing = {each.kind for each in self._context.current_alarms()}
        family = GaugeMetricFamily("elasticd_alarm", "1 if it stands.", labels=["kind"])
        for kind in AlarmKind:
            family.add_metric([kind.value], float(kind in standing))
        return family

    def _tick(self, now_s: float) -> Iterator[Metric]:
        last = self._context.last_tick()
        # No tick yet is no tick that failed: nothing is said about it.
        if last is None:
            return
        yield GaugeMetricFamily(
            "elasticd_tick_seconds", "How long the last tick took.", value=last.elapsed_s
        )
        yield GaugeMetricFamily(
            "elasticd_tick_age_seconds", "How long ago it ended.", value=now_s - last.at_s
        )
        yield GaugeMetricFamily(
            "elasticd_tick_failed", "1 if it failed.", value=float(last.error is not None)
        )


def _counted(name: str, text: str, label: str, counts: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for kind, count in counts.items():
        family.add_metric([str(kind)], count)
    return family


def _total(name: str, text: str, label: str, counts: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(name, text, labels=[label])
    for kind, count in counts.items():
        family.add_metric([str(kind)], count)
    return family


def _by_job(name: str, text: str, values: Iterable[tuple[Job, float]]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=_JOB)
    for job, value in values:
        family.add_metric([job.id, job.spec.name], value)
    return family


def _nodes(nodes: tuple[Node, ...]) -> Metric:
    family = GaugeMetricFamily(
        "elasticd_nodes", "Nodes not proven gone.", labels=["phase", "node_type"]
    )
    counts = Counter((node.phase, node.offering.node_type) for node in nodes)
    for (phase, node_type), count in sorted(counts.items()):
        family.add_metric([phase.value, node_type], count)
    if not counts:
        # A metric without any sample would look like a daemon that does not report it.
        family.add_metric([NodePhase.JOINED.value, ""], 0)
    return family


def _usage(nodes: tuple[Node, ...]) -> Iterator[Metric]:
    """How busy each node is, as it says; nothing of GPUs where there are none."""
    labels = ["job_id", "node_id", "node_type"]
    cores = GaugeMetricFamily(
        "elasticd_node_cores_used", "Cores that the node's processes use.", labels=labels
    )
    shares = GaugeMetricFamily(
        "elasticd_node_used_ratio",
        "Share of a resource in use: memory, gpu, gpu_memory.",
        labels=[*labels, "resource"],
    )
    for node in nodes:
        usage = node.usage
        if usage is None or node.phase is not NodePhase.JOINED:
            continue
        values = [node.job_id, node.id, node.offering.node_type]
        cores.add_metric(values, usage.cores)
        of_resources = {"memory": usage.memory, "gpu": usage.gpu, "gpu_memory": usage.gpu_memory}
        for resource, share in of_resources.items():
            if share is not None:
                shares.add_metric([*values, resource], share)
    yield cores
    yield shares


def _interruptions(taken: Iterable[Interruptions]) -> Metric:
    text = (
        "Nodes that the cloud took back after a notice (notice=yes), and others that were lost "
        "(notice=no)."
    )
    family = CounterMetricFamily("elasticd_interruptions", text, labels=["node_type", "notice"])
    for each in taken:
        family.add_metric([each.node_type, "yes" if each.with_notice else "no"], each.count)
    return family


def _burn_usd_per_h(nodes: Iterable[Node], usd_per_h: Mapping[Offering, float]) -> float:
    """The prices of all machines that exist; one without a price in force adds nothing."""
    return sum(usd_per_h.get(node.offering, 0.0) for node in nodes if node.provider_id is not None)


def _prices(prices: tuple[Price, ...], now_s: float) -> Iterator[Metric]:
    usd_per_h = GaugeMetricFamily("elasticd_price_usd_per_h", "Price in force.", labels=_OFFERING)
    age_s = GaugeMetricFamily(
        "elasticd_price_age_seconds", "How long ago it was last observed.", labels=_OFFERING
    )
    for price in prices:
        labels = [price.offering.node_type, price.offering.capacity.value, price.offering.zone]
        usd_per_h.add_metric(labels, price.usd_per_h)
        age_s.add_metric(labels, now_s - price.observed_at_s)
    yield usd_per_h
    yield age_s
