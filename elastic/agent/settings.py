"""What a provider tells the agent it starts: one JSON file that only its owner may read."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elastic.errors import InvalidInput

# sun_path holds 108 bytes with its terminator; the leftovers' longer names are ordinary files.
MAX_SOCKET_PATH_BYTES = 100


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """A node's place in the world; `cpu_quota` in cores, `None` where the provider limits the node itself or not.

    `imds` says that the machine has a metadata service (`elastic.agent.imds`) which tells of its coming end.
    """

    node_id: str
    daemon_url: str
    join_token: str = field(repr=False)
    work_dir: Path
    advertise_host: str
    checkpoint_root: Path
    artifact_root: Path
    cpu_quota: float | None = None
    lease_s: float = 600.0
    imds: bool = False
    env: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.lease_s <= 0:
            raise InvalidInput(f"lease_s must be positive, got {self.lease_s}", field="lease_s")
        if self.cpu_quota is not None and self.cpu_quota <= 0:
            raise InvalidInput(f"cpu_quota must be positive or null, got {self.cpu_quota}", field="cpu_quota")

    @property
    def socket_path(self) -> Path:
        """Where workers send their datagrams; in a short place when the work folder's path is too long for a socket."""
        path = self.work_dir / "workers.socket"
        if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
            return path
        name = hashlib.sha256(os.fsencode(self.work_dir)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"elasticd-{os.getuid()}-{name}" / "workers.socket"


def read_settings(path: Path) -> AgentSettings:
    """Reads the provider's file; raises InvalidInput when it is readable by others or lacks something."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise InvalidInput(f"{path} holds a secret and must have mode 0600, found {mode:04o}: chmod 600 {path}")
    try:
        return _settings_from(json.loads(path.read_text()))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"{path}: wanted the agent's settings as one JSON object, found {error!r}") from error


def _settings_from(fields: dict[str, Any]) -> AgentSettings:
    quota = fields.get("cpu_quota")
    return AgentSettings(
        node_id=str(fields["node_id"]),
        daemon_url=str(fields["daemon_url"]).rstrip("/"),
        join_token=str(fields["join_token"]),
        work_dir=Path(fields["work_dir"]).absolute(),
        advertise_host=str(fields["advertise_host"]),
        checkpoint_root=Path(fields["checkpoint_root"]),
        artifact_root=Path(fields["artifact_root"]),
        cpu_quota=None if quota is None else float(quota),
        lease_s=float(fields.get("lease_s", 600.0)),
        imds=bool(fields.get("imds", False)),
        env={str(name): str(value) for name, value in fields.get("env", {}).items()},
    )
