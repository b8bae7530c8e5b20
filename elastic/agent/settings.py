"""The settings that a provider gives its agent: one JSON file that only its owner may read."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elastic.checkpoints import Location, is_location, parse_location
from elastic.durations import LEASE_S
from elastic.errors import InvalidInput
from elastic.model import Setup


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """An agent's settings. `instance_id` is the provider's name for the machine."""

    instance_id: str
    daemon_url: str
    join_token: str = field(repr=False)
    work_dir: Path
    advertise_host: str
    # The folders that scripts write into.
    checkpoint_root: Path
    artifact_root: Path
    # Where else the daemon may be, or one that took over.
    other_urls: tuple[str, ...] = ()
    # The only certificate that the agent trusts, as PEM; empty only for plain HTTP on this machine.
    daemon_certificate: str = ""
    # Cores, None if the agent sets no limit.
    cpu_quota: float | None = None
    lease_s: float = LEASE_S
    # Whether the machine has a metadata service (`elastic.agent.imds`), which announces its end.
    imds: bool = False
    # A file that announces the machine's end once it is there (`elastic.agent.watcher`).
    notice_file: Path | None = None
    # Where the agent stores what is in them, None if all nodes share the folders.
    storage: Location | None = None
    # The storage's region, None if the environment names it.
    region: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    # What installing took, None if it was not measured.
    setup: Setup | None = None
    # Keeps what jobs bring for all nodes of this machine, None if there is one node.
    shared_cache: Path | None = None
    # Whether the machine is the job's alone, so that its agent may install a container engine.
    may_install: bool = False

    def __post_init__(self) -> None:
        if self.lease_s <= 0:
            raise InvalidInput(f"lease_s must be positive, got {self.lease_s}", field="lease_s")
        if self.cpu_quota is not None and self.cpu_quota <= 0:
            raise InvalidInput(
                f"cpu_quota must be positive or null, got {self.cpu_quota}", field="cpu_quota"
            )

    @property
    def daemon_urls(self) -> tuple[str, ...]:
        """Every address at which the daemon may be, the likeliest first."""
        return self.daemon_url, *self.other_urls

    @property
    def log_dir(self) -> Path:
        """The folder of torchrun's and the workers' logs; `elastic.agent.logs` knows the files."""
        return self.work_dir / "logs"

    @property
    def code_dir(self) -> Path:
        """The folder that workers run in: the job's code, if any, and what they write."""
        return self.work_dir / "code"

    @property
    def code_archive(self) -> Path:
        """The archive that `code_dir` was unpacked from."""
        return self.work_dir / "code.zip"

    @property
    def cache_dir(self) -> Path:
        """The folder for packages and data that jobs bring."""
        if self.shared_cache is None:
            return self.work_dir / "cache"
        return self.shared_cache

    @property
    def socket_path(self) -> Path:
        """The socket to which workers send; `elastic.worker.unix_address` handles long paths."""
        return self.work_dir / "workers.socket"

    @property
    def barrier_path(self) -> Path:
        """Where workers ask whether their checkpoint folder is filled."""
        return self.work_dir / "barrier.socket"

    @property
    def rounds_path(self) -> Path:
        """Where workers have rounds of their session recorded."""
        return self.work_dir / "rounds.socket"


def read_settings(path: Path) -> AgentSettings:
    """Reads the provider's file.

    Raises InvalidInput if others can read the file, or if it lacks something.
    """
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise InvalidInput(
            f"{path} holds a secret and must have mode 0600, found {mode:04o}: chmod 600 {path}"
        )
    try:
        return _settings_from(json.loads(path.read_text()))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(
            f"{path}: wanted the agent's settings as one JSON object, found {error!r}"
        ) from error


def _settings_from(fields: dict[str, Any]) -> AgentSettings:
    # Not at the top: in a container of the job's image the spawner imports this package too, and
    # pydantic need not be there.
    from elastic.protocol import from_json

    given = {name: value for name, value in fields.items() if value is not None}
    for name in ("work_dir", "shared_cache", "notice_file"):
        if name in given:
            given[name] = Path(given[name]).absolute()
    root = str(given["checkpoint_root"])
    if is_location(root):
        if given["artifact_root"] != root:
            raise InvalidInput(
                f"artifact_root: wanted {root} as well, got {given['artifact_root']}",
                field="artifact_root",
            )
        given["storage"] = parse_location(root)
        given["checkpoint_root"] = given["artifact_root"] = given["work_dir"] / "jobs"
    if "setup_s" in given:
        given["setup"] = Setup(float(given["setup_s"]), int(given["setup_bytes"]))
    given["daemon_url"] = given["daemon_url"].rstrip("/")
    given["other_urls"] = [each.rstrip("/") for each in given.get("other_urls", ())]
    return from_json(AgentSettings, given)
