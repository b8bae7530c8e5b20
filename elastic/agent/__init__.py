"""The agent that runs on each node: it supervises torchrun for its daemon until its lease ends."""

from elastic.agent.cause import cause_in, describe_exit, is_echo, only_follows
from elastic.agent.settings import AgentSettings, read_settings

__all__ = [
    "AgentSettings",
    "cause_in",
    "describe_exit",
    "is_echo",
    "only_follows",
    "read_settings",
]
