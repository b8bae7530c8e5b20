"""The demo's market: once the job has settled on a node type, that type becomes dear, as spot prices do."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from examples.demo.watching import NODE_TYPES, Sight, Witness

RISE = 4.0  # more than a price may jump and still be believed would be 5
SETTLED_S = 12.0


@dataclass(slots=True)
class Market:
    """Writes the price trace that the daemon follows: `trace` begins as the demo's prices.csv."""

    trace: Path
    _settled_since_s: float | None = None
    _has_risen: bool = False

    @staticmethod
    def open(trace: Path, *, opening_prices: Path) -> Market:
        """Gives a market with the opening prices in force."""
        shutil.copy(opening_prices, trace)
        return Market(trace)

    def react(self, sight: Sight, witness: Witness, *, now_s: float) -> str | None:
        """Raises the price of the job's choice, once every type is measured and the job trains where it wants to.

        Gives a sentence when it does so.
        """
        current, target = sight.job["current_group"], sight.job["target_group"]
        if self._has_risen or not (witness.measured >= set(NODE_TYPES) and current and current == target):
            self._settled_since_s = None
            return None
        self._settled_since_s = now_s if self._settled_since_s is None else self._settled_since_s
        if now_s - self._settled_since_s < SETTLED_S:
            return None
        self._has_risen = True
        before, after = sight.prices[sight.choice], sight.prices[sight.choice] * RISE
        self._write(sight.choice, after, now_s=now_s)
        return f"the job has settled on {sight.choice}: now its price rises from ${before:.3g} to ${after:.3g} an hour"

    def _write(self, name: str, usd_per_h: float, *, now_s: float) -> None:
        """Adds one row, at once: a reader sees the old file or the new one."""
        columns, *rows = self.trace.read_text().splitlines()
        old = [f"{row}," for row in rows]
        new = self.trace.with_suffix(".new")
        new.write_text("\n".join([f"{columns},at_s", *old, f",{name},{usd_per_h:.4g},{now_s:.3f}", ""]))
        new.replace(self.trace)
