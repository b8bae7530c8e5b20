"""The daemon's metrics, read from the store when they are asked for; nothing is counted on the side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from api.deps import Context
from elastic.model import Job, NodePhase

_JOBS = 500
_DECISIONS = 500


class StoreCollector(Collector):
    """Gives every metric anew at each scrape. Jobs are the newest five hundred and all that are not over."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def describe(self) -> list[Metric]:
        return []  # registering must not read the store

    def collect(self) -> Iterator[Metric]:
        store, now_s = self._context.store, self._context.clock.now_s()
        unfinished = store.unfinished_jobs()
        recent = {job.id: job for job in (*store.jobs(limit=_JOBS), *unfinished)}
        yield _jobs(tuple(recent.values()))
        yield self._nodes()
        yield self._spent(unfinished, now_s)
        yield self._iterations(unfinished)
        yield self._rates(unfinished)
        yield self._prices(now_s)
        yield self._decisions()
        yield from self._tick(now_s)

    def _nodes(self) -> Metric:
        family = GaugeMetricFamily("elasticd_nodes", "Nodes not proven gone.", labels=["phase", "node_type"])
        nodes = self._context.store.nodes()
        counts = Counter((node.phase, node.offering.node_type) for node in nodes)
        for (phase, node_type), count in sorted(counts.items()):
            family.add_metric([phase.value, node_type], count)
        if not counts:
            family.add_metric([NodePhase.JOINED.value, ""], 0)
        return family

    def _spent(self, jobs: tuple[Job, ...], now_s: float) -> Metric:
        family = GaugeMetricFamily("elasticd_job_spent_usd", "Dollars spent, by unfinished job.", labels=["job"])
        for job in jobs:
            family.add_metric([job.id], self._context.store.spent(job.id, now_s))
        return family

    def _iterations(self, jobs: tuple[Job, ...]) -> Metric:
        family = GaugeMetricFamily("elasticd_job_iterations", "Paramount iterations done.", labels=["job"])
        for job in jobs:
            family.add_metric([job.id], job.iteration)
        return family

    def _rates(self, jobs: tuple[Job, ...]) -> Metric:
        family = GaugeMetricFamily(
            "elasticd_iterations_per_usd",
            "Marginal paramount iterations per dollar, as the newest decision weighed them.",
            labels=["job", "group", "training_phase"],
        )
        for job in jobs:
            for decision in self._context.store.decisions(job.id, limit=1):
                for each in decision.plan.candidates:
                    if each.iterations_per_usd is not None:
                        labels = [job.id, str(each.group), each.training_phase]
                        family.add_metric(labels, each.iterations_per_usd.value)
        return family

    def _prices(self, now_s: float) -> Metric:
        labels = ["node_type", "capacity", "zone"]
        family = GaugeMetricFamily("elasticd_price_usd_per_h", "Price in force.", labels=labels)
        for price in self._context.store.prices_in_force(now_s):
            offering = price.offering
            family.add_metric([offering.node_type, offering.capacity.value, offering.zone], price.usd_per_h)
        return family

    def _decisions(self) -> Metric:
        help_text = f"Ticks among the newest {_DECISIONS} decisions, by what they did."
        family = GaugeMetricFamily("elasticd_recent_decision_ticks", help_text, labels=["action"])
        counts: Counter[str] = Counter()
        for decision in self._context.store.decisions(limit=_DECISIONS):
            counts[decision.plan.action.value] += decision.ticks
        for action, count in sorted(counts.items()):
            family.add_metric([action], count)
        return family

    def _tick(self, now_s: float) -> Iterator[Metric]:
        last = self._context.last_tick()
        if last is None:
            return
        yield GaugeMetricFamily("elasticd_tick_seconds", "How long the last tick took.", value=last.elapsed_s)
        yield GaugeMetricFamily("elasticd_tick_age_seconds", "How long ago it ended.", value=now_s - last.at_s)
        is_alarmed = float(self._context.alarm() is not None)
        yield GaugeMetricFamily("elasticd_cannot_end_machines", "1 if leases are withheld for it.", value=is_alarmed)
        yield GaugeMetricFamily("elasticd_tick_failed", "1 if it failed.", value=float(last.error is not None))


def _jobs(jobs: tuple[Job, ...]) -> Metric:
    family = GaugeMetricFamily("elasticd_jobs", "Jobs by phase.", labels=["phase"])
    for phase, count in sorted(Counter(job.phase for job in jobs).items()):
        family.add_metric([phase.value], count)
    return family
