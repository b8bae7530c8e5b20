"""Runs on nodes: supervises torchrun, takes in what workers say, beats to the daemon, and ends when
its lease does."""

from elastic.agent.settings import AgentSettings, read_settings

__all__ = ["AgentSettings", "read_settings"]
