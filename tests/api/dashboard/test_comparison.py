"""Jobs side by side: what a dollar bought, what they cost, and what came of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from tests.api.dashboard.conftest import Told
from tests.api.dashboard.story import HALF, QUARTER, SPEC, Story


def another(told: Told, name: str) -> Story:
    """A job beside the one of the story, with another rate of learning."""
    spec = replace(SPEC, name=name, hyperparameters={**SPEC.hyperparameters, "lr": 0.5})
    job, _ = told.store.jobs.submit(spec, key=None, request_hash=name, now_s=told.clock.now_s())
    return Story(told.store, spec, told.clock.now_s(), job.id)


@pytest.fixture
def two(told: Told) -> Told:
    """The story's job, and one that trained for as long on one node."""
    other = another(told, "other")
    other.train_on(QUARTER, 600.0)
    told.clock.advance(700.0)
    return told


def row_of(page: str, label: str) -> list[str]:
    """The texts of one row, without their markup."""
    found = re.search(rf'<tr><th scope="row">{label}</th>(.*?)</tr>', page, re.DOTALL)
    assert found is not None, label
    cells = re.findall(r"<td.*?>(.*?)</td>", found.group(1), re.DOTALL)
    return [unescape(re.sub(r"<[^>]*>", "", cell)) for cell in cells]


def points_of(page: str) -> Any:
    """What the chart of iterations per dollar is drawn from."""
    chart = page[page.index('id="value"') :]
    found = re.search(r'<script type="application/json" class="points">(.*?)</script>', chart)
    assert found is not None
    return json.loads(found.group(1))


def test_jobs_stand_side_by_side_with_the_numbers_of_rest(two: Told) -> None:
    page = two.client.get("/compare?jobs=esrgan-demo&jobs=other").text
    jobs = [two.client.get(f"/v1/jobs/{name}").json() for name in ("esrgan-demo", "other")]
    found = re.search(r'<th scope="row">Spent</th>(.*?)</tr>', page)
    assert found is not None
    spent = [float(each) for each in re.findall(r'value="([^"]*)"', found.group(1))]
    assert spent == [each["spent_usd"] for each in jobs]
    done = [f"{each['progress']['iteration']:,} of 12,000" for each in jobs]
    assert row_of(page, "Iterations done") == done
    assert row_of(page, "Nodes in all") == ["5", "1"]
    ours, other = row_of(page, "hyperparameters")
    assert "lr: 0.0001" in ours and "lr: 0.5" in other


def test_what_a_dollar_bought_is_drawn_from_each_job_s_own_beginning(two: Told) -> None:
    drawn = points_of(two.client.get("/compare?jobs=esrgan-demo,other").text)
    ours, other = (each["values"] for each in drawn["series"])
    assert drawn["at_s"][0] == 0.0
    assert ours[1] is not None and other[1] is not None
    # The other job's node is paid for, but its last measurement is long ago.
    assert [each["name"] for each in drawn["series"]] == ["esrgan-demo", "other"]
    assert other[-1] is None
    # Each value is one that the job's own page draws.
    for name, values in (("esrgan-demo", ours), ("other", other)):
        own = points_of(two.client.get(f"/jobs/{name}").text)
        known = {value for each in own["series"] for value in each["values"]}
        assert set(values) <= known | {None}


def test_what_scripts_report_of_their_results_is_compared_and_its_absence_said(two: Told) -> None:
    assert "None of them has left a" in two.client.get("/compare?jobs=esrgan-demo,other").text
    two.artifacts.mkdir(parents=True)
    (two.artifacts / "report.json").write_text('{"psnr_db": 27.25, "epochs": 3, "list": [1]}')
    page = two.client.get("/compare?jobs=esrgan-demo,other").text
    assert row_of(page, "psnr db") == ["27.2", "–"]
    assert row_of(page, "epochs") == ["3", "–"]


@pytest.mark.parametrize("query", ["", "?jobs=esrgan-demo", "?jobs=esrgan-demo,esrgan-demo"])
def test_fewer_than_two_jobs_are_refused_in_words(two: Told, query: str) -> None:
    answer = two.client.get(f"/compare{query}")
    assert answer.status_code == 422
    assert "wanted 2 to 5 jobs to compare, got" in answer.text


def test_more_than_five_jobs_are_refused_and_unknown_ones_named(two: Told) -> None:
    names = [another(two, f"net-{number}").spec.name for number in range(6)]
    assert two.client.get(f"/compare?jobs={','.join(names)}").status_code == 422
    assert two.client.get(f"/compare?jobs={','.join(names[:5])}").status_code == 200
    answer = two.client.get("/compare?jobs=esrgan-demo,none")
    assert answer.status_code == 404 and "no job" in answer.text


def test_a_job_that_was_never_measured_is_compared_too(two: Told) -> None:
    another(two, "waits")
    page = two.client.get("/compare?jobs=waits,other").text
    assert row_of(page, "Spent")[0] == "$0"
    another(two, "waits-too").train_on(HALF, 5.0)
    assert two.client.get("/compare?jobs=waits,waits-too").status_code == 200
