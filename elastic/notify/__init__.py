"""Tells people what happened to their jobs: by webhook, Slack, e-mail and all else that Apprise
reaches."""

from elastic.notify.news import News, of_alarm, of_budget, of_ending, of_losses
from elastic.notify.notifier import Notifier
from elastic.notify.recipients import recipients_of
from elastic.notify.sending import Attachment, send

__all__ = [
    "Attachment",
    "News",
    "Notifier",
    "of_alarm",
    "of_budget",
    "of_ending",
    "of_losses",
    "recipients_of",
    "send",
]
