"""A node's folder, by which any daemon, even a restarted one, knows the node and its state.

- `launch.json`: what was bought, with which token. It exists as soon as the folder does.
- `agent.json`: the agent's configuration, with the join token, for the owner only. It is written
  before each attempt to start the agent.
- `process.json`: the agent's process. It exists as soon as the process does (see `spawn`).
- `stop.json`: the node's end was asked for.
- `exit.json`: the node is gone, and when. The first one that proves it writes it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from elastic.errors import ProviderUnavailable
from elastic.model import Capacity, Offering
from elastic.providers.local.process import ProcessId
from elastic.providers.local.spawn import write_whole


@dataclass(frozen=True, slots=True)
class LocalLaunch:
    """What was bought."""

    node_id: str
    job_id: str
    token: str
    offering: Offering
    # In cores.
    cpu: float
    # The control group that limits it to these; None: the agent does.
    cgroup: Path | None
    # When the token was first used; the agent may have started later, or never.
    claimed_at_s: float


@dataclass(frozen=True, slots=True)
class AgentStart:
    """The agent's process, and when it was started."""

    process: ProcessId
    launched_at_s: float


@dataclass(frozen=True, slots=True)
class NodeFolder:
    """The folder of one node; it exists as a whole or not at all."""

    path: Path

    @property
    def lock(self) -> Path:
        return self.path / "lock"

    @property
    def agent_config(self) -> Path:
        return self.path / "agent.json"

    @property
    def process(self) -> Path:
        return self.path / "process.json"

    @property
    def stop(self) -> Path:
        return self.path / "stop.json"

    @property
    def exit(self) -> Path:
        return self.path / "exit.json"

    @property
    def work(self) -> Path:
        return self.path / "work"

    @property
    def logs(self) -> Path:
        return self.work / "logs"

    def create(self, launch: LocalLaunch) -> None:
        """Makes the folder in one step, unless another daemon has made it."""
        # Filled beside and renamed: the folder is complete as soon as it exists.
        partial = NodeFolder(
            Path(tempfile.mkdtemp(prefix=f".{launch.node_id}.", dir=self.path.parent))
        )
        partial.work.mkdir()
        partial.logs.mkdir()
        cgroup = None
        if launch.cgroup is not None:
            cgroup = str(launch.cgroup)
        write_whole(str(partial.path / "launch.json"), asdict(launch) | {"cgroup": cgroup})
        try:
            partial.path.rename(self.path)
        except OSError:
            shutil.rmtree(partial.path)
            if not self.path.is_dir():
                raise

    def launch(self) -> LocalLaunch | None:
        """What was bought; None if there is no such node."""
        record = _read(self.path / "launch.json")
        if record is None:
            return None
        offering = record["offering"]
        return LocalLaunch(
            node_id=record["node_id"],
            job_id=record["job_id"],
            token=record["token"],
            offering=Offering(
                offering["node_type"], Capacity(offering["capacity"]), offering["zone"]
            ),
            cpu=record["cpu"],
            cgroup=None if record["cgroup"] is None else Path(record["cgroup"]),
            claimed_at_s=record["claimed_at_s"],
        )

    def start(self) -> AgentStart | None:
        """The agent's process; None if none was ever started."""
        record = _read(self.process)
        if record is None:
            return None
        return AgentStart(
            ProcessId(record["pid"], record["start_ticks"], record["boot_id"]),
            record["launched_at_s"],
        )

    def exited_at_s(self) -> float | None:
        """When the node was gone; None until that is proven."""
        record = _read(self.exit)
        if record is None:
            return None
        return float(record["exited_at_s"])

    def record_stop(self, *, now_s: float) -> None:
        """Records that the node's end was asked for; after this its agent is never started."""
        write_whole(str(self.stop), {"asked_at_s": now_s})
        with open(self.lock, "a") as lock:
            # A start in progress holds the lock until it is recorded. Later ones see the stop.
            fcntl.flock(lock, fcntl.LOCK_EX)

    def drop_secrets(self) -> None:
        """Deletes what only a living node needs: tokens, the job's key, its secrets.

        The errors that workers left for the agent may quote a secret.
        """
        own = (self.agent_config, self.work / "agent.json", self.work / "certificate.pem")
        for path in own:
            path.unlink(missing_ok=True)
        shutil.rmtree(self.work / "torchrun", ignore_errors=True)

    def record_exit(self, *, now_s: float) -> None:
        """Records that the node is gone; the first record stays."""
        # A link, unlike a rename, fails if the file exists.
        partial = self.path / f"exit.{os.getpid()}.{os.urandom(4).hex()}"
        write_whole(str(partial), {"exited_at_s": now_s})
        try:
            os.link(partial, self.exit)
        except FileExistsError:
            pass
        finally:
            partial.unlink()


def _read(path: Path) -> dict[str, Any] | None:
    try:
        record = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ProviderUnavailable(
            f"{path}: wanted the record of a local node, found a file that cannot be read "
            f"({error}); if no process of that node is left, move its folder away"
        ) from error
    if not isinstance(record, dict):
        raise ProviderUnavailable(
            f"{path}: wanted a JSON object, found {type(record).__name__}; move the folder away"
        )
    return record
