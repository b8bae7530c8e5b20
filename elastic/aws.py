"""AWS clients that find credentials when they come, and when they are renewed.

A host may run for a while before its metadata service has any. A person may renew those in a file
while the daemon runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import boto3
from botocore.credentials import ReadOnlyCredentials
from botocore.exceptions import BotoCoreError

# The codes of services that do not accept credentials, or no longer.
NOT_ACCEPTED = frozenset(
    {
        "AuthFailure",
        "ExpiredToken",
        "ExpiredTokenException",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidToken",
        "RequestExpired",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)


def session_in(region: str | None) -> boto3.Session:
    """A session in `region`, else where AWS_REGION or the profile says."""
    # boto3 itself reads only AWS_DEFAULT_REGION; the AWS CLI and others read AWS_REGION too.
    return boto3.Session(region_name=region or os.environ.get("AWS_REGION"))


class AwsAccess:
    """Clients of AWS that share credentials, which are looked for again while there are none, and
    after an answer that does not accept them.

    `make_session` makes a session that has read nothing yet. `told` is called with the time that
    each answer names, a refusal's too, in Unix seconds.
    """

    # A client and a session never look again once they have found credentials in a file.

    def __init__(
        self,
        make_session: Callable[[], boto3.Session],
        told: Callable[[float], None] | None = None,
    ) -> None:
        self._make_session = make_session
        self._told = told
        self.session = self._new_session()
        self._credentials = _credentials_of(self.session)
        self._must_look = self._credentials is None

    def client(self, service: Any, **options: Any) -> Any:
        """boto3's client for `service`. boto3 makes its methods at run time, hence `Any`."""
        return _Client(self, service, options)

    def current(self) -> boto3.Session:
        """The session with the newest credentials."""
        if self._must_look:
            fresh = self._new_session()
            found = _credentials_of(fresh)
            self._must_look = found is None
            if found not in (None, self._credentials):
                self.session, self._credentials = fresh, found
        return self.session

    def _new_session(self) -> boto3.Session:
        session = self._make_session()
        session.events.register("after-call", self._heard)
        return session

    def _heard(self, http_response: Any, parsed: Mapping[str, Any], **_: Any) -> None:
        if parsed.get("Error", {}).get("Code") in NOT_ACCEPTED:
            self._must_look = True
        if self._told is None:
            return
        try:
            at_s = parsedate_to_datetime(http_response.headers["Date"]).timestamp()
        except (KeyError, TypeError, ValueError):  # a proxy may leave it out
            return
        self._told(at_s)


class _Client:
    """A client that is made again when its access has another session."""

    def __init__(self, access: AwsAccess, service: Any, options: Mapping[str, Any]) -> None:
        self._access = access
        self._service = service
        self._options = options
        self._session = access.session
        self._client = self._made()

    def __getattr__(self, name: str) -> Any:
        session = self._access.current()
        if session is not self._session:
            self._session = session
            self._client = self._made()
        return getattr(self._client, name)

    def _made(self) -> Any:
        return self._session.client(self._service, **self._options)


def _credentials_of(session: boto3.Session) -> ReadOnlyCredentials | None:
    try:
        found = session.get_credentials()
        if found is None:
            return None
        return found.get_frozen_credentials()
    except BotoCoreError:  # a source that has none now, such as one whose login is over
        return None
