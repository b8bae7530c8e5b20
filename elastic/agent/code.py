"""The job's code, fetched once before anything runs."""

from __future__ import annotations

import logging
from collections.abc import Callable

from elastic.agent.asking import ask_until_answered
from elastic.agent.lease import Lease
from elastic.agent.settings import AgentSettings
from elastic.archive import sum_of, unpack

log = logging.getLogger(__name__)


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
