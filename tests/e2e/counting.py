"""A script that counts, saves when it is asked to stop, and goes on where it was."""

from __future__ import annotations

# Its arguments: how far it counts, and the seconds of a turn.
COUNTING = """
import json, os, sys, time
from pathlib import Path
from elastic.worker import checkpointed, drained, finished, paramount

kept = Path(os.environ["ELASTICD_CHECKPOINT_DIR"]) / "state.json"
iteration = json.loads(kept.read_text()) if kept.exists() else 0
while iteration < int(sys.argv[1]):
    time.sleep(float(sys.argv[2]))
    iteration += 1
    must_stop = paramount(iteration)
    if iteration % 10 == 0 or must_stop:
        kept.write_text(json.dumps(iteration))
        checkpointed(iteration, elapsed_s=0.001)
    if must_stop:
        drained(iteration)
        break
else:
    finished(iteration)
"""
