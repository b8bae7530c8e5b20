"""The command `elasticd`, with which people and scripts run the daemon and speak to it."""

from elastic.cli.app import main
from elastic.cli.exits import MEANINGS, ExitCode

__all__ = ["MEANINGS", "ExitCode", "main"]
