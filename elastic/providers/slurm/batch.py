"""Writes what sbatch is given: its options, and the script that finds a Python on the node."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from pathlib import Path

from elastic.config import SlurmSettings
from elastic.distribution import pythons
from elastic.providers.slurm.jobs import JobLabel, job_name
from elastic.providers.slurm.node_types import SlurmNodeType
from elastic.providers.slurm.on_node import ON_NODE

# The nodes of an array are told apart by their numbers. Nothing in it is secret.
_SCRIPT = """\
#!/bin/sh
set -- {node_ids}
shift "${{SLURM_ARRAY_TASK_ID:-0}}"
for python in {candidates}; do
  if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    exec "$python" -I {program} {word} {folder}/"$1"
  fi
done
echo "wanted Python 3.11 or newer on this node, found none; set slurm.python" >&2
exit 127
"""


def script(node_ids: Sequence[str], *, program: Path, folder: Path, python: str | None) -> str:
    """The batch script of these nodes, whose files are below `folder`."""
    return _SCRIPT.format(
        node_ids=" ".join(map(shlex.quote, node_ids)),
        candidates=pythons(python),
        program=shlex.quote(str(program)),
        word=ON_NODE,
        folder=shlex.quote(str(folder)),
    )


def options(
    label: JobLabel, node_type: SlurmNodeType, settings: SlurmSettings, *, folder: Path
) -> list[str]:
    """The arguments of sbatch for one purchase: a job, or an array of jobs, of one node each."""
    asks = node_type.asks
    found = [
        "--parsable",
        "--nodes=1",
        "--ntasks=1",
        # The daemon itself sends another job for one that is lost, and knows what it is for.
        "--no-requeue",
        f"--job-name={job_name(label.cluster)}",
        f"--comment={label.comment}",
        f"--partition={asks.partition}",
        # To the program that keeps the node, and to nothing else on it.
        f"--signal=B:USR1@{math.ceil(node_type.notice_s)}",
        "--open-mode=append",
        f"--chdir={folder}",
        f"--output={folder}/slurm-%A_%a.log"
        if len(label.node_ids) > 1
        else f"--output={folder}/slurm-%j.log",
    ]
    if len(label.node_ids) > 1:
        found.append(f"--array=0-{len(label.node_ids) - 1}")
    if asks.cpus is None:
        found += ["--exclusive", "--mem=0"]
    else:
        found.append(f"--cpus-per-task={asks.cpus}")
    if asks.memory_gib is not None:
        found.append(f"--mem={math.floor(asks.memory_gib * 1024)}M")
    for name, value in (
        ("gres", asks.gres),
        ("constraint", asks.constraint),
        ("account", asks.account or settings.account),
        ("qos", asks.qos or settings.qos),
        ("time", asks.time_limit or settings.time_limit),
    ):
        if value is not None:
            found.append(f"--{name}={value}")
    return found
