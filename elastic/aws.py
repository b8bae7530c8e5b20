"""AWS clients that keep looking for credentials.

A host may run for a while before its metadata service has any.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

import boto3


def session_in(region: str | None, told: Callable[[float], None] | None = None) -> boto3.Session:
    """A session in `region`, else where AWS_REGION or the profile says.

    `told` is called with the time that each answer names, a refusal's too, in Unix seconds.
    """
    # boto3 itself reads only AWS_DEFAULT_REGION; the AWS CLI and others read AWS_REGION too.
    session = boto3.Session(region_name=region or os.environ.get("AWS_REGION"))
    if told is not None:
        session.events.register("after-call", partial(_tell_time, told))
    return session


def _tell_time(told: Callable[[float], None], http_response: Any, **_: Any) -> None:
    try:
        at_s = parsedate_to_datetime(http_response.headers["Date"]).timestamp()
    except (KeyError, TypeError, ValueError):  # a proxy may leave it out
        return
    told(at_s)


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
