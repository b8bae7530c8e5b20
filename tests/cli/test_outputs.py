"""`elasticd job outputs` lists what came home, and brings it whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

from tests.api.test_outputs import carry_home
from tests.cli.commands import Run
from tests.cli.conftest import Live


def test_outputs_are_listed_and_brought_with_their_times(run: Run, live: Live, tmp_path: Path) -> None:
    carry_home(live.world, live.job_id, tmp_path, generation=1, model="weights", runs__log="line")
    listed = run("job", "outputs", "first")
    assert listed.status == 0 and "runs/log" in listed.out and "7" in listed.out
    found = json.loads(run("job", "outputs", "first", "--json").out)
    assert [each["path"] for each in found] == ["model", "runs/log"]
    brought = run("job", "outputs", "first", "-o", "mine")
    assert "2 brought to mine, 0 there already" in brought.out
    assert (Path("mine/model").read_text(), Path("mine/runs/log").read_text()) == ("weights", "line")
    assert Path("mine/model").stat().st_mtime == found[0]["modified_at_s"]
    Path("mine/model").write_text("changed here")
    assert "1 brought to mine, 1 there already" in run("job", "outputs", "first", "-o", "mine").out
    assert sorted(each.name for each in Path("mine").iterdir()) == ["model", "runs"]
