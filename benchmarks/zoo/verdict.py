"""What was seen of a row, and where it falls short: pure functions of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.zoo.rows import Row
from benchmarks.zoo.script_log import ScriptLog

MOST_COUNT_OFF = 0.01
MOST_RATE_OFF = 0.05
FEWEST_STEPS = 30  # of fewer, a pause of the machine is more than what may be off


@dataclass(frozen=True, slots=True)
class Rate:
    """Iterations a second of one round, by elasticd and by the script's own log."""

    ours: float
    theirs: float

    @property
    def off(self) -> float:
        return abs(self.ours / self.theirs - 1.0)


@dataclass(frozen=True, slots=True)
class WindowSeen:
    """A measurement as the daemon shows it."""

    iterations: int
    elapsed_s: float
    ended_at_s: float

    @property
    def begun_s(self) -> float:
        return self.ended_at_s - self.elapsed_s


@dataclass(frozen=True, slots=True)
class Seen:
    """All that a user could see of one run: `trouble` is what kept the run from being played to its
    end."""

    row: Row
    preload: str
    log: ScriptLog
    phase: str
    said: str
    iteration: int
    windows: tuple[WindowSeen, ...]
    fetched: Mapping[str, str]
    nodes: int
    seconds: float
    trouble: str | None = None

    @property
    def survived(self) -> int:
        return self.log.survived(self.row.batch)

    @property
    def count_off(self) -> float | None:
        return abs(self.iteration - self.survived) / self.survived if self.survived else None

    @property
    def rate(self) -> Rate | None:
        """The rates of the round in which they differ most."""
        return max(self._rates(), key=lambda each: each.off, default=None)

    @property
    def lost(self) -> tuple[str, ...]:
        """Files that the script saved and the user did not get as they were saved last."""
        return tuple(
            name for name, digest in self.log.saved.items() if self.fetched.get(name) != digest
        )

    def _rates(self) -> Iterator[Rate]:
        for each in self.log.rounds:
            begun_s, ended_s = each.steady_s
            inside = [
                window
                for window in self.windows
                if begun_s <= window.begun_s and window.ended_at_s <= ended_s
            ]
            if not inside:
                continue
            from_s, to_s = (
                min(window.begun_s for window in inside),
                max(window.ended_at_s for window in inside),
            )
            steps, theirs = each.rate(self.row.batch, from_s=from_s, to_s=to_s)
            if steps >= FEWEST_STEPS and theirs is not None:
                ours = sum(window.iterations for window in inside) / sum(
                    window.elapsed_s for window in inside
                )
                yield Rate(ours, theirs)


def shortfalls(seen: Seen) -> list[str]:
    """Each promise that this run did not keep, in words."""
    found = [] if seen.trouble is None else [seen.trouble]
    if seen.phase != seen.row.ends:
        found.append(f"it should have {seen.row.ends}, it is {seen.phase}")
    found += [
        f"the daemon should say {word!r}" for word in seen.row.says if word not in seen.said.lower()
    ]
    found += _of_training(seen) if seen.row.is_whole else _of_waste(seen)
    if seen.row.most_starts is not None and seen.log.starts > seen.row.most_starts:
        found.append(f"{seen.log.starts} worker starts, {seen.row.most_starts} are enough")
    return found


def _of_waste(seen: Seen) -> list[str]:
    return [f"{seen.nodes} nodes were bought, one is enough"] if seen.nodes > 1 else []


def _of_training(seen: Seen) -> list[str]:
    found = []
    if seen.count_off is None:
        found.append("the script made no step")
    elif seen.count_off > MOST_COUNT_OFF and (seen.row.is_counted or seen.iteration):
        found.append(f"elasticd counts {seen.iteration} iterations, the script {seen.survived}")
    rate = seen.rate
    if rate is not None and rate.off > MOST_RATE_OFF:
        found.append(f"elasticd measures {rate.ours:.2f} it/s, the script {rate.theirs:.2f}")
    if rate is None and seen.row.is_counted:
        found.append("no it/s was measured")
    if seen.lost:
        found.append(
            f"{len(seen.lost)} of {len(seen.log.saved)} files lost: {', '.join(seen.lost[:3])}"
        )
    uneven = [each.begins_at for each in seen.log.rounds if len(each.begins_at) > 1]
    found += [f"ranks began at {' and '.join(f'{at:g}' for at in places)}" for places in uneven]
    return found
