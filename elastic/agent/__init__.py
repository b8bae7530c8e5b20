"""The agent that runs on each node: it supervises torchrun for its daemon until its lease ends."""

from elastic.agent.settings import AgentSettings, read_settings

__all__ = ["AgentSettings", "read_settings"]
