"""Sets the machine's clock for the processes that have this folder on their path.

Python imports a module of this name when it starts. `SKEW_FILE` holds how many seconds the clock is
ahead, and may be written again while they run.
"""

import os
import sys
import time
from datetime import datetime, tzinfo
from pathlib import Path

_FILE = Path(os.environ["SKEW_FILE"])
_true_s = time.time


def _skewed_s() -> float:
    return _true_s() + float(_FILE.read_text())


time.time = _skewed_s

if "serve" in sys.orig_argv:
    # The scheduler of ticks asks datetime, which reads the same clock without `time.time`. With
    # two clocks it would wait for an instant of the other, and a daemon ahead would never tick.
    from apscheduler.schedulers import base
    from apscheduler.triggers import date, interval

    class _WallClock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "_WallClock":
            return cls.fromtimestamp(_skewed_s(), tz)

    for _module in (base, date, interval):
        _module.datetime = _WallClock
