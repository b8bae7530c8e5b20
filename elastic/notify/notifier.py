"""Looks at the database for news, writes messages down, and sends them.

Each look begins with what is stored, as the reconciler does: nothing is lost when a daemon ends,
and what was told once is in a row, so it is not told again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import structlog

from elastic.clock import Clock
from elastic.config import NotifySettings
from elastic.durations import DAY_S, HOUR_S, MINUTE_S, TICK_S
from elastic.model import Job, Topic
from elastic.notify.news import (
    News,
    ending_key,
    of_alarm,
    of_budget,
    of_ending,
    of_losses,
)
from elastic.notify.recipients import Recipient
from elastic.notify.sending import Attachment, send
from elastic.store import AlarmRow, Notification, Store, StoredAlarm

log = structlog.get_logger(__name__)

# How often a message is tried again: enough for an outage of hours.
_TRIES_AGAIN = 14
Send = Callable[[str, str, str, tuple[Attachment, ...]], str | None]


@dataclass(slots=True)
class Notifier:
    """Tells recipients of news. `send` gives why a message was not taken, or None.

    `pictures` draws a job that has ended, for its last message.
    """

    store: Store
    settings: NotifySettings
    recipients: Mapping[str, Recipient]
    clock: Clock
    send: Send = send
    pictures: Callable[[str], Iterable[Attachment]] = lambda job_id: ()
    # Where people find the daemon's pages; empty if that is not known.
    url: str = ""
    # That the database takes nothing, which no row can say; None while it does.
    unwritten: Callable[[float], StoredAlarm | None] = lambda now_s: None
    _has_looked: bool = field(default=False, init=False)
    # The keys of news that needs no more: it is on record, or has no recipient. A look asks the
    # database only for the rest.
    _noted: set[str] = field(default_factory=set, init=False)
    _is_stopped: bool = field(default=False, init=False)
    # That alarm as it was told, to whom, and when the others are tried again.
    _unwritten: StoredAlarm | None = field(default=None, init=False)
    _told_unwritten: set[str] = field(default_factory=set, init=False)
    _try_again_at_s: float = field(default=0.0, init=False)

    def stop(self) -> None:
        """Sends no more after the message in progress. The next daemon sends the rest."""
        self._is_stopped = True

    def look(self) -> None:
        """Finds news, and sends what is due."""
        if not self.recipients:
            return
        now_s = self.clock.now_s()
        self._tell_of_writing(now_s)
        if not self._has_looked:
            self.store.notifications.doubt()
            self._has_looked = True
        job_of = cache(self.store.jobs.get)
        news = list(self._news(job_of, now_s))
        found = [each for one in news for each in self._messages(one, job_of, now_s)]
        told = self.store.notifications.told({each.key for each in found}) if found else ()
        self.store.notifications.keep(
            [each for each in found if (each.key, each.recipient) not in told]
        )
        self._noted |= {each.key for each in news}
        self._send_due(now_s)

    def test(self, name: str) -> str | None:
        """Sends a message at once. Gives why it was not taken; None: it was."""
        return self.send(
            self.recipients[name].address,
            "elasticd: a test",
            f"Messages to {name} arrive. Their topics: {', '.join(self.topics(name))}.",
            (),
        )

    def topics(self, name: str) -> tuple[Topic, ...]:
        """What a recipient's messages are about, unless a job says otherwise; empty: none."""
        by_default = self.settings.by_default
        if by_default is not None and name not in by_default:
            return ()
        return self._all

    @property
    def _all(self) -> tuple[Topic, ...]:
        """What is told unless a job says otherwise."""
        return tuple(map(Topic, self.settings.topics or Topic))

    def _messages(
        self, news: News, job_of: Callable[[str], Job], now_s: float
    ) -> Iterator[Notification]:
        job = None if news.job_id is None else job_of(news.job_id)
        for name in self._told_of(news.topic, job):
            yield Notification(
                key=news.key,
                topic=news.topic,
                recipient=name,
                title=news.title,
                text=self._with_link(news),
                made_at_s=now_s,
                job_id=news.job_id,
            )

    def _news(self, job_of: Callable[[str], Job], now_s: float) -> Iterator[News]:
        store, settings = self.store, self.settings
        # What happened earlier is no news any more.
        from_s = now_s - DAY_S
        for job_id, finished_at_s in store.notifications.ended(from_s=from_s):
            if ending_key(job_id, finished_at_s) in self._noted:
                continue
            job = job_of(job_id)
            # It may have been resumed since.
            if job.finished_at_s is not None:
                yield of_ending(job, store.ledger.of_job(job_id), now_s=now_s)
        charges = store.ledger.charges()
        lost = store.notifications.lost_nodes()
        for job in store.jobs.unfinished():
            spent = charges.spent_usd(job.id, now_s)
            nodes = lost.get(job.id, 0)
            for one in (
                of_budget(job, spent, share=settings.budget_share, now_s=now_s),
                of_losses(job, nodes, most=settings.node_losses, now_s=now_s),
            ):
                if one is not None and one.key not in self._noted:
                    yield one
        for alarm in store.notifications.alarms_since(from_s=from_s):
            job_of_alarm = None if alarm.job_id is None else job_of(alarm.job_id)
            for news in of_alarm(alarm, job_of_alarm):
                # The beginning of one that has stood for days is no news when it is over.
                if news.at_s >= from_s and news.key not in self._noted:
                    yield news

    def _told_of(self, topic: Topic, job: Job | None) -> Iterable[str]:
        """The recipients of news: those that a job names, or else those that the settings do."""
        if job is None or job.spec.notify is None:
            return [name for name in self.recipients if topic in self.topics(name)]
        return [
            name
            for name, topics in job.spec.notify.items()
            # Settings may have changed since the job named them.
            if name in self.recipients and topic in (topics or self._all)
        ]

    def _with_link(self, news: News) -> str:
        if not self.url:
            return news.text
        if news.job_id is None:
            return f"{news.text}\n\n{self.url}/"
        return f"{news.text}\n\n{self.url}/jobs/{news.job_id}"

    def _tell_of_writing(self, now_s: float) -> None:
        """Says that the database takes nothing, and that this is over, without a row of it."""
        standing = self.unwritten(now_s)
        if standing is None:
            if self._unwritten is not None:
                self._say(_of_writing(self._unwritten, over_at_s=now_s)[-1], self._told_unwritten)
            self._unwritten = None
            self._told_unwritten = set()
            self._try_again_at_s = 0.0
        # A server of a database that is started again is away for seconds.
        elif now_s >= max(standing.since_s + MINUTE_S, self._try_again_at_s):
            self._unwritten = standing
            self._try_again_at_s = now_s + MINUTE_S
            untold = self.recipients.keys() - self._told_unwritten
            self._told_unwritten |= self._say(_of_writing(standing)[0], untold)

    def _say(self, news: News, names: Iterable[str]) -> set[str]:
        """Sends news at once to those of the recipients who want it; gives who took it."""
        taken = set()
        for name in sorted(set(names) & set(self._told_of(news.topic, None))):
            if self._is_stopped:
                break
            why = self._taken(self.recipients[name], news.title, self._with_link(news), ())
            if why is None:
                taken.add(name)
            else:
                log.warning("a message did not arrive", recipient=name, title=news.title, why=why)
        return taken

    def _send_due(self, now_s: float) -> None:
        silent: set[str] = set()
        for each in self.store.notifications.due(now_s=now_s):
            if self._is_stopped:
                return
            recipient = self.recipients.get(each.recipient)
            # A service that fails would fail the next message too, and each takes seconds.
            if recipient is None or recipient.name in silent:
                continue
            if not self._send(each, recipient):
                silent.add(recipient.name)

    def _send(self, message: Notification, recipient: Recipient) -> bool:
        rows = self.store.notifications
        pictures = self._pictures(message)
        rows.begin(message.id)
        why = self._taken(recipient, message.title, message.text, pictures)
        now_s = self.clock.now_s()
        if why is None:
            rows.sent(message.id, now_s=now_s)
            return True
        tries = message.tries + 1
        wait_s = min(TICK_S * 2.0**message.tries, HOUR_S)
        next_at_s = now_s + wait_s if tries <= _TRIES_AGAIN else None
        rows.refused(message.id, why, next_at_s=next_at_s)
        log.warning(
            "a message did not arrive", recipient=recipient.name, title=message.title, why=why
        )
        return False

    def _taken(
        self, recipient: Recipient, title: str, text: str, pictures: tuple[Attachment, ...]
    ) -> str | None:
        try:
            return self.send(recipient.address, title, text, pictures)
        except OSError as error:
            # Such as a full disk, before anything was sent. What it says may quote the address.
            return f"it could not be sent from here: {type(error).__name__}"

    def _pictures(self, message: Notification) -> tuple[Attachment, ...]:
        is_an_ending = message.topic in (Topic.FINISHED, Topic.FAILED)
        if not is_an_ending or message.job_id is None:
            return ()
        try:
            return tuple(self.pictures(message.job_id))
        except Exception:
            # A message without a picture is better than none.
            log.exception("a picture was not drawn", job=message.job_id)
            return ()


def _of_writing(alarm: StoredAlarm, *, over_at_s: float | None = None) -> tuple[News, ...]:
    row = AlarmRow(0, alarm.kind, alarm.text, None, alarm.since_s, over_at_s)
    return of_alarm(row, None)
