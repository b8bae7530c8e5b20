"""A plain log: one line an event, to stdout and to the file that RUN_LOG names."""

import hashlib
import os
import time

# Under elasticd each node serves its workers a store of its own; the start is the same for all.
_GROUP = os.environ.get("ELASTICD_MEETING", "").replace(" ", "") or (
    f"{os.environ.get('MASTER_ADDR', 'here')}:{os.environ.get('MASTER_PORT', '0')}"
)
_RANK = f"{os.environ.get('RANK', '0')}/{os.environ.get('WORLD_SIZE', '1')}"


def log(text):
    path = os.environ.get("RUN_LOG")
    if path and text.startswith("at ") and os.path.exists(path + ".slow"):
        # As slow data would be: the job is not to end before its nodes have changed.
        time.sleep(0.25)
        text += " slowed"
    line = f"{time.time():.3f} pid {os.getpid()} group {_GROUP} rank {_RANK} {text}"
    print(line, flush=True)
    if path:
        with open(path, "a") as file:
            file.write(line + "\n")


def log_saved(path):
    with open(path, "rb") as file:
        log(f"saved {path} {hashlib.sha256(file.read()).hexdigest()[:16]}")
