"""The demo's market: once the job has settled on a node type, that type becomes dear, as spot prices do."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from examples.demo.watching import NODE_TYPES, Sight, Witness

RISE = 4.0  # more than a price may jump and still be believed would be 5
_SETTLED_S = 12.0


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

    def react(self, sight: Sight, witness: Witness) -> None:
        """Raises the price of the job's choice once every type is measured and the job trains where it wants to."""
        is_settled = witness.measured >= set(NODE_TYPES) and sight.job["current_group"] == sight.job["target_group"]
        if self._has_risen or not is_settled:
            self._settled_since_s = None
            return
        now_s = time.time()
        self._settled_since_s = self._settled_since_s or now_s
        if now_s - self._settled_since_s >= _SETTLED_S:
            self._raise(sight.choice, sight.prices[sight.choice] * RISE, now_s=now_s)
            self._has_risen = True

    def _raise(self, name: str, usd_per_h: float, *, now_s: float) -> None:
        """Adds one row, at once: a reader sees the old file or the new one."""
        columns, *rows = self.trace.read_text().splitlines()
        old = [f"{row}," for row in rows]
        new = self.trace.with_suffix(".new")
        new.write_text("\n".join([f"{columns},at_s", *old, f",{name},{usd_per_h:.4g},{now_s:.3f}", ""]))
        new.replace(self.trace)
