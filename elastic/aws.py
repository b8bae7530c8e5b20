"""AWS clients that find credentials when they come, and when they are renewed.

A host may run for a while before its metadata service has any. A person may renew those in a file
while the daemon runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import boto3
import botocore.session
from botocore.credentials import ReadOnlyCredentials
from botocore.exceptions import BotoCoreError, NoRegionError

from elastic.errors import InvalidInput

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
# How AWS says which policy refused a call (IAM User Guide, "Troubleshoot access denied errors").
_DENIED_BY = re.compile(r"explicit deny in an? ([\w -]+?(?:policy|boundary))")
_NOT_ALLOWED_BY = re.compile(r"because no ([\w -]+?(?:policy|boundary)) allows")
_ENCODED = "Encoded authorization failure message:"


def without_code(message: str) -> str:
    """A message of AWS without the text that only administrators can decode.

    It may have some thousand characters, and CloudTrail keeps it.

    >>> without_code("You are not authorized. Encoded authorization failure message: nwq907")
    'You are not authorized.'
    """
    return message.partition(_ENCODED)[0].rstrip()


def beyond_own_policy(message: str) -> str | None:
    """What a person has to do where the caller's own policy is not what refuses a call; None where
    it is, or where AWS does not say.

    >>> print(beyond_own_policy("... with an explicit deny in an identity-based policy. Encoded"))
    an identity-based policy denies it, and no other policy overrides that: have that one changed
    >>> told = beyond_own_policy("... with an explicit deny in a service control policy. Encoded")
    >>> print(told.partition("changed, ")[2])
    or set ec2.tags if it wants tags on machines
    >>> beyond_own_policy("... because no permissions boundary allows the ec2:CreateFleet action")
    'no permissions boundary allows it: have it allowed there, too'
    >>> beyond_own_policy("... because no identity-based policy allows the ec2:CreateFleet action")
    """
    if (denied := _DENIED_BY.search(message)) is not None:
        kind = denied[1]
        article = "an" if kind[0] in "aeiou" else "a"
        told = (
            f"{article} {kind} denies it, and no other policy overrides that: have that one changed"
        )
        if kind == "service control policy":
            told += ", or set ec2.tags if it wants tags on machines"
        return told
    missing = _NOT_ALLOWED_BY.search(message)
    if missing is None or missing[1] == "identity-based policy":
        return None
    return f"no {missing[1]} allows it: have it allowed there, too"


def session_in(region: str | None) -> boto3.Session:
    """A session in `region`, else where AWS_REGION or the profile says."""
    # boto3 itself reads only AWS_DEFAULT_REGION; the AWS CLI and others read AWS_REGION too.
    return boto3.Session(region_name=region or os.environ.get("AWS_REGION"))


def patient_session_in(region: str | None) -> boto3.Session:
    """A session that is more patient with the metadata service than botocore's one try of 1 s.

    The environment's own settings come first.
    """
    session = botocore.session.get_session()
    for name, value in (("metadata_service_timeout", 3), ("metadata_service_num_attempts", 4)):
        if f"AWS_{name.upper()}" not in os.environ:
            session.set_config_variable(name, value)
    named = region or os.environ.get("AWS_REGION")
    return boto3.Session(region_name=named, botocore_session=session)


def wrong_region(region: str | None, error: Exception) -> InvalidInput:
    """Says that there is no region, or that it is none."""
    text = f"ec2.region: wanted a region that AWS knows, got {region!r}: {error}"
    if isinstance(error, NoRegionError):
        text = (
            "ec2.region: wanted the region of the machines, found none: set it in elasticd.toml, "
            "or AWS_REGION"
        )
    return InvalidInput(text, field="ec2.region")


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
