"""The messages between worker, agent and daemon, checked by the same bounds at both ends."""

from elastic.protocol.checking import Outgoing, from_json, outgoing, to_json
from elastic.protocol.messages import (
    PROTOCOL,
    Assignment,
    Brings,
    Heartbeat,
    HeartbeatReply,
    LogBatch,
    LogsStored,
    Registered,
    Registration,
    require_same_major,
)
from elastic.worker.messages import (
    BeginsMessage,
    CheckpointMessage,
    LastMessage,
    NoteMessage,
    SavedMessage,
    WindowMessage,
)

__all__ = [
    "PROTOCOL",
    "Assignment",
    "BeginsMessage",
    "Brings",
    "CheckpointMessage",
    "Heartbeat",
    "HeartbeatReply",
    "LastMessage",
    "LogBatch",
    "LogsStored",
    "NoteMessage",
    "Outgoing",
    "Registered",
    "Registration",
    "SavedMessage",
    "WindowMessage",
    "from_json",
    "outgoing",
    "require_same_major",
    "to_json",
]
