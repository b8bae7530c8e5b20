"""The agent's calls to the daemon; neither silence nor a refusal raises."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import httpx2

import elastic
from elastic.agent.mask import Mask
from elastic.durations import ANSWER_TIMEOUT_S, MOMENT_S, TRANSFER_TIMEOUT_S
from elastic.errors import InvalidInput
from elastic.model import Setup
from elastic.protocol import (
    PROTOCOL,
    Heartbeat,
    HeartbeatReply,
    LogBatch,
    Registered,
    Registration,
    from_json,
    require_same_major,
    to_json,
)
from elastic.trust import is_refused_key, trust_for

# Status codes that the same request would get again.
_REFUSED = frozenset({400, 404, 409, 413, 415, 422})
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refused:
    """The daemon refuses this request for good: which fields are wrong, and why."""

    faults: Mapping[str, str]


class DaemonClient:
    """Speaks with one daemon for one machine, and with no other that is at its addresses.

    It may be at any of `daemon_urls`, and move from one to another as a standby takes over. An
    address that gives no valid answer is followed by the next. `certificate` (PEM) is what the
    daemon's is checked by at each; empty only for plain HTTP. What `mask` knows is sent in no
    message. Raises InvalidInput for plain HTTP to another machine.
    """

    def __init__(
        self,
        *daemon_urls: str,
        instance_id: str,
        certificate: str = "",
        mask: Mask | None = None,
        timeout_s: float = ANSWER_TIMEOUT_S,
    ) -> None:
        self._instance_id = instance_id
        self._mask = mask or Mask()
        # Addresses at which another one than the daemon answered.
        self._impostors: set[str] = set()
        # The daemon is given by address. A proxy in the environment is for the job's own traffic.
        self._clients = [
            httpx2.Client(
                base_url=each,
                timeout=timeout_s,
                # A new connection waits for its turn at the daemon, which closes one that was
                # silent for 30 s. httpx's own 5 s are no longer than heartbeats may be apart.
                limits=httpx2.Limits(keepalive_expiry=2 * ANSWER_TIMEOUT_S),
                trust_env=False,
                # Nodes are given addresses of the daemon, whatever its certificate calls them.
                verify=trust_for(each, certificate, checks_name=False),
            )
            for each in daemon_urls
        ]
        self._at = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for each in self._clients:
            each.close()

    @property
    def _http(self) -> httpx2.Client:
        return self._clients[self._at]

    def _look_elsewhere(self, silent: httpx2.Client) -> None:
        """Goes on to the next address, unless another thread has done so."""
        if silent is self._http:
            self._at = (self._at + 1) % len(self._clients)

    def register(self, join_token: str, *, setup: Setup | None = None) -> Registered | None:
        """Exchanges the join token for the node's own; None if the daemon is silent or refuses.

        Raises InvalidInput if it speaks another protocol: asking again changes nothing.
        """
        registration = Registration(
            protocol=PROTOCOL,
            join_token=join_token,
            instance_id=self._instance_id,
            agent_version=elastic.__version__,
            pid=os.getpid(),
            hostname=socket.gethostname(),
            setup=setup,
        )
        answer = self._post("/v1/agent/register", registration)
        if isinstance(answer, Refused) and "protocol" in answer.faults:
            raise InvalidInput(answer.faults["protocol"], field="protocol")
        if answer is None or isinstance(answer, Refused):
            return None
        try:
            registered = from_json(Registered, answer)
        except InvalidInput as error:
            log.warning("the answer to the registration: %s", error)
            return None
        require_same_major(registered.protocol, who="the daemon")
        return registered

    def is_listening(self) -> bool:
        """Whether an address of the daemon accepts connections; the next call goes there."""
        for _ in self._clients:
            here = self._http
            if _accepts(here.base_url):
                return True
            self._look_elsewhere(here)
        return False

    def heartbeat(
        self, heartbeat: Heartbeat, *, node_token: str
    ) -> HeartbeatReply | Refused | None:
        """Sends the node's state; None when there was no valid answer."""
        answer = self._post("/v1/agent/heartbeat", heartbeat, token=node_token)
        if answer is None or isinstance(answer, Refused):
            return answer
        try:
            return from_json(HeartbeatReply, answer)
        except InvalidInput as error:
            log.warning("the answer to the heartbeat: %s", error)
            return None

    def send_logs(self, batch: LogBatch, *, node_token: str) -> bool | None:
        """Sends log lines: True if stored, False if refused for good, None without an answer."""
        answer = self._post("/v1/agent/logs", batch, token=node_token)
        if isinstance(answer, Refused):
            return False
        return None if answer is None else True

    def code(self, *, node_id: str, node_token: str) -> bytes | None:
        """The archive of the job's code; None if the daemon does not send it."""
        query = {"node_id": node_id, "instance_id": self._instance_id}
        http = self._http
        try:
            response = http.get(
                "/v1/agent/code",
                params=query,
                headers={"Authorization": f"Bearer {node_token}"},
                timeout=TRANSFER_TIMEOUT_S,
            )
        except httpx2.HTTPError as error:
            self._note(http, error, "GET /v1/agent/code")
        else:
            if response.is_success:
                return response.content
            log.warning("GET /v1/agent/code: %s %s", response.status_code, response.text[:300])
        self._look_elsewhere(http)
        return None

    def _post(self, path: str, message: object, *, token: str | None = None) -> object:
        """Returns the JSON of the answer, or `Refused`.

        None if there is no answer, or if the daemon may take it later.
        """
        headers = {}
        if token:
            headers = {"Authorization": f"Bearer {token}"}
        http = self._http
        try:
            response = http.post(path, json=self._mask.covered(to_json(message)), headers=headers)
            if response.is_success:
                return response.json()
            # The body of a refusal says why; it never holds a secret of ours.
            log.warning("POST %s: %s %s", path, response.status_code, response.text[:300])
            if response.status_code in _REFUSED:
                return _refused(response)
        except (httpx2.HTTPError, ValueError) as error:
            self._note(http, error, f"POST {path}")
        self._look_elsewhere(http)
        return None

    def _note(self, http: httpx2.Client, error: Exception, asked: str) -> None:
        """Logs why there was no answer; once for each address at which another one answered."""
        url = str(http.base_url)
        if not is_refused_key(error):
            log.debug("%s: %r", asked, error)
        elif url not in self._impostors:
            self._impostors.add(url)
            log.error(
                "what answers at %s is not this node's daemon: wanted the certificate that the "
                "node was launched with, found another. It is sent nothing, and asked again until "
                "the lease is over",
                url,
            )


def _accepts(url: httpx2.URL) -> bool:
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        socket.create_connection((url.host, port), timeout=MOMENT_S).close()
    except OSError:
        return False
    return True


def _refused(response: httpx2.Response) -> Refused:
    """What a problem document (RFC 9457) says; an answer that is none names no field."""
    faults: dict[str, str] = {}
    with contextlib.suppress(ValueError, TypeError, KeyError):
        faults = {str(each["field"]): str(each["message"]) for each in response.json()["errors"]}
    return Refused(faults)
