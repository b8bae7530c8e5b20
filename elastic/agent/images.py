"""Brings a job's image to this node, checks it, and removes what its containers leave."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import elastic
from elastic.agent.commands import Commands
from elastic.agent.container import (
    Container,
    Mount,
    User,
    container_name,
    leftovers_command,
    run_command,
)
from elastic.agent.own_limits import own_limits
from elastic.agent.settings import AgentSettings
from elastic.durations import TRANSFER_TIMEOUT_S
from elastic.engines import Engine, find_engine
from elastic.errors import PreparationFailed

# What an image must bring. It imports nothing of torch: that takes seconds, and the spawner will.
_CHECK = """\
import sys
found = "%d.%d.%d" % sys.version_info[:3]
if sys.version_info < (3, 11):
    sys.exit("wanted Python 3.11 or newer in it, found %s" % found)
from importlib.metadata import PackageNotFoundError, version
try:
    print("Python %s, torch %s" % (found, version("torch")))
except PackageNotFoundError:
    sys.exit("wanted torch in it, found none for its python3")
"""
# For the systems that the default bootstrap of EC2 knows (`elastic.providers.ec2.user_data`). The
# job's own variables are for its image.
_INSTALL = """\
unset PYTHONHOME PYTHONPATH
if ! command -v docker >/dev/null; then
  if command -v dnf >/dev/null; then
    dnf install -q -y docker
  else
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y -o DPkg::Lock::Timeout=120 docker.io
  fi
fi
systemctl start docker
"""
# There is one wherever NVIDIA's driver is loaded.
_GPU_DEVICE = Path("/dev/nvidiactl")


def install_engine(*, commands: Commands, cwd: Path) -> None:
    """Installs and starts docker on this node. Raises PreparationFailed."""
    what = "installing docker, which ec2.bootstrap may do instead,"
    commands.run(["/bin/sh", "-euc", _INSTALL], what=what, cwd=cwd)


def engine_here(image: str) -> Engine:
    """The engine of this node. Raises PreparationFailed."""
    found = find_engine()
    if found.engine is None:
        raise PreparationFailed(
            f"image {image}: wanted a container engine on this node, found none ({found.said}); "
            "install docker or podman there (on EC2 by ec2.bootstrap) and let this user use it, or "
            "take `image` out"
        )
    return found.engine


def container_for(
    image: str, engine: Engine, *, settings: AgentSettings, folders: Iterable[Path]
) -> Container:
    """The container that workers of this node run in; `folders` are further ones they may write."""
    written = (settings.work_dir, settings.checkpoint_root, settings.artifact_root)
    for folder in (*written, settings.cache_dir):
        folder.mkdir(parents=True, exist_ok=True)
    return Container(
        engine=engine,
        image=image,
        node=settings.instance_id,
        package=Path(elastic.__file__).parents[1],
        mounts=(
            *(Mount(each) for each in (*written, *folders)),
            Mount(settings.cache_dir, is_read_only=True),
        ),
        user=User(os.getuid(), os.getgid(), tuple(os.getgroups())),
        limits=own_limits(),
        has_gpus=_GPU_DEVICE.exists(),
    )


def is_here(engine: Engine, image: str) -> bool:
    """Whether the node has the image already."""
    return _ask([engine, "image", "inspect", "--format={{.Id}}", image]) is not None


def pull(engine: Engine, image: str, *, commands: Commands, cwd: Path) -> None:
    """Brings the image from its registry. Raises PreparationFailed."""
    commands.run([engine, "pull", image], what=f"{engine} pull {image}", cwd=cwd)


def check(container: Container, *, commands: Commands, cwd: Path) -> None:
    """Raises PreparationFailed where workers cannot run in the image."""
    command = run_command(
        container,
        ["-c", _CHECK],
        variables=(),
        home=cwd,
        cwd=cwd,
        name=container_name(container),
    )
    commands.run(command, what=f"the check of image {container.image}", cwd=cwd)


def remove_containers(engine: Engine, node: str) -> None:
    """Ends and removes every container of a node; what is not there is removed."""
    listed = _ask(leftovers_command(engine, node))
    if listed:
        remove(engine, listed.split())


def remove(engine: Engine, names: Iterable[str]) -> None:
    """Ends and removes these containers, as far as they are there."""
    _ask([engine, "rm", "--force", *names])


def _ask(command: list[str]) -> str | None:
    """What a command of the engine prints; None if it fails."""
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TRANSFER_TIMEOUT_S,
            check=False,
        )
        if done.returncode == 0:
            return done.stdout
    return None
