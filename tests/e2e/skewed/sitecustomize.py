"""Sets the machine's clock for the processes that have this folder on their path.

Python imports a module of this name when it starts. `SKEW_FILE` holds how many seconds the clock is
ahead, and may be written again while they run.
"""

import os
import time
from pathlib import Path

_FILE = Path(os.environ["SKEW_FILE"])
_true_s = time.time


def _skewed_s() -> float:
    return _true_s() + float(_FILE.read_text())


time.time = _skewed_s
