"""A process that plays lives: everything is imported, connected and warm in it, and every daemon is
a fork of it."""

from __future__ import annotations

import gc
import json
import logging
import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from elastic.pricing.ec2 import connect_feeds
from elastic.providers.ec2 import connect
from elastic.store import migrate
from tests.crash.daemon import Site
from tests.crash.laboratory import Laboratory, free_port
from tests.crash.life import Life, Verdict
from tests.crash.points import Point

SCENARIO = {
    "node_types": {
        "c5.large": {"on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034},
        "c5.xlarge": {"on_demand_usd_per_h": 0.17, "spot_usd_per_h": 0.062},
    },
    "zones": ["us-east-1a"],
    "machines": "none",
    "boot_delay_s": 3.0,
}


@dataclass(slots=True)
class Warm:
    """One lab, and a folder for each life in it."""

    root: Path
    lab: Laboratory
    site: Site
    now_s: float
    lives: int = 0
    empty: Path = field(init=False)

    def __post_init__(self) -> None:
        self.empty = self.root / "empty.db"
        migrate(f"sqlite:///{self.empty}")

    def play(
        self,
        deaths: Sequence[Point] = (),
        *,
        shown_after_s: float = 0.0,
        is_rehearsal: bool = False,
    ) -> Verdict:
        self.lives += 1
        folder = self.root / str(self.lives)
        folder.mkdir()
        shutil.copy(self.empty, folder / "elasticd.db")
        site = Site(folder, f"crash-{self.lives}", self.site.aws, self.site.feeds, self.now_s)
        verdict = Life(site, self.lab, deaths, shown_after_s, is_rehearsal).run()
        self.now_s += verdict.lasted_s
        shutil.rmtree(folder)
        return verdict


def warm_up(root: Path) -> Warm:
    """Starts the lab, and makes the clients that all daemons inherit."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.WARNING)
    port, now_s = free_port(), float(math.floor(time.time()))
    lab = Laboratory(SCENARIO, started_at_s=now_s, port=port)
    os.environ.update(lab.environment)
    region = str(SCENARIO["zones"][0])[:-1]  # type: ignore[index]
    site = Site(root, "crash", connect(region), connect_feeds(region), now_s)
    warm = Warm(root, lab, site, now_s)
    warm.play(is_rehearsal=True)
    gc.freeze()
    return warm


def main() -> None:
    """Reads from each line how late machines are listed, then points, and writes what became of the
    life so played."""
    shm = Path("/dev/shm")
    with tempfile.TemporaryDirectory(
        dir=shm if os.access(shm, os.W_OK) else None, prefix="elasticd-crash-"
    ) as root:
        warm = warm_up(Path(root))
        print(json.dumps("warm"), flush=True)
        try:
            for line in sys.stdin:
                began_s = time.perf_counter()
                shown_after_s, *deaths = json.loads(line)
                verdict = warm.play(
                    [Point.parse(each) for each in deaths], shown_after_s=shown_after_s
                )
                said = {
                    "died_at": [str(each) for each in verdict.died_at],
                    "points": [str(each) for each in verdict.points],
                    "wrongs": verdict.wrongs,
                    "lasted_s": verdict.lasted_s,
                    "ledger_usd": verdict.ledger_usd,
                    "billed_usd": verdict.billed_usd,
                    "took_s": time.perf_counter() - began_s,
                }
                print(json.dumps(said), flush=True)
            print(
                json.dumps({"left": [each.instance_id for each in warm.lab.living()]}), flush=True
            )
        finally:
            warm.lab.end()


if __name__ == "__main__":
    main()
