"""Runs on nodes: supervises torchrun, takes in what workers say, beats to the daemon, and ends when its lease does."""

from elastic.agent.settings import AgentSettings, read_settings
from elastic.agent.wire import Assignment, HeartbeatReply

__all__ = ["AgentSettings", "Assignment", "HeartbeatReply", "read_settings"]
