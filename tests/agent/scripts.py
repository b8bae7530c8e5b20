"""Scripts that several tests run on a node."""

from __future__ import annotations

COUNTING_SCRIPT = """
import os, pathlib, time
from elastic.worker import checkpointed, drained, finished, paramount
state = pathlib.Path(os.environ["ELASTICD_CHECKPOINT_DIR"])
done = int((state / "done").read_text()) if (state / "done").exists() else 0
while done < {turns}:
    time.sleep(0.02); done += 1
    if paramount(done):
        (state / "done").write_text(str(done)); checkpointed(done, elapsed_s=0.001); drained(done)
        break
else:
    (state / "done").write_text(str(done)); finished(done)
"""
