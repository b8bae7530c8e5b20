"""What EC2 tells a machine about itself: the instance metadata service, version 2."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from elastic.durations import CONNECT_TIMEOUT_S, HOUR_S
from elastic.errors import ProviderUnavailable

ADDRESS = "http://169.254.169.254"
# The variable that AWS's own tools read for another address of the service.
ADDRESS_VARIABLE = "AWS_EC2_METADATA_SERVICE_ENDPOINT"

_TOKEN_HEADER = "X-aws-ec2-metadata-token"
_TTL_HEADER = "X-aws-ec2-metadata-token-ttl-seconds"


@dataclass(frozen=True, slots=True)
class SpotAction:
    """The cloud reclaims its machine at `at_s` (Unix seconds).

    `action` is terminate, stop or hibernate.
    """

    action: str
    at_s: float


# Not botocore's IMDSFetcher. It asks through the proxy that the environment names, asks without a
# token if it gets none, and takes "no notice" (404) for a failure. Its methods are private, and
# importing it costs an agent 60 ms and 3.6 MiB.
class Imds:
    """Asks the service at every call.

    Every call raises ProviderUnavailable without a valid answer.
    """

    def __init__(self, url: str, *, timeout_s: float = CONNECT_TIMEOUT_S) -> None:
        self._url = urlsplit(url)
        self._timeout_s = timeout_s
        self._token: str | None = None

    def instance_id(self) -> str:
        """The machine's own id."""
        return self._wanted("meta-data/instance-id")

    def local_ipv4(self) -> str:
        """The machine's own address."""
        return self._wanted("meta-data/local-ipv4")

    def spot_action(self) -> SpotAction | None:
        """The end that the cloud announced for this spot machine, or None."""
        text = self._ask("meta-data/spot/instance-action")
        if text is None:
            return None
        return SpotAction(_field(text, "action"), _instant(_field(text, "time")))

    def rebalance(self) -> float | None:
        """When the cloud warned that this machine is at a higher risk than others, or None."""
        text = self._ask("meta-data/events/recommendations/rebalance")
        if text is None:
            return None
        return _instant(_field(text, "noticeTime"))

    def _wanted(self, path: str) -> str:
        text = self._ask(path)
        if text is None:
            raise ProviderUnavailable(f"metadata service: wanted {path}, found nothing there")
        return text

    def _ask(self, path: str) -> str | None:
        """The document at a path; None if there is none. An expired token is renewed once."""
        for _ in range(2):
            if self._token is None:
                self._token = self._new_token()
            status, text = self._send("GET", path, {_TOKEN_HEADER: self._token})
            if status == http.client.OK:
                return text
            if status == http.client.NOT_FOUND:
                return None
            # The token may have expired.
            self._token = None
            if status != http.client.UNAUTHORIZED:
                break
        raise ProviderUnavailable(f"metadata service: wanted {path}, got status {status}")

    def _new_token(self) -> str:
        status, token = self._send("PUT", "api/token", {_TTL_HEADER: str(round(HOUR_S))})
        if status != http.client.OK:
            raise ProviderUnavailable(f"metadata service: wanted a token, got status {status}")
        return token

    def _send(self, method: str, path: str, headers: Mapping[str, str]) -> tuple[int, str]:
        # Never use a proxy: the one in the environment is for the job's own traffic.
        connection = http.client.HTTPConnection(
            self._url.hostname or "", self._url.port or 80, timeout=self._timeout_s
        )
        try:
            connection.request(method, f"/latest/{path}", headers=dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise ProviderUnavailable(f"metadata service: {method} {path}: {error!r}") from error
        finally:
            connection.close()


def imds_url(environment: Mapping[str, str] = os.environ) -> str:
    """The address of the service: link-local, unless the environment overrides it.

    >>> imds_url({})
    'http://169.254.169.254'
    """
    return environment.get(ADDRESS_VARIABLE) or ADDRESS


def _field(text: str, name: str) -> str:
    """A field of a JSON object, which must be a text."""
    try:
        told = json.loads(text)
        if isinstance(told, dict) and isinstance(told.get(name), str):
            return str(told[name])
    except ValueError:
        pass  # invalid JSON is handled like JSON of the wrong shape
    raise ProviderUnavailable(
        f"metadata service: wanted a JSON object with a text {name!r}, got {text[:200]!r}"
    )


def _instant(text: str) -> float:
    """Unix seconds of an instant.

    >>> _instant("2017-09-18T08:22:00Z")
    1505722920.0
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise ProviderUnavailable(
            f"metadata service: wanted an instant, got {text[:200]!r}"
        ) from error
    return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()
