"""Asking the daemon until it answers, for as long as this node may live."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from elastic.agent.lease import Lease
from elastic.agent.settings import AgentSettings
from elastic.archive import sum_of, unpack
from elastic.clock import SystemClock
from elastic.durations import RETRY_S, SELDOM_S
from elastic.errors import DaemonUnreachable
from elastic.retrying import retried

Answer = TypeVar("Answer")
log = logging.getLogger(__name__)


def ask_until_answered(ask: Callable[[], Answer | None], lease: Lease) -> Answer | None:
    """Gives the first answer that is not None; None once the lease is over."""

    def answered() -> Answer:
        if lease.is_over or (answer := ask()) is None:
            raise DaemonUnreachable("the daemon did not answer this node")
        return answer

    with suppress(DaemonUnreachable):
        return retried(
            answered,
            on=DaemonUnreachable,
            first_s=RETRY_S,
            # A sixtieth of the default lease: a node that can live on sends its heartbeat in time.
            longest_s=SELDOM_S,
            left_s=lambda: lease.left_s,
            sleep=SystemClock().sleep,
        )
    return None


def bring_code(
    settings: AgentSettings, sha256: str, *, fetch: Callable[[], bytes | None], lease: Lease
) -> bool:
    """Fills the node's code folder, unless it exists; False if the code does not come in time.

    The code is right if its archive's checksum is `sha256`.

    Raises InvalidInput if the bytes are no archive, though the checksum is right.
    """
    if settings.code_dir.is_dir():
        return True

    def ask() -> bytes | None:
        content = fetch()
        # A truncated answer would otherwise be unpacked as the job's code.
        if content is not None and sum_of(content) != sha256:
            log.warning("the daemon sent %s bytes that are not the job's code", len(content))
            return None
        return content

    content = ask_until_answered(ask, lease)
    if content is None:
        return False
    settings.code_archive.write_bytes(content)
    unpack(content, settings.code_dir)
    log.info("the job's code is in %s", settings.code_dir)
    return True
