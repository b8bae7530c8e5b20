"""The command `elasticd`: starts the daemon, and speaks to it for people and scripts."""

from elastic.cli.app import main

__all__ = ["main"]
