"""What the demo sees while the job runs, and the checks that it saw what was promised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from elastic.cli import render
from elastic.cli.watch import WatchedJob, watched_job
from elastic.client.rest import Client, JsonObject
from elastic.figures import duration

_DULL = frozenset({"checkpoint", "job_phase"})
NODE_TYPES = ("c5.large", "c5.xlarge", "c5.2xlarge")


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at the job: its standing, the prices in force, the newest decisions, the news since
    the last look."""

    job: JsonObject
    standing: WatchedJob
    prices: Mapping[str, float]
    decisions: list[JsonObject]
    news: list[JsonObject]

    @property
    def choice(self) -> str:
        """The node type decided last."""
        group = self.job["target_group"]
        return group["members"][0][0]["node_type"] if group else "none"

    @property
    def reason(self) -> str:
        """Why, in the daemon's words."""
        return (
            str(self.decisions[0]["plan"]["reason"]["text"])
            if self.decisions
            else "nothing decided yet"
        )


@dataclass(slots=True)
class Watcher:
    """Looks at one job through the REST interface."""

    client: Client
    job_id: str
    _seen_event: int = 0

    def look(self) -> Sight:
        """Gives what is to be seen now."""
        job = self.client.get(f"/v1/jobs/{self.job_id}")
        news = self.client.get("/v1/events", after=self._seen_event, limit=200)["items"]
        if news:
            self._seen_event = news[-1]["id"]
        newest: dict[str, float] = {}
        for price in self.client.items("/v1/prices", limit=50):
            newest.setdefault(price["offering"]["node_type"], price["usd_per_h"])
        news = [each for each in news if each["kind"] not in _DULL]
        decisions = self.client.items("/v1/decisions", limit=6, job=self.job_id)
        return Sight(job, watched_job(job), newest, decisions, news)


@dataclass(slots=True)
class Witness:
    """Remembers what was seen, to say in the end whether the demo kept its promises."""

    prices: dict[str, set[float]] = field(default_factory=dict)
    choices: list[str] = field(default_factory=list)
    measured: set[str] = field(default_factory=set)
    iteration: int = 0
    has_restarted: bool = False

    def see(self, sight: Sight) -> None:
        """Takes a look into account."""
        for name, usd_per_h in sight.prices.items():
            self.prices.setdefault(name, set()).add(usd_per_h)
        if sight.choice != "none" and (not self.choices or self.choices[-1] != sight.choice):
            self.choices.append(sight.choice)
        self.measured |= {name_of(each) for each in sight.job["candidates"] if _has_interval(each)}
        self.has_restarted |= sight.standing.iteration == 0 and self.iteration > 0
        self.iteration = max(self.iteration, sight.standing.iteration)

    @property
    def tried(self) -> set[str]:
        """The node types that were measured, or chosen once: a trial that cannot pay any more ends
        before that."""
        return self.measured | set(self.choices)

    def broken_promises(self, report: JsonObject) -> Iterable[str]:
        """Gives each thing that `make demo` promises and did not show."""
        if report["phase"] != "succeeded":
            yield f"the job should have succeeded, it {report['phase']}"
        if missing := set(NODE_TYPES) - self.tried:
            yield f"every node type should have been tried; {', '.join(sorted(missing))} was not"
        if not self._risen_usd_per_h():
            yield "a price should have changed, none did"
        elif not self._moved_on_price(report):
            yield (
                "the price change should have moved the job; it trained on "
                f"{' -> '.join(self.choices)}"
            )
        if self.has_restarted:
            yield "the job should never have begun again from zero, it did"

    def _risen_usd_per_h(self) -> set[float]:
        return {max(seen) for seen in self.prices.values() if len(seen) > 1}

    def _moved_on_price(self, report: JsonObject) -> bool:
        """Whether a move left a type at the price it rose to: back from a trial, before the rise,
        does not count."""
        plans = [each["plan"] for each in report["decisions"] if each["plan"]["action"] == "move"]
        return any(
            plan["reason"]["numbers"].get("usd_per_h_from") in self._risen_usd_per_h()
            for plan in plans
        )


def name_of(candidate: JsonObject) -> str:
    """The node type of a candidate of this demo, all of whose groups are one node."""
    return str(candidate["group"]["members"][0][0]["node_type"])


def line_of(event: JsonObject, *, started_s: float) -> str:
    """Writes an event with its time since the demo began."""
    return f"{duration(event['at_s'] - started_s):>10}  {event['kind']:<12} {event['text']}"


def _has_interval(candidate: JsonObject) -> bool:
    estimate: Any = render.at(candidate, "iterations_per_usd.low")
    return estimate is not None
