"""What was seen of a row, where it falls short, and its line in the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from elastic.figures import number

# As the zoo has it: what elasticd counts is what the program logs.
MOST_COUNT_OFF = 0.01
# The ledger and the cloud's bill count to the instant, by two clocks: a second of each machine is
# more than 1 % of so short a job.
MOST_BILL_OFF = 0.01
HEADER = (
    f"{'ROW':5}{'PLACE':7}{'COUNTED':>8}{'LOG':>8}{'SECONDS':>9}{'COST':>17}{'LEFT':>6}  COMMAND"
)


@dataclass(slots=True)
class JobSeen:
    """One job: what elasticd counted of it, and what its program did."""

    name: str
    phase: str
    counted: int
    logged: int

    @property
    def off(self) -> float:
        return abs(self.counted - self.logged) / max(self.logged, 1)


@dataclass(slots=True)
class Seen:
    """All that was seen of a row; `trouble` is what a user would have missed."""

    row: str
    place: str
    command: str
    unit: str
    jobs: list[JobSeen] = field(default_factory=list)
    seconds: float = 0.0
    cost: float = 0.0
    bill: float | None = None
    # What its machines together cost in a second.
    second: float = 0.0
    left: list[str] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)
    # What a page shows of it.
    notes: list[str] = field(default_factory=list)


def shortfalls(seen: Seen) -> list[str]:
    """Each promise that was not kept, in words."""
    found = list(seen.trouble)
    for job in seen.jobs:
        if job.phase != "succeeded":
            found.append(f"{job.name} should have succeeded, it is {job.phase}")
        if not job.logged:
            found.append(f"{job.name}: the program logged no iteration")
        elif job.off > MOST_COUNT_OFF:
            found.append(
                f"{job.name}: elasticd counts {job.counted} iterations, the program {job.logged}"
            )
    if not seen.jobs:
        found.append("no job was seen")
    if seen.bill is not None and abs(seen.cost - seen.bill) > max(
        MOST_BILL_OFF * seen.bill, seen.second
    ):
        found.append(f"the ledger has {seen.cost:.6f} {seen.unit}, the bill {seen.bill:.6f}")
    found += [f"left behind: {each}" for each in seen.left]
    return found


def lines_of(seen: Seen, found: list[str]) -> Iterator[str]:
    """Writes a row, and under it where it falls short."""
    counted = sum(job.counted for job in seen.jobs)
    logged = sum(job.logged for job in seen.jobs)
    cost = f"{number(seen.cost)} {seen.unit}"
    yield (
        f"{seen.row:5}{seen.place:7}{counted:>8}{logged:>8}{seen.seconds:>9.0f}{cost:>17}"
        f"{len(seen.left):>6}  {seen.command}"
    )
    for each in seen.notes:
        yield f"    {each}"
    for each in found:
        yield f"    falls short: {each}"
