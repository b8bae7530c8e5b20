"""The zoo's own daemon, asked as a user asks it: nodes are processes of this machine."""

from __future__ import annotations

from contextlib import suppress

import psutil

from tests.e2e.running import RunningDaemon

SETTINGS = """
tick_s = 1.0
heartbeat_s = 0.5
drain_grace_s = 20.0

[[local_types]]
name = "full"
cpu = 1.0
usd_per_h = 1.44

[policy]
cooldown_s = 2.0
wind_down_s = 25.0
switch_pause_prior_s = 5.0
boot_prior_s = 3.0
"""


class CommandFailed(Exception):
    """An `elasticd` command ended with another status than 0; the text is what it said."""


def command(daemon: RunningDaemon, *words: str) -> None:
    """Runs an `elasticd` command. Raises CommandFailed."""
    done = daemon.elasticd(*words)
    if done.returncode != 0:
        raise CommandFailed(
            f"elasticd {' '.join(words[:2])}: {(done.stderr or done.stdout).strip()[-400:]}"
        )


def kill_node(node_id: str) -> None:
    """Ends every process of a node by SIGKILL, as the loss of a machine does."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get("ELASTICD_NODE_ID") == node_id:
                process.kill()
