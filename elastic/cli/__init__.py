"""The command `elasticd`, with which people and scripts run the daemon and speak to it."""

from elastic.cli.app import main

__all__ = ["main"]
