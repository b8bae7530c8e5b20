"""Pages as a browser receives them, over the real app and store."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from html import unescape

import pytest
from fastapi import FastAPI

from api.app import give_context
from api.dashboard.pages import alarms, prose
from api.dashboard.signing_in import own_path
from api.deps import COOKIE, Tick
from elastic.clock import ManualClock
from elastic.errors import ProviderError
from elastic.log_line import LogPiece
from elastic.model import Action, JobPhase, ScriptError
from elastic.pricing import Quarantined, Quote
from elastic.reconciler import Alarms, LeaseHolder, TerminationPermission
from elastic.store import StoredAlarm
from tests.api.dashboard.conftest import Told
from tests.api.dashboard.served import TOKEN, make_context
from tests.api.dashboard.story import HALF

PAGES = (
    "/",
    "/jobs",
    "/jobs/esrgan-demo",
    "/nodes?gone=1",
    "/decisions",
    "/decisions/1",
    "/prices",
    "/prices/local.half",
    "/costs",
)


@pytest.mark.parametrize("path", [*PAGES, "/login", "/decisions/999"])
def test_no_page_holds_what_the_strict_policy_forbids(told: Told, path: str) -> None:
    answer = told.client.get(path)
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert not re.search(r"<script(?![^>]*(src=|application/json))", answer.text)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", answer.text)
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", answer.text)


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_shown_to_a_stranger(told: Told, path: str) -> None:
    del told.client.headers["Authorization"]
    answer = told.client.get(path, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/login?next=%2F")


def test_a_page_left_open_after_the_token_changed_is_told_so(told: Told) -> None:
    del told.client.headers["Authorization"]
    assert told.client.get("/", headers={"X-Fragment": "1"}).status_code == 401


def test_the_token_becomes_a_cookie_that_scripts_cannot_read(told: Told) -> None:
    del told.client.headers["Authorization"]
    answer = told.client.get(f"/login?token={TOKEN}&next=/jobs", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/jobs")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}={TOKEN};")
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert told.client.get("/jobs").status_code == 200


def test_daemons_at_two_ports_of_a_host_do_not_sign_each_other_out(told: Told) -> None:
    del told.client.headers["Authorization"]
    here, other = {"Host": "127.0.0.1:8080"}, {"Cookie": f"{COOKIE}_9090=of-the-other"}
    answer = told.client.get(f"/login?token={TOKEN}", headers=here, follow_redirects=False)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert cookie == f"{COOKIE}_8080={TOKEN}"
    told.client.cookies.clear()
    both = here | {"Cookie": f"{other['Cookie']}; {cookie}"}
    assert told.client.get("/jobs", headers=both).status_code == 200
    assert told.client.get("/jobs", headers=here | other, follow_redirects=False).status_code == 303


def test_the_form_takes_the_token_too(told: Told) -> None:
    del told.client.headers["Authorization"]
    answer = told.client.post(
        "/login", data={"token": f" {TOKEN}\n", "next": "/prices"}, follow_redirects=False
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/prices")


def test_a_wrong_token_is_refused_in_words_and_not_repeated(told: Told) -> None:
    answer = told.client.post("/login", data={"token": "<b>guess</b>"})
    assert answer.status_code == 401
    assert "not the daemon&#39;s token" in answer.text
    assert "guess" not in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "address", ["//evil.example", "/\\evil.example", "https://evil.example", "", "/a\nb"]
)
def test_nobody_is_sent_elsewhere_after_signing_in(address: str) -> None:
    assert own_path(address) == "/"


@pytest.mark.parametrize("path", ["/jobs/none", "/decisions/999", "/decisions/first"])
def test_what_is_not_there_is_a_page_that_says_so(told: Told, path: str) -> None:
    answer = told.client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "Not found" in answer.text


def test_a_store_that_cannot_be_read_is_told_in_words(told: Told) -> None:
    (told.folder / "elasticd.db").write_bytes(b"this was a database" * 1000)
    answer = told.client.get("/")
    assert answer.status_code == 503
    assert "elasticd cannot show this now" in answer.text
    assert "the database" in answer.text


def test_a_fragment_is_the_page_without_its_frame(told: Told) -> None:
    page, fragment = (
        told.client.get("/").text,
        told.client.get("/", headers={"X-Fragment": "1"}).text,
    )
    assert main_of(fragment) == main_of(page)
    assert "<nav" not in fragment


def test_without_a_job_the_overview_shows_how_to_submit_one(nothing: Told) -> None:
    page = nothing.client.get("/").text
    assert "elasticd job submit -f job.yaml" in page
    example = unescape(re.findall(r"<pre[^>]*><code>(name:.*?)</code>", page, re.DOTALL)[0])
    body = example.replace("train.py", "/srv/train.py")  # as the command line makes it
    planned = nothing.client.post(
        "/v1/jobs:plan", content=body, headers={"Content-Type": "application/yaml"}
    )
    assert planned.status_code == 200, planned.text


def test_decisions_of_all_jobs_name_the_job_of_each(told: Told) -> None:
    link = f'of <a href="/jobs/{told.story.job_id}">esrgan-demo</a>'
    page = told.client.get("/decisions").text
    assert page.count(link) == page.count('class="reason"') > 3
    # Where all are of one job, it is named once.
    assert told.client.get("/decisions?job=esrgan-demo").text.count(link) == 1


def test_a_job_that_was_over_before_it_began_promises_nothing(just_begun: Told) -> None:
    job_id = just_begun.story.job_id
    before = just_begun.client.get(f"/jobs/{job_id}").text
    assert "No decision yet: the next tick takes one within seconds." in before
    just_begun.store.jobs.move(job_id, JobPhase.CANCELLED, now_s=just_begun.clock.now_s())
    page = just_begun.client.get(f"/jobs/{job_id}").text
    for each in ("decision", "candidate", "measurement", "dollar spent", "node", "generation"):
        assert f"No {each}." in page
    assert " yet" not in page.partition('id="log-panel"')[0]


def test_a_job_that_waits_says_what_for(just_begun: Told) -> None:
    page = just_begun.client.get("/").text
    assert "waiting for its first nodes" in page
    for words in (
        "No decision yet",
        "No measurement yet",
        "No dollar spent yet",
        "No node yet",
        "No candidate yet",
    ):
        assert words in page


def test_the_overview_prefers_a_job_that_still_runs(told: Told) -> None:
    told.story.finish()
    ended = told.story.job_id
    later, _ = told.store.jobs.submit(
        replace(told.story.spec, name="later"), key=None, request_hash="x", now_s=told.story.now_s
    )
    assert f'href="/jobs/{later.id}"' in told.client.get("/").text
    assert f'href="/jobs/{ended}"' in told.client.get(f"/?job={ended}").text


def test_a_finished_job_shows_its_account_and_its_pictures(told: Told) -> None:
    told.artifacts.mkdir(parents=True)
    (told.artifacts / "samples.png").write_bytes(b"\x89PNG")
    (told.artifacts / "report.json").write_text('{"psnr_y_db": 27.31, "is_pretrained": false}')
    told.story.finish()
    page = told.client.get(f"/jobs/{told.story.job_id}").text
    report = told.client.get(f"/v1/jobs/{told.story.job_id}/report").json()
    assert "Closing report" in page
    assert f'src="/v1/jobs/{told.story.job_id}/artifacts/samples.png"' in page
    assert "27.3" in page and "is pretrained" in page
    for row in report["nodes"]:
        assert f'value="{row["usd"]}"' in page
    for choice in report["fixed"]:
        assert f'value="{choice["usd"]}"' in page
    assert "Where every dollar went" in page
    paid = [each for each in report["uses"] if each["usd"] > 0]
    assert len(paid) > 1
    for each in paid:
        assert f'<rect class="use {each["name"]}" x=' in page
        assert f'value="{each["usd"]}" data-field="use_usd"' in page


def test_the_newest_picture_is_large_and_earlier_ones_are_thumbnails(told: Told) -> None:
    told.artifacts.mkdir(parents=True)
    for age_s, name in (
        (0, "a_newest.png"),
        (20, "b_oldest.PNG"),
        (10, "c_between.jpg"),
        (5, "report.json"),
    ):
        (told.artifacts / name).write_bytes(b"x")
        os.utime(told.artifacts / name, (told.story.now_s - age_s,) * 2)
    page = told.client.get(f"/jobs/{told.story.job_id}").text
    large, earlier = page.split('<figure class="picture">')[1].split('<ol class="earlier"')
    assert _pictures_in(large) == ["a_newest.png"]
    assert _pictures_in(earlier.split("</ol>")[0]) == ["c_between.jpg", "b_oldest.PNG"]


def _pictures_in(html: str) -> list[str]:
    return re.findall(r'<a href="[^"]*/artifacts/([^"]*)"[^>]*><img src="[^"]*/artifacts/\1"', html)


def test_a_failed_job_says_why_first(told: Told) -> None:
    told.store.jobs.request_stop(
        told.story.job_id, JobPhase.FAILED, "worker exited with 1", now_s=told.story.now_s
    )
    told.store.jobs.move(
        told.story.job_id, JobPhase.FAILED, now_s=told.story.now_s, message="worker exited with 1"
    )
    assert "The job failed: worker exited with 1" in unescape(told.client.get("/").text)


def test_a_job_s_page_shows_the_traceback_of_what_it_failed_with(told: Told) -> None:
    error = ScriptError(
        "ValueError",
        "ValueError: <no>",
        lines="Traceback (most recent call last):\nValueError: <no>",
    )
    told.store.jobs.note_error(told.story.job_id, error, generation=1)
    page = told.client.get(f"/jobs/{told.story.job_id}").text
    assert "Traceback (most recent call last):\nValueError: &lt;no&gt;</code>" in page
    assert "It failed once, and starts again: ValueError: <no>" in unescape(page)


def test_a_failed_job_s_traceback_stands_once_on_its_page_where_its_log_has_it(
    told: Told, bare_app: FastAPI
) -> None:
    error = ScriptError(
        "ValueError", "ValueError: no", lines="Traceback (most recent call last):\nValueError: no"
    )
    told.store.jobs.note_error(told.story.job_id, error, generation=1)
    told.store.jobs.request_stop(
        told.story.job_id, JobPhase.FAILED, "worker exited with 1", now_s=told.story.now_s
    )
    told.store.jobs.move(told.story.job_id, JobPhase.FAILED, now_s=told.story.now_s)
    path = f"/jobs/{told.story.job_id}"
    assert told.client.get(path).text.count("ValueError: no</code>") == 1
    lines = ("Traceback (most recent call last):", '  File "train.py", line 1', "ValueError: no")
    bare_app.state.context.logs.add(
        told.story.job_id, "n1", [LogPiece(1, 0, 0, lines)], seq=1, now_s=0.0
    )
    page = told.client.get(path).text
    assert "Log: rank 0 failed" in page
    assert page.count("Traceback (most recent call last):") == 1


def test_prices_that_are_not_believed_stand_beside_those_in_force(
    told: Told, bare_app: FastAPI
) -> None:
    assert "Not believed" not in told.client.get("/prices").text
    dear = Quarantined(Quote(HALF, 4.5, told.story.now_s, "ec2"), "wanted at most <5-fold")
    no_number = Quarantined(Quote(HALF, float("nan"), told.story.now_s, "feed"), "wanted a number")
    context = bare_app.state.context
    give_context(bare_app, replace(context, disbelieved=lambda: (dear, no_number)))
    page = unescape(told.client.get("/prices").text)
    section = page.partition("Not believed")[2].partition("As they came")[0]
    assert "$4.5" in section
    assert "wanted at most <5-fold" in section
    assert "wanted a number" in section
    assert "nan" not in section


def test_what_users_wrote_is_never_markup(told: Told) -> None:
    spec = replace(
        told.story.spec, name="x", command=("<script>alert(1)</script>",), env={"A": "'\"><img>"}
    )
    job, _ = told.store.jobs.submit(spec, key=None, request_hash="x", now_s=told.story.now_s)
    told.store.events.add("note", "<img src=x>", job_id=job.id, now_s=told.story.now_s)
    page = told.client.get(f"/jobs/{job.id}").text
    assert "<script>alert" not in page
    assert "<img src=x>" not in page
    assert "&lt;img src=x&gt;" in page


def test_the_decisions_of_a_job_are_read_page_by_page(told: Told) -> None:
    for number in range(45):
        told.story.decide(Action.MOVE, HALF, f"reason_{number}", "because")
    first = told.client.get("/decisions?job=esrgan-demo").text
    older = re.search(r'href="(\?before=\d+[^"]*)"', first)
    assert older is not None
    assert "Start on local.half" in told.client.get("/decisions" + unescape(older.group(1))).text


def test_the_daemons_own_trouble_is_told_on_every_page(told: Told) -> None:
    clock = ManualClock(1000.0)
    context = make_context(told.store, told.folder, clock)
    assert alarms(context, now_s=1000.0) == ()
    failed = replace(context, last_tick=lambda: Tick(990.0, 0.1, "no route to host"))
    assert alarms(failed, now_s=1000.0) == (
        "The daemon's last tick, 10 s ago, failed: no route to host",
    )
    late = replace(context, last_tick=lambda: Tick(700.0, 0.1))
    assert "The daemon's last tick was 5 min ago" in alarms(late, now_s=1000.0)[0]
    assert alarms(late, now_s=720.0) == ()


def test_a_job_s_page_tells_of_no_other_job_and_no_page_of_all(told: Told) -> None:
    now_s = told.clock.now_s()
    for number in range(7):
        spec = replace(told.story.spec, name=f"other-{number}")
        job, _ = told.store.jobs.submit(spec, key=None, request_hash=spec.name, now_s=now_s)
        text = f"{spec.name} will be late"
        told.store.alarms.begin(StoredAlarm("will_be_late", text, now_s, job.id), now_s=now_s)
    for path in (f"/jobs/{job.id}", f"/jobs/{job.id}/stop"):
        banner = told.client.get(path).text.partition('id="alarm"')[2].partition("</div>")[0]
        assert banner.count(" will be late") == banner.count("other-6 will be late") == 1
    banner = told.client.get("/nodes").text.partition('id="alarm"')[2].partition("</div>")[0]
    assert banner.count(" will be late") == 4
    assert "and 3 more: <code>elasticd status</code> lists them" in banner


def test_that_machines_cannot_be_ended_is_told_before_all_else(told: Told) -> None:
    right = TerminationPermission(lambda _: None, 600.0)
    right.note_failure(ProviderError("these credentials do not permit it"))
    clock = ManualClock(1000.0)
    leader_lease = LeaseHolder(cluster="c", holder="h", place="p", clock=clock, register=None)
    context = make_context(told.store, told.folder, clock)
    found = Alarms(leader_lease, right)
    found.look(told.store, None, now_s=1000.0)
    late = replace(context, alarms=found, last_tick=lambda: Tick(0.0, 0.1))
    (said,) = alarms(late, now_s=1000.0)
    assert said.startswith("Machines cannot be ended")


def test_prose_is_escaped() -> None:
    assert prose("<b> `<i>`") == "&lt;b&gt; <code>&lt;i&gt;</code>"


@pytest.mark.parametrize(
    ("name", "media_type"),
    [("base.css", "text/css"), ("dashboard.js", "text/javascript"), ("favicon.svg", "image/svg")],
)
def test_static_files_need_no_token(told: Told, name: str, media_type: str) -> None:
    del told.client.headers["Authorization"]
    answer = told.client.get(f"/static/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(media_type)


def main_of(page: str) -> str:
    found = re.search(r"<main.*?</main>", page, re.DOTALL)
    assert found is not None
    return found.group(0)
