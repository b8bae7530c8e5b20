"""AWS clients that keep looking for credentials.

A host may run for a while before its metadata service has any.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import boto3


def session_in(region: str | None) -> boto3.Session:
    """A session in `region`, else where AWS_REGION or the profile says."""
    # boto3 itself reads only AWS_DEFAULT_REGION; the AWS CLI and others read AWS_REGION too.
    return boto3.Session(region_name=region or os.environ.get("AWS_REGION"))


class LateClient:
    """boto3's client for `service`, replaced at each use until it has credentials."""

    # A client that is made without credentials never looks again. Its session does, since it
    # remembers credentials but not that it found none.

    def __init__(self, session: boto3.Session, service: Any, **options: Any) -> None:
        self._session = session
        self._make = partial(session.client, service, **options)
        self._has_credentials = session.get_credentials() is not None
        self._client: Any = self._make()

    def __getattr__(self, name: str) -> Any:
        if not self._has_credentials and self._session.get_credentials() is not None:
            self._client = self._make()
            self._has_credentials = True
        return getattr(self._client, name)
