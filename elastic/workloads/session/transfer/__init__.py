"""How two members talk about the state: messages, over a connection that several threads use."""

from elastic.workloads.session.transfer.channel import Channel
from elastic.workloads.session.transfer.messages import Room, TransferMessage, receive, send

__all__ = ["Channel", "Room", "TransferMessage", "receive", "send"]
