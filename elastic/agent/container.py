"""Writes the command that runs a program in a container of an image, for each engine.

A container brings a job's software, and nothing else: it shares the node's network, its process
ids and its memory for workers, and runs as the agent's user. So the agent sees, signals and ends
what runs inside as it does outside, and an engine that is gone keeps nothing from being ended.
"""

from __future__ import annotations

import csv
import io
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elastic.engines import Engine

# By these, leftovers are found.
LABEL = "elasticd.node"
# What workers may want of the node's own environment: the rest belongs to its software, not to the
# image's.
_KEPT = ("AWS_", "CUDA_VISIBLE_DEVICES", "GLOO_", "NCCL_", "SLURM_", "TZ")
_PROXIES = ("http_proxy", "https_proxy", "no_proxy")
# The image's own PYTHONPATH stays, and elasticd comes last. `exec`: a signal reaches the program.
_ENTRY = """\
command -v python3 >/dev/null || { echo "it has no python3" >&2; exit 127; }
if [ -n "$PYTHONPATH" ]; then PYTHONPATH="$PYTHONPATH:$0"; else PYTHONPATH="$0"; fi
export PYTHONPATH
exec python3 "$@"
"""


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder of the node, at the same path inside."""

    path: Path
    is_read_only: bool = False


@dataclass(frozen=True, slots=True)
class OwnLimits:
    """What the agent itself may use; None: all that the node has."""

    cpus: float | None = None
    memory_bytes: int | None = None
    # The numbers of its cores.
    cores: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class User:
    """Whose the files are that workers write."""

    uid: int
    gid: int
    groups: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Container:
    """All that a node's containers have in common. `package` is the folder that has elasticd."""

    engine: Engine
    image: str
    node: str
    package: Path
    mounts: tuple[Mount, ...]
    user: User
    limits: OwnLimits = OwnLimits()
    has_gpus: bool = False


def container_name(container: Container) -> str:
    """A name for one more container of the node."""
    node = re.sub(r"[^A-Za-z0-9_.-]", "-", container.node)
    return f"elasticd-{node}-{uuid.uuid4().hex[:8]}"


def run_command(
    container: Container,
    arguments: Sequence[str],
    *,
    variables: Iterable[str],
    home: Path,
    cwd: Path,
    name: str,
) -> list[str]:
    """The command that runs the image's python3 with these arguments.

    Its variables are named only: the engine takes their values from its own environment, for
    everybody may read a command line. `home` is not the engine's: that keeps its own files there.

    >>> box = Container(Engine.DOCKER, "me/train:1", "node-1", Path("/e"), (), User(7, 8))
    >>> " ".join(run_command(box, ["-V"], variables=[], home=Path("/h"), cwd=Path("/w"),
    ...     name="c")[:7])
    'docker run --rm --interactive --sig-proxy=false --pull=never --name=c'
    """
    return [
        container.engine.value,
        "run",
        "--rm",
        "--interactive",
        # A signal to the agent's whole group, such as Slurm's, is not one for workers.
        "--sig-proxy=false",
        # Preparation has brought it, and said how long that took.
        "--pull=never",
        f"--name={name}",
        "--network=host",
        "--pid=host",
        "--ipc=host",
        # Its output is kept by the agent.
        "--log-driver=none",
        *_user(container),
        *_limits(container.limits),
        *_gpus(container),
        f"--label={LABEL}={container.node}",
        f"--workdir={cwd}",
        *(f"--mount={_mount(each)}" for each in _mounts(container)),
        *(f"--env={name}" for name in sorted(variables)),
        f"--env=HOME={home}",
        # Programs ask for a name, and the image may not know the user's.
        "--env=USER=elasticd",
        "--env=LOGNAME=elasticd",
        "--entrypoint=/bin/sh",
        container.image,
        "-c",
        _ENTRY,
        str(container.package),
        *arguments,
    ]


def leftovers_command(engine: Engine, node: str) -> list[str]:
    """The command that lists a node's containers, running or not."""
    return [engine.value, "ps", "--all", "--quiet", "--no-trunc", f"--filter=label={LABEL}={node}"]


def kept_variables(inherited: Mapping[str, str]) -> dict[str, str]:
    """What of the node's own environment workers in a container get.

    >>> kept_variables({"PATH": "/usr/bin", "NCCL_DEBUG": "INFO", "HTTPS_PROXY": "p"})
    {'NCCL_DEBUG': 'INFO', 'HTTPS_PROXY': 'p'}
    """
    return {
        name: value
        for name, value in inherited.items()
        if name.startswith(_KEPT) or name.lower() in _PROXIES
    }


def _user(container: Container) -> list[str]:
    user = container.user
    found = [f"--user={user.uid}:{user.gid}"]
    if container.engine is Engine.DOCKER:
        # An engine that maps users would give the files another owner, and shares no process ids.
        found.append("--userns=host")
        found += [f"--group-add={group}" for group in user.groups]
    elif user.uid:
        found.append("--userns=keep-id")
    return found


def _limits(limits: OwnLimits) -> list[str]:
    found = []
    if limits.cpus is not None:
        found.append(f"--cpus={limits.cpus:.3f}")
    if limits.memory_bytes is not None:
        found.append(f"--memory={limits.memory_bytes}")
    if limits.cores is not None:
        found.append(f"--cpuset-cpus={','.join(map(str, limits.cores))}")
    return found


def _gpus(container: Container) -> list[str]:
    if not container.has_gpus:
        return []
    if container.engine is Engine.PODMAN:
        return ["--device=nvidia.com/gpu=all"]
    return ["--gpus=all"]


def _mounts(container: Container) -> list[Mount]:
    """The mounts without those that lie within one that may be written."""
    own = Mount(container.package / "elastic", is_read_only=True)
    found: list[Mount] = []
    for each in sorted({*container.mounts, own}, key=lambda each: (each.path, each.is_read_only)):
        if not any(
            each.path.is_relative_to(other.path) and not other.is_read_only for other in found
        ):
            found.append(each)
    return found


def _mount(mount: Mount) -> str:
    """The value of `--mount`, which is one line of CSV."""
    line = io.StringIO()
    fields = ["type=bind", f"source={mount.path}", f"target={mount.path}"]
    if mount.is_read_only:
        fields.append("readonly")
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()
