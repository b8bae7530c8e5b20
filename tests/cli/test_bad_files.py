"""A file or a folder that a person names wrongly: what was wanted, what was found, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.reconciler import JobFolders
from tests.cli.commands import Run, runner
from tests.cli.conftest import Live


@pytest.fixture
def bare(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Run:
    """Runs a command line in a folder with a few files, where no daemon is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELASTICD_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ELASTICD_TOKEN", "x")
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(tmp_path / "data"))
    Path("folder").mkdir()
    Path("job.yaml").write_text("name: a\ncode: ./nope\ncommand: train.py\n")
    Path("play.yaml").write_text("name: a\ncommand: train.py\niterations: 9\n")
    Path("needs.yaml").write_text("name: a\ncommand: train.py\nrequirements: nope.txt\n")
    Path("broken.yaml").write_text("{\n")
    return runner(capsys)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "job submit -f nope.yaml",
            "nope.yaml: wanted a job's YAML or JSON, found no such file: name the job's file, or "
            "without one give the command: `elasticd job submit -- torchrun train.py`",
        ),
        ("plan nope.yaml", "nope.yaml: wanted a job's YAML or JSON, found no such file: name"),
        ("plan folder", "folder: wanted a job's YAML or JSON, found a folder: name the job's"),
        ("sweep nope.yaml", "nope.yaml: wanted a job's YAML or JSON, found no such file"),
        ("job submit -y -f broken.yaml", "broken.yaml: not JSON: "),
        ("job submit -y -f job.yaml", "nope, found nothing there: name the folder of the script"),
        ("job resume a --code job.yaml", "job.yaml, found a file: name the folder of the script"),
        (
            "job submit -y -f needs.yaml",
            "nope.txt: wanted a file of pip's lines, found no such file: name it as it is seen",
        ),
        (
            "backtest play.yaml --prices nope.csv --speeds nope.csv",
            "nope.csv: wanted speeds as CSV (UTF-8), found no such file: docs/how-to/backtest.md",
        ),
        (
            "lab --scenario nope.yaml",
            "nope.yaml: wanted the YAML of a scenario, found no such file: examples/lab has some",
        ),
        (
            "--ca-file nope.pem status",
            "nope.pem: wanted the daemon's certificate as PEM, found no such file: name it with",
        ),
        (
            "--token-file folder token rotate",
            "folder: wanted a file for the token, it cannot be written (Is a directory): name "
            "another with --token-file",
        ),
        ("--token-file . token rotate", ".: wanted a file for the token, it cannot be written"),
        (
            "db backup job.yaml/a.tar",
            "job.yaml/a.tar: wanted a file for the backup, it cannot be written (File exists: "
            "job.yaml): choose another place",
        ),
        (f"db backup {'a' * 300}", "cannot be written (File name too long): choose another place"),
        ("db backup", "wanted the daemon's database, found no such file: run this as the daemon's"),
    ],
)
def test_it_says_what_was_wanted_what_was_found_and_what_to_do(
    bare: Run, line: str, said: str
) -> None:
    outcome = bare(*line.split())
    assert outcome.status in (2, 5), outcome.err
    assert said in outcome.err


@pytest.mark.parametrize(
    "line",
    [
        ["serve", "--data-dir", ""],
        ["serve", "--price-trace", ""],
        ["db", "restore", "x", "--data-dir", ""],
    ],
)
def test_an_empty_path_is_not_the_working_folder(bare: Run, line: list[str]) -> None:
    outcome = bare(*line)
    assert outcome.status == 2 and "wanted a path, got an empty one" in outcome.err


@pytest.mark.parametrize(
    ("named", "found"),
    [("folder", "a folder"), ("job.yaml/x", "a file where its folder should be")],
)
def test_a_token_that_cannot_be_read_is_told(bare: Run, named: str, found: str) -> None:
    outcome = bare("--token-file", named, "token", "show")
    assert outcome.status == 4
    assert f"{named}: wanted a file with a token, found {found}: name another" in outcome.err


@pytest.mark.parametrize(
    ("named", "found"),
    [("folder", "a folder"), ("job.yaml/x", "a file where its folder should be")],
)
def test_a_named_file_of_settings_that_cannot_be_read_is_told(
    bare: Run, named: str, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELASTICD_CONFIG", named)
    outcome = bare("token", "show", "--path")
    assert outcome.status == 2
    said = f"ELASTICD_CONFIG: {named}: wanted a file with settings, found {found}: name another"
    assert said in outcome.err


def test_an_artifact_whose_name_is_taken_keeps_no_other_one_back(live: Live, run: Run) -> None:
    root = JobFolders(live.world.context.settings.data_dir / "jobs")
    kept = root.artifacts(live.job_id)
    kept.mkdir(parents=True, exist_ok=True)
    for name in ("a.txt", "b.txt", "c.txt"):
        (kept / name).write_text(name)
    Path("saved/b.txt").mkdir(parents=True)
    outcome = run("job", "artifacts", "first", "--save", "saved")
    assert outcome.status == 1
    assert "saved/b.txt: Is a directory" in outcome.err and "with --save" in outcome.err
    assert Path("saved/a.txt").read_text() == "a.txt" and Path("saved/c.txt").is_file()


def test_results_are_not_downloaded_into_a_file(live: Live, run: Run) -> None:
    Path("taken").write_text("")
    for line in ("outputs first -o taken", "artifacts first --save taken"):
        outcome = run("job", *line.split())
        assert outcome.status == 2, outcome.err
        assert "taken: wanted a folder to download into, it cannot be made" in outcome.err
        assert "name another with -" in outcome.err
