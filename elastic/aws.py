"""Clients of AWS that go on looking for credentials: a host may run before its metadata service
tells any."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import boto3


def session_in(region: str | None) -> boto3.Session:
    """A session in `region`, else where AWS_REGION or the profile says."""
    # boto3 itself heeds AWS_DEFAULT_REGION only; AWS's other programs know this name as well.
    return boto3.Session(region_name=region or os.environ.get("AWS_REGION"))


class LateClient:
    """boto3's client for `service`, made anew until there are credentials: one made without them
    never looks again.

    A session remembers credentials, but not that it found none: each use of a client that has none
    looks once more.
    """

    def __init__(self, session: boto3.Session, service: Any, **options: Any) -> None:
        self._session = session
        self._make = partial(session.client, service, **options)
        self._has_credentials = session.get_credentials() is not None
        self._client: Any = self._make()

    def __getattr__(self, name: str) -> Any:
        if not self._has_credentials and self._session.get_credentials() is not None:
            self._client, self._has_credentials = self._make(), True
        return getattr(self._client, name)
