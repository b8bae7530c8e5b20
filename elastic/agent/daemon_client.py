"""The agent's calls to the daemon; silence and refusal are answers too, so neither raises."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import TracebackType
from typing import Any, Self

import httpx2

import elastic
from elastic.agent.preparing import Brings, brings_from
from elastic.agent.wire import HeartbeatReply, reply_from
from elastic.errors import InvalidInput
from elastic.model import Setup
from elastic.trust import trust_for

TIMEOUT_S = 10.0
CODE_TIMEOUT_S = 60.0
LOOK_TIMEOUT_S = 0.5
_REFUSED = frozenset({400, 404, 409, 413, 415, 422})
"""Answers that the same request gets again."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Registration:
    """What a machine gets for its join token.

    `command` is what it will run, empty if the daemon did not say; `code` the sum of the archive that it runs in, None
    where there is none; `brings` what else its job brings.
    """

    node_id: str
    node_token: str
    heartbeat_interval_s: float
    lease_s: float
    command: tuple[str, ...] = ()
    code: str | None = None
    brings: Brings = field(default_factory=Brings)


class DaemonClient:
    """Speaks with one daemon for one machine."""

    def __init__(self, daemon_url: str, *, instance_id: str, timeout_s: float = TIMEOUT_S) -> None:
        self._instance_id = instance_id
        # The daemon is given by address: a proxy that the environment names is for the job's own traffic.
        self._http = httpx2.Client(
            base_url=daemon_url, timeout=timeout_s, trust_env=False, verify=trust_for(daemon_url)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def register(self, join_token: str, *, setup: Setup | None = None) -> Registration | None:
        """Exchanges the join token for the node's own; None when the daemon does not answer or refuses."""
        content = self._post(
            "/v1/agent/register",
            {
                "join_token": join_token,
                "instance_id": self._instance_id,
                "agent_version": elastic.__version__,
                "pid": os.getpid(),
                "hostname": socket.gethostname(),
                "setup": None if setup is None else asdict(setup),
            },
        )
        if content is None:
            return None
        try:
            return Registration(
                node_id=str(content["node_id"]),
                node_token=str(content["node_token"]),
                heartbeat_interval_s=float(content["heartbeat_interval_s"]),
                lease_s=float(content["lease_s"]),
                command=tuple(str(part) for part in content.get("command", ())),
                code=None if content.get("code") is None else str(content["code"]),
                brings=brings_from(content.get("brings")),
            )
        except (KeyError, TypeError, ValueError) as error:
            log.warning("the daemon's answer to register is not one: %r", error)
            return None

    def is_listening(self) -> bool:
        """Whether anybody takes connections where the daemon is to be found."""
        url = self._http.base_url
        try:
            port = url.port or (443 if url.scheme == "https" else 80)
            socket.create_connection((url.host, port), timeout=LOOK_TIMEOUT_S).close()
        except OSError:
            return False
        return True

    def heartbeat(self, report: Mapping[str, Any], *, node_id: str, node_token: str) -> HeartbeatReply | None:
        """Sends the node's state; None when there was no valid answer."""
        body = {"node_id": node_id, "instance_id": self._instance_id, **report}
        content = self._post("/v1/agent/heartbeat", body, token=node_token)
        try:
            return None if content is None else reply_from(content)
        except InvalidInput as error:
            log.warning("%s", error)
            return None

    def send_logs(self, batch: Mapping[str, Any], *, node_id: str, node_token: str) -> bool | None:
        """Sends lines of logs: True if they are stored, False if they never will be, None if there was no answer."""
        body = {"node_id": node_id, "instance_id": self._instance_id, **batch}
        try:
            response = self._http.post("/v1/agent/logs", json=body, headers={"Authorization": f"Bearer {node_token}"})
        except httpx2.HTTPError as error:
            log.debug("POST /v1/agent/logs: %r", error)
            return None
        if response.is_success:
            return True
        log.warning("POST /v1/agent/logs: %s %s", response.status_code, response.text[:300])
        return False if response.status_code in _REFUSED else None

    def code(self, *, node_id: str, node_token: str) -> bytes | None:
        """The archive of the code that this node's job brings along; None when the daemon does not give it."""
        query = {"node_id": node_id, "instance_id": self._instance_id}
        try:
            response = self._http.get(
                "/v1/agent/code",
                params=query,
                headers={"Authorization": f"Bearer {node_token}"},
                timeout=CODE_TIMEOUT_S,
            )
        except httpx2.HTTPError as error:
            log.warning("GET /v1/agent/code: %r", error)
            return None
        if response.is_success:
            return response.content
        log.warning("GET /v1/agent/code: %s %s", response.status_code, response.text[:300])
        return None

    def _post(self, path: str, body: Mapping[str, Any], *, token: str | None = None) -> dict[str, Any] | None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            response = self._http.post(path, json=body, headers=headers)
            if response.is_success:
                content = response.json()
                return content if isinstance(content, dict) else None
            # The body of a refusal says why; it never holds a secret of ours.
            log.warning("POST %s: %s %s", path, response.status_code, response.text[:300])
        except (httpx2.HTTPError, ValueError) as error:
            log.debug("POST %s: %r", path, error)
        return None
