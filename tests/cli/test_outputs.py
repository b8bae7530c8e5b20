"""`elasticd job outputs` lists what came home, and brings it whole or not at all."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from elastic.archive import pack
from tests.api.outputs import carry_home
from tests.cli.commands import Run
from tests.cli.conftest import Live


def test_outputs_are_listed_and_brought_with_their_times(
    run: Run, live: Live, tmp_path: Path
) -> None:
    carry_home(live.world, live.job_id, tmp_path, generation=1, model="weights", runs__log="line")
    listed = run("job", "outputs", "first")
    assert listed.status == 0 and "runs/log" in listed.out and "7" in listed.out
    found = json.loads(run("job", "outputs", "first", "--json").out)
    assert [each["path"] for each in found] == ["model", "runs/log"]
    brought = run("job", "outputs", "first", "-o", "mine")
    assert "2 brought to mine, 0 there already" in brought.out
    assert (Path("mine/model").read_text(), Path("mine/runs/log").read_text()) == (
        "weights",
        "line",
    )
    assert Path("mine/model").stat().st_mtime == found[0]["modified_at_s"]
    Path("mine/model").write_text("changed here")
    assert "1 brought to mine, 1 there already" in run("job", "outputs", "first", "-o", "mine").out
    assert sorted(each.name for each in Path("mine").iterdir()) == [".gitignore", "model", "runs"]


@pytest.mark.parametrize("has_git", [False, True])
def test_what_was_brought_beside_the_code_is_not_sent_with_it(
    run: Run, live: Live, tmp_path: Path, has_git: bool
) -> None:
    carry_home(
        live.world, live.job_id, tmp_path / "there", generation=1, model="weights", runs__log="line"
    )
    code = tmp_path / "code"
    (code / "data").mkdir(parents=True)
    (code / "train.py").write_text("pass")
    if has_git:
        subprocess.run(["git", "init", "-q", code], check=True)
    assert run("job", "outputs", "first", "-o", str(code / "results")).status == 0
    assert run("job", "outputs", "first", "-o", str(code / "data")).status == 0
    assert pack(code).paths == ("data/model", "data/runs/log", "train.py"), (
        "a folder that was there is the user's own"
    )


def test_a_name_as_long_as_names_can_be_is_brought(run: Run, live: Live, tmp_path: Path) -> None:
    names = ("x" * 250 + ".text", "é中.txt")
    carry_home(
        live.world, live.job_id, tmp_path / "there", generation=1, **dict.fromkeys(names, "line")
    )
    assert "2 brought to mine" in run("job", "outputs", "first", "-o", "mine").out
    assert {each.name for each in Path("mine").iterdir()} == {".gitignore", *names}


def test_a_file_that_cannot_be_written_is_named_and_the_others_are_brought(
    run: Run, live: Live, tmp_path: Path
) -> None:
    carry_home(live.world, live.job_id, tmp_path / "there", generation=1, model="a", runs="b")
    Path("mine/model/mine").mkdir(parents=True)
    outcome = run("job", "outputs", "first", "-o", "mine")
    assert outcome.status == 1
    assert "1 brought to mine, 0 there already, 1 that cannot be written:" in outcome.err
    assert "\nmodel: Is a directory\n" in outcome.err
    assert Path("mine/runs").read_text() == "b"
    assert not list(Path("mine").glob("*.part"))
