"""The topics of messages to people."""

from enum import StrEnum


class Topic(StrEnum):
    """What a message to a person is about; recipients choose among these."""

    # The job ended without its work done: it failed, or its budget or deadline ended it.
    FAILED = "failed"
    FINISHED = "finished"
    # A person stopped it.
    STOPPED = "stopped"
    # Most of its budget is spent.
    BUDGET = "budget"
    # Its deadline or its budget will be missed.
    AT_RISK = "at_risk"
    # Something else is wrong with a job or with the daemon.
    ALARM = "alarm"
    # What was wrong or at risk is so no more.
    OVER = "over"
    # Nodes were lost more often than is usual.
    LOSSES = "losses"
