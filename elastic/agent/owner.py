"""What an agent tells the job's owner of how the workers are run here: notes among the job's events, each told once."""

from __future__ import annotations

import logging

from elastic.agent.spool import Spool
from elastic.agent.tiers import Way
from elastic.clock import SystemClock

log = logging.getLogger(__name__)


class Owner:
    """Whoever reads the job's events."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._told_why = ""

    def hear_way(self, way: Way) -> None:
        """Tells why the workers are started otherwise than asked for, if they are."""
        if way.why and way.why != self._told_why:
            self._tell(way.why)
        self._told_why = way.why

    def _tell(self, text: str) -> None:
        log.warning("%s", text)
        self._spool.add([{"kind": "note", "text": text, "at_s": SystemClock().now_s()}])
