"""A file in which whatever started the agent announces the end of its machine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from elastic.agent.imds import SpotAction
from elastic.errors import ProviderUnavailable

# The action of a machine that was cancelled: nothing more is wanted of it.
CANCELLED = "scancel"


@dataclass(frozen=True, slots=True)
class NoticeFile:
    """Reads the file at every call, as `elastic.agent.imds` asks its service."""

    path: Path

    def spot_action(self) -> SpotAction | None:
        """The announced end; None while there is no file. Raises ProviderUnavailable."""
        try:
            told = json.loads(self.path.read_text())
            return SpotAction(str(told["action"]), float(told["at_s"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ProviderUnavailable(
                f"{self.path}: wanted an action and its instant, got {error!r}"
            ) from error

    def rebalance(self) -> float | None:
        """None: a file only says what is certain."""
        return None
