"""Keeps the token from other users of this machine, who may listen where a daemon did."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from elastic.errors import Unauthorized
from elastic.rendezvous import listeners_at
from elastic.trust import is_loopback


def is_there(url: str, *, owner: int) -> bool:
    """Whether a process of the token's owner, of this user or of root listens at the address.

    True, too, where that needs no proof or has another: beyond this machine there is TLS. Raises
    Unauthorized for a process of another user.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "http" or not is_loopback(host):
        return True
    users = listeners_at(host, parts.port or 80)
    if users is None:
        return True
    if users <= {owner, os.geteuid(), 0}:
        return bool(users)
    raise Unauthorized(
        f"wanted a daemon at {url}, found a process of another user of this machine "
        f"({', '.join(map(str, sorted(users)))}): the token was not sent. Start `elasticd serve` "
        "at another port; if that user's daemon is meant, set ELASTICD_TOKEN"
    )
