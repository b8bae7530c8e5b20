"""The state that all members hold alike: what it is, and how it is sent to a newcomer."""

from elastic.workloads.session.state.state import Apply, State, StateCopy
from elastic.workloads.session.state.state_receiver import StateReceiver
from elastic.workloads.session.state.state_sender import Allowance, StateSender
from elastic.workloads.session.state.terms import SessionTerms, require_whole

__all__ = [
    "Allowance",
    "Apply",
    "SessionTerms",
    "State",
    "StateCopy",
    "StateReceiver",
    "StateSender",
    "require_whole",
]
