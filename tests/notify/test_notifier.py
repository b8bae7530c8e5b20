"""Messages reach real receivers, once each, whatever fails on the way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from elastic.clock import ManualClock
from elastic.config import NotifySettings
from elastic.durations import MINUTE_S
from elastic.errors import InvalidInput, StoreUnavailable
from elastic.model import Job, JobPhase, JobSpec, Objective, Topic
from elastic.notify import Attachment, Notifier, recipients_of, send
from elastic.store import Delivery, Store, StoredAlarm, open_store
from tests.builders import NOW_S, add_price, intend, job_spec, offering
from tests.empty_database import lay_out
from tests.notify.receivers import Mailbox, Webhook, running_mailbox, running_webhook
from tests.reconciler.full_disk import FullDisk

LATE = StoredAlarm("will_be_late", "3 min short", NOW_S)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(lay_out(tmp_path / "elasticd.db"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Webhook]:
    with running_webhook() as running:
        yield running


@pytest.fixture
def webhook(server: Webhook) -> Webhook:
    server.taken.clear()
    server.refusals.clear()
    return server


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with running_mailbox() as running:
        yield running


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW_S)


def notifier(store: Store, clock: ManualClock, **settings: object) -> Notifier:
    given = NotifySettings.model_validate(settings)
    return Notifier(store, given, recipients_of(given), clock, url="http://127.0.0.1:8470")


def submitted(store: Store, spec: JobSpec | None = None) -> Job:
    return store.jobs.submit(spec or job_spec(), key=None, request_hash="h", now_s=NOW_S)[0]


def failed(store: Store, spec: JobSpec | None = None) -> Job:
    job = submitted(store, spec)
    store.jobs.move(job.id, JobPhase.FAILED, message="no node came", now_s=NOW_S)
    return store.jobs.get(job.id)


def test_a_failed_job_is_told_to_a_webhook_once_by_this_daemon_and_by_the_next(
    store: Store, webhook: Webhook, clock: ManualClock
) -> None:
    job = failed(store)
    told = notifier(store, clock, to={"me": webhook.address})
    told.look()
    told.look()
    notifier(store, clock, to={"me": webhook.address}).look()
    (message,) = webhook.taken
    assert message["title"] == "job esrgan failed"
    assert message["message"].startswith("no node came\n")
    assert message["message"].endswith(f"\n\nhttp://127.0.0.1:8470/jobs/{job.id}")
    (row,) = store.notifications.listed(job_id=job.id)
    assert (row.delivery, row.tries, row.error, row.sent_at_s) == (Delivery.SENT, 1, None, NOW_S)


def test_a_mail_carries_the_picture_of_the_job(
    store: Store, mailbox: Mailbox, clock: ManualClock
) -> None:
    failed(store)
    told = notifier(store, clock, to={"me": mailbox.address})
    told.pictures = lambda job_id: [Attachment("job.svg", b"<svg/>")]
    told.look()
    (mail,) = mailbox.mails
    assert mail["subject"] == "job esrgan failed" and "me@example.com" in mail["to"]
    body = mail.get_body(("plain", "html"))
    assert body is not None and "no node came" in body.get_content()
    (picture,) = mail.iter_attachments()
    assert picture.get_filename() == "job.svg" and picture.get_content() == b"<svg/>"


def test_a_message_that_is_refused_is_tried_again_later_and_arrives_once(
    store: Store, webhook: Webhook, clock: ManualClock
) -> None:
    failed(store)
    told = notifier(store, clock, to={"me": webhook.address})
    webhook.refusals += [500, 503]
    told.look()
    (row,) = store.notifications.listed()
    assert (row.delivery, row.tries, row.next_at_s) == (Delivery.WAITING, 1, NOW_S + 5)
    assert row.error is not None and "500" in row.error and "T0K3N" not in row.error
    told.look()
    assert webhook.taken == []
    for wait_s in (5.0, 30.0, 600.0):
        clock.advance(wait_s)
        told.look()
    assert webhook.titles == ["job esrgan failed"]


def test_it_gives_up_after_some_hours_and_says_why(
    store: Store, webhook: Webhook, clock: ManualClock
) -> None:
    failed(store)
    told = notifier(store, clock, to={"me": webhook.address})
    webhook.refusals += [404] * 99
    for _ in range(20):
        told.look()
        clock.advance(3600)
    (row,) = store.notifications.listed()
    assert (row.delivery, row.tries) == (Delivery.FAILED, 15)
    assert len(webhook.refusals) == 84


def test_what_was_being_sent_when_the_daemon_ended_is_not_sent_again(
    store: Store, webhook: Webhook, clock: ManualClock
) -> None:
    failed(store)
    told = notifier(store, clock, to={"me": webhook.address})

    def dies(*_: object) -> str | None:
        raise KeyboardInterrupt

    told.send = dies
    with pytest.raises(KeyboardInterrupt):
        told.look()
    notifier(store, clock, to={"me": webhook.address}).look()
    assert webhook.taken == []
    (row,) = store.notifications.listed()
    assert row.delivery is Delivery.UNKNOWN and "the daemon ended" in (row.error or "")


def test_a_recipient_that_fails_keeps_no_other_waiting(
    store: Store, webhook: Webhook, clock: ManualClock
) -> None:
    failed(store)
    failed(store, job_spec(name="second"))
    asked: list[str] = []

    def sends(address: str, title: str, *rest: object) -> str | None:
        asked.append(f"{address[:9]} {title}")
        return "no answer" if "away" in address else None

    told = notifier(store, clock, to={"away": "json://away/", "me": "json://home/"})
    told.send = sends
    told.look()
    assert sorted(asked) == [
        "json://aw job esrgan failed",
        "json://ho job esrgan failed",
        "json://ho job second failed",
    ]


def test_a_job_chooses_who_is_told_and_of_what(
    store: Store, webhook: Webhook, clock: ManualClock
) -> None:
    ways = {
        "nobody": {},
        "all": {"me": ()},
        "failures": {"me": (Topic.FAILED,)},
        "endings": {"me": (Topic.FINISHED,)},
        "gone": {"who": ()},
    }
    for name, notify in ways.items():
        failed(store, job_spec(name=name, notify=notify))
    failed(store, job_spec(name="default"))
    told = notifier(store, clock, to={"me": webhook.address}, by_default=[])
    told.look()
    assert webhook.titles == ["job all failed", "job failures failed"]
    assert told.topics("me") == ()


def test_settings_choose_the_topics(store: Store, webhook: Webhook, clock: ManualClock) -> None:
    job = failed(store)
    store.alarms.begin(StoredAlarm("will_be_late", "late", NOW_S, job.id), now_s=NOW_S)
    notifier(store, clock, to={"me": webhook.address}, topics=["at_risk"]).look()
    assert webhook.titles == ["job esrgan: will be late"]


def test_alarms_are_told_of_at_both_ends(
    store: Store, webhook: Webhook, clock: ManualClock
) -> None:
    blind = StoredAlarm("cannot_see", "no answer", NOW_S)
    store.alarms.begin(blind, now_s=NOW_S)
    told = notifier(store, clock, to={"me": webhook.address})
    told.look()
    clock.advance(90)
    store.alarms.end(blind, "all is well again", now_s=clock.now_s())
    told.look()
    assert webhook.titles == ["elasticd: cannot see", "elasticd: cannot see is over"]


def test_what_is_older_than_a_day_is_no_news(
    store: Store, webhook: Webhook, clock: ManualClock
) -> None:
    failed(store)
    store.alarms.begin(LATE, now_s=NOW_S)
    clock.advance(25 * 3600)
    notifier(store, clock, to={"me": webhook.address}).look()
    assert webhook.taken == []


def test_a_running_job_s_budget_and_losses_are_looked_at(
    store: Store, clock: ManualClock, webhook: Webhook
) -> None:
    half = offering("local.half")
    job = submitted(store, job_spec(objective=Objective(budget_usd=1.0)))
    add_price(store, half, 1.0, valid_from_s=NOW_S, observed_at_s=NOW_S, source="test")
    node = intend(store, job.id, half, now_s=NOW_S)
    store.nodes.launched(node.id, "machine", launched_at_s=NOW_S, minimum_s=0.0)
    told = notifier(store, clock, to={"me": webhook.address}, node_losses=0)
    clock.advance(0.79 * 3600)
    told.look()
    assert webhook.taken == []
    clock.advance(0.06 * 3600)
    told.look()
    told.look()
    assert webhook.titles == ["job esrgan has spent 85 % of its budget"]
    store.nodes.gone(node.id, at_s=clock.now_s())
    told.look()
    told.look()
    assert webhook.titles[1:] == ["job esrgan has lost 1 node"]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("env:NOWHERE", "in the variable NOWHERE"),
        ("file:/nowhere/at/all", "in the file /nowhere/at/all"),
        ("no address but a S3CRET", "an address that Apprise knows"),
        # Half an address, of which Apprise itself complains in full.
        ("slack://S3CRET", "an address that Apprise knows"),
        ("mailto://S3CRET", "an address that Apprise knows"),
        # Two would get a message again when one of them refuses it.
        ("json://127.0.0.1/S3CRET, json://127.0.0.1/b", "an address that Apprise knows"),
    ],
)
def test_a_wrong_address_is_refused_and_not_shown(said: str, wanted: str) -> None:
    with pytest.raises(InvalidInput, match=wanted) as caught:
        recipients_of(NotifySettings(to={"me": said}), {})
    assert "S3CRET" not in str(caught.value) and caught.value.field == "notify.to.me"


def test_no_log_shows_a_wrong_address() -> None:
    asked = (
        "import logging; logging.basicConfig(level=logging.INFO); "
        "from elastic.notify.sending import is_address; print(is_address('slack://S3CRET'))"
    )
    ran = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n" and "S3CRET" not in ran.stderr


def test_addresses_come_from_the_environment_and_from_files(tmp_path: Path) -> None:
    path = tmp_path / "address"
    path.write_text("json://a.example/x\n")
    settings = NotifySettings(to={"file": f"file:{path}", "env": "env:WHERE", "plain": "json://b/"})
    found = recipients_of(settings, {"WHERE": "json://c/"})
    assert {name: each.address for name, each in found.items()} == {
        "file": "json://a.example/x",
        "env": "json://c/",
        "plain": "json://b/",
    }
    assert "json" not in repr(found["plain"])


def test_a_database_that_takes_nothing_for_a_minute_is_told_without_it_and_so_is_the_end(
    store: Store, webhook: Webhook, clock: ManualClock
) -> None:
    alarms: list[StoredAlarm] = []
    told = notifier(store, clock, to={"me": webhook.address, "deaf": "json://127.0.0.1:9/hook"})
    told.unwritten = lambda now_s: alarms[0] if alarms else None
    store.close()
    told.store = FullDisk(store, reads=False)  # type: ignore[assignment]

    def look(after_s: float) -> None:
        clock.sleep(after_s)
        with pytest.raises(StoreUnavailable):
            told.look()

    alarms.append(StoredAlarm("cannot_write", "no server", NOW_S))
    look(MINUTE_S - 1.0)
    assert webhook.taken == [], "its server may only be started again"
    for _ in range(3):
        look(MINUTE_S)
    alarms.clear()
    look(1.0)
    look(1.0)
    assert webhook.titles == ["elasticd: cannot write", "elasticd: cannot write is over"]
    assert webhook.taken[0]["message"].startswith("no server")


def test_unknown_topics_and_names_are_refused() -> None:
    with pytest.raises(InvalidInput, match="wanted some of failed, finished"):
        recipients_of(NotifySettings(to={"me": "json://b/"}, topics=("fail",)))
    with pytest.raises(ValueError, match=r"wanted names of notify\.to, got you"):
        NotifySettings(to={"me": "json://b/"}, by_default=("you",))
    with pytest.raises(ValueError, match="wanted names such as me"):
        NotifySettings(to={"To Me": "json://b/"})


@pytest.mark.parametrize("send_one", [send])
def test_what_was_not_taken_says_why_without_the_address(send_one: Callable[..., str]) -> None:
    why = send_one("json://127.0.0.1:9/hook/T0K3N-OF-HOOK", "title", "text")
    assert "127.0.0.1" in why and "T0K3N" not in why


def test_what_cannot_be_sent_from_here_is_tried_again_and_keeps_no_other_waiting(
    store: Store, webhook: Webhook, clock: ManualClock
) -> None:
    failed(store)
    told = notifier(store, clock, to={"full": "json://127.0.0.1:9/S3CRET", "me": webhook.address})

    def from_a_full_disk(address: str, *message: object) -> str | None:
        if "S3CRET" in address:
            raise OSError(f"no space left for {address}")
        return send(address, *message)  # type: ignore[arg-type]

    told.send = from_a_full_disk
    told.look()
    assert webhook.titles == ["job esrgan failed"]
    row = next(each for each in store.notifications.listed() if each.recipient == "full")
    assert (row.delivery, row.tries) == (Delivery.WAITING, 1)
    assert row.error == "it could not be sent from here: OSError"


def test_a_later_look_reads_no_job_again_of_which_nobody_wants_to_hear(
    store: Store, webhook: Webhook, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed(store)
    failed(store, job_spec(notify={}))
    told = notifier(store, clock, to={"me": webhook.address}, topics=["finished"])
    told.look()
    read: list[str] = []
    monkeypatch.setattr(store.jobs, "get", read.append)
    monkeypatch.setattr(store.ledger, "of_job", read.append)
    told.look()
    assert read == [] and webhook.taken == []


def test_a_stop_waits_for_one_message_and_the_next_daemon_sends_the_rest(
    store: Store, webhook: Webhook, clock: ManualClock
) -> None:
    failed(store)
    failed(store)
    told = notifier(store, clock, to={"me": webhook.address})

    def stopped_meanwhile(address: str, title: str, text: str, _: object) -> str | None:
        told.stop()
        return send(address, title, text)

    told.send = stopped_meanwhile
    told.look()
    assert len(webhook.taken) == 1
    notifier(store, clock, to={"me": webhook.address}).look()
    assert len(webhook.taken) == 2
