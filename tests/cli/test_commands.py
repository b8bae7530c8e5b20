"""Every client command, against the real API."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.archive import unpack
from elastic.cli.job import read_spec
from elastic.cli.node import COLUMNS
from elastic.model import JobPhase, ScriptError
from tests.cli.commands import Run
from tests.cli.conftest import Live
from tests.providers.contract import request
from tests.workloads.esrgan.builders import write_photographs

TRACEBACK = "Traceback (most recent call last):\nValueError: no"
LISTINGS = [
    (("job", "ls"), "first"),
    (("node", "ls"), "small on-demand"),
    (("type", "ls"), "large"),
    (("price", "ls"), "$0.36"),
    (("price", "ls", "--current"), "$0.72"),
    (("price", "history", "large"), "large on-demand"),
    (("measurement", "ls"), "1 x small on-demand"),
    (("decision", "ls"), "small is the cheapest"),
    (("ledger", "ls"), "total $0.006"),
    (("event", "ls"), "job_submitted"),
]


@pytest.mark.parametrize(
    ("command", "shown"),
    LISTINGS,
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_a_listing_is_a_table_by_default(command: tuple[str, ...], shown: str, run: Run) -> None:
    outcome = run(*command)
    assert (outcome.status, outcome.err) == (0, "")
    assert shown in outcome.out


def test_of_node_types_as_many_are_listed_as_asked_for(run: Run) -> None:
    assert len(json.loads(run("type", "ls", "-o", "json").out)) > 1
    assert len(json.loads(run("type", "ls", "-n", "1", "-o", "json").out)) == 1


@pytest.mark.parametrize("command", [command for command, _ in LISTINGS], ids=" ".join)
def test_a_listing_is_json_if_asked(command: tuple[str, ...], run: Run) -> None:
    found = json.loads(run(*command, "-o", "json").out)
    assert isinstance(found, list)
    assert found


@pytest.mark.parametrize("command", [command for command, _ in LISTINGS], ids=" ".join)
def test_a_listing_is_csv_if_asked_and_has_all_that_its_json_has(
    command: tuple[str, ...], run: Run
) -> None:
    found = json.loads(run(*command, "-o", "json").out)
    rows = list(csv.DictReader(io.StringIO(run(*command, "-o", "csv").out)))
    assert len(rows) == len(found)
    plain = [name for name, value in found[0].items() if not isinstance(value, dict)]
    assert set(plain) <= set(rows[0])
    assert [row[plain[0]] for row in rows] == [str(each[plain[0]]) for each in found]


def test_a_job_is_shown_by_name_with_its_money(run: Run) -> None:
    out = run("job", "get", "first").out
    assert "iteration 60 of 100" in out
    assert "spent $0.006" in out
    assert "20,000" in out, "the newest decision's candidates"


def test_a_job_that_there_is_not_is_status_5(run: Run) -> None:
    outcome = run("job", "get", "nobody")
    assert outcome.status == 5
    assert "nobody" in outcome.err


def test_a_wrong_token_is_status_4(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELASTICD_TOKEN", "wrong")
    outcome = run("job", "ls")
    assert outcome.status == 4
    assert "elasticd token show" in outcome.err


def test_nobody_there_is_status_3(run: Run) -> None:
    assert run("--url", "http://127.0.0.1:1", "job", "ls").status == 3


def test_an_unknown_option_is_status_2(run: Run) -> None:
    assert run("job", "ls", "--nonsense").status == 2


def test_a_decision_is_explained_in_words_and_numbers(run: Run, live: Live) -> None:
    out = run("decision", "explain", str(live.decision_id)).out
    assert "start: 1 x small on-demand" in out
    assert "small is the cheapest" in out
    assert "usd_per_h = 0.36" in out
    assert run("job", "explain", "first").out == out


def test_an_explained_decision_holds_its_whole_snapshot_as_json(run: Run, live: Live) -> None:
    found = json.loads(run("decision", "explain", str(live.decision_id), "-o", "json").out)
    assert found["snapshot"]["job"]["iteration"] == 60


def test_an_explained_decision_says_what_would_have_had_others_chosen(run: Run, live: Live) -> None:
    assert (
        "there was no other candidate"
        in run("decision", "explain", str(live.decision_id), "--what-if").out
    )
    found = json.loads(
        run("decision", "explain", str(live.decision_id), "--what-if", "-o", "json").out
    )
    assert found["what_if"] == []


def test_a_replay_that_differs_is_status_1(run: Run, live: Live) -> None:
    # The decision was made by hand, so that the policy decides otherwise.
    outcome = run("decision", "replay", str(live.decision_id))
    assert outcome.status == 1
    assert "another plan" in outcome.out


def test_the_ledger_is_added_up_in_a_table_or_as_json(run: Run) -> None:
    assert "total $0.006, going on at $0.36/h" in run("ledger", "summary", "--by", "day").out
    found = json.loads(run("ledger", "summary", "-o", "json").out)
    assert (found["by"], len(found["items"]), found["burn_usd_per_h"]) == ("job", 1, 0.36)


def test_the_report_adds_up_the_ledger(run: Run) -> None:
    out = run("job", "report", "first").out
    assert "total $0.006" in out
    assert "only fixed choice: 1 x small on-demand" in out


def test_logs_are_text(run: Run) -> None:
    assert run("job", "logs", "first", "--tail", "5").status == 0


def test_a_watch_that_times_out_is_status_101(run: Run) -> None:
    outcome = run("job", "watch", "first", "--timeout", "0")
    assert outcome.status == 101
    assert "60/100 it" in outcome.out


def test_a_list_of_nodes_tells_of_those_that_were_not_heard_for_long() -> None:
    (column,) = [each for each in COLUMNS if each.title == "UNHEARD"]
    assert [column.show(each) for each in (3.0, 20.0, 75.0)] == ["-", "20 s", "1 min 15 s"]


def test_a_node_is_shown_with_everything_known(run: Run) -> None:
    node_id = json.loads(run("node", "ls", "-o", "json").out)[0]["id"]
    assert json.loads(run("node", "get", node_id).out)["phase"] == "joined"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text("")
    file = tmp_path / "job.yaml"
    file.write_text("name: second\ncommand: [train.py, --lr, '2e-4']\niterations: 10\n")
    return file


def test_a_dry_run_prints_the_plan_and_submits_nothing(run: Run, spec: Path) -> None:
    outcome = run("job", "submit", "-f", str(spec), "--dry-run")
    assert outcome.status == 0
    assert "first: start on small: " in outcome.out
    assert "->  1 x small on-demand" in outcome.out
    assert "second" not in run("job", "ls").out


def test_plan_prints_the_same_and_submits_nothing(run: Run, spec: Path) -> None:
    outcome = run("plan", str(spec))
    assert outcome.status == 0
    assert outcome.out == run("job", "submit", "-f", str(spec), "--dry-run").out
    assert json.loads(run("plan", str(spec), "-o", "json").out)["forecast"]["left_s"] is None
    assert "second" not in run("job", "ls").out


def test_a_script_that_is_not_beside_its_file_is_told_before_anything_is_paid(
    run: Run, spec: Path
) -> None:
    (spec.parent / "train.py").unlink()
    outcome = run("job", "submit", "-f", str(spec), "-y")
    assert outcome.status == 2
    assert f"nothing is at {spec.parent / 'train.py'}" in outcome.err
    assert "second" not in run("job", "ls").out


def test_weights_that_are_nowhere_are_told_before_anything_is_paid(run: Run, spec: Path) -> None:
    (spec.parent / "photos").mkdir()
    job = "name: second\nworkload: esrgan\npreset: small\ndata: photos\n"
    for init in ("nothere.safetensors", str(spec.parent / "nothere.safetensors")):
        spec.write_text(f"{job}init: {init}\n")
        for asked in (["--dry-run"], ["-y"]):
            outcome = run("job", "submit", "-f", str(spec), *asked)
            assert outcome.status == 2
            assert "init: " in outcome.err and "nothere.safetensors" in outcome.err
    assert "second" not in run("job", "ls").out


def test_nobody_to_ask_is_status_2_and_submits_nothing(run: Run, spec: Path) -> None:
    assert run("job", "submit", "-f", str(spec)).status == 2
    assert "second" not in run("job", "ls").out


def test_the_limits_of_a_job_are_priced_and_changed(run: Run, spec: Path) -> None:
    spec.write_text(spec.read_text().replace("second", "limited"))
    job = json.loads(run("job", "submit", "-f", str(spec), "-y", "-o", "json").out)["id"]
    assert run("job", "limit", job).status == 2
    asked = run("job", "limit", job, "--budget", "4")
    assert asked.status == 2 and "There is no terminal to ask on: say --yes" in asked.err
    assert "now:  no nodes" in asked.out and "then: 1 x small on-demand at $0.36/h" in asked.out
    assert "for at most $4.00" not in run("job", "get", job).out
    done = run("job", "limit", job, "--budget", "4", "--deadline", "6h", "-y")
    assert done.status == 0 and "for at most $4.00" in done.out
    assert "for at most $4.00" in run("job", "get", job).out
    late = run("job", "limit", job, "--deadline", "2001-01-01T00:00:00Z", "-y")
    assert late.status == 2 and "still to come" in late.err
    assert "budget $4.00" in run("event", "ls").out


def test_a_submitted_job_can_be_scaled_and_stopped(run: Run, spec: Path) -> None:
    submitted = run("job", "submit", "-f", str(spec), "-y", "-o", "json", "--idempotency-key", "k")
    job = json.loads(submitted.out)
    assert job["spec"]["command"][0] == str(spec.parent / "train.py"), (
        "relative paths count from the file's folder"
    )
    again = json.loads(
        run("job", "submit", "-f", str(spec), "-y", "-o", "json", "--idempotency-key", "k").out
    )
    assert again["id"] == job["id"]
    assert run("job", "scale", job["id"]).status == 2
    asked = run("job", "scale", job["id"], "--type", "large")
    assert asked.status == 2 and "There is no terminal to ask on: say --yes" in asked.err
    assert "now:  no nodes" in asked.out and "then: 1 x large on-demand at $0.72/h" in asked.out
    assert (
        json.loads(run("job", "get", job["id"], "-o", "json").out)["spec"]["policy"] == "best_value"
    )
    assert run("job", "scale", job["id"], "--type", "large", "-y").status == 0
    assert run("job", "scale", job["id"], "--nodes", "many").status == 2
    refused = run("job", "scale", job["id"], "--nodes", "4", "-y")
    assert refused.status == 2 and "wanted 1 to 1, the bounds of job second; got 4" in refused.err
    assert run("job", "scale", job["id"], "--nodes", "1", "-y").status == 0
    assert "1 node of large, scaled to 1" in run("job", "get", job["id"]).out
    assert "scaled" not in run("job", "scale", job["id"], "--nodes", "auto", "-y").out
    assert run("job", "stop", job["id"], "-y").status == 0
    assert run("job", "watch", job["id"], "--timeout", "0").status == 101


def test_a_job_that_is_over_is_resumed_within_new_limits(run: Run, spec: Path, live: Live) -> None:
    spec.write_text(spec.read_text().replace("second", "third"))
    name = json.loads(run("job", "submit", "-f", str(spec), "-y", "-o", "json").out)["id"]
    refused = run("job", "resume", name)
    assert refused.status == 6 and "it goes on" in refused.err
    run("job", "stop", name, "-y")
    live.world.store.jobs.move(name, JobPhase.CANCELLED, now_s=live.world.clock.now_s())
    assert f"`elasticd job resume {name}` continues it" in run("job", "get", name).out
    assert run("job", "resume", name, "--deadline", "never").status == 2
    resumed = run("job", "resume", name, "--budget", "5", "--deadline", "6h", "--max-nodes", "3")
    assert resumed.status == 0
    assert resumed.out.startswith(f"job {name}: submitted, goes on at iteration 0 with $0")
    shown = run("job", "get", name).out
    assert "1 to 3 nodes" in shown
    assert "for at most $5" in shown and "job resume" not in shown
    assert run("job", "watch", name, "--timeout", "0").status == 101
    assert f"{name}" in run("job", "ls").out


def test_a_job_that_failed_shows_its_traceback_and_goes_on_with_mended_code(
    run: Run, live: Live, folder: Path
) -> None:
    (folder / "sent.yaml").write_text((folder / "sent.yaml").read_text().replace("sent", "broken"))
    sent = json.loads(run("job", "submit", "-f", "sent.yaml", "-y", "-o", "json").out)
    store, now_s = live.world.store, live.world.clock.now_s()
    store.jobs.note_error(
        sent["id"], ScriptError("ValueError", "ValueError: no", lines=TRACEBACK), generation=1
    )
    store.jobs.move(sent["id"], JobPhase.DRAINING, now_s=now_s)
    store.jobs.move(sent["id"], JobPhase.FAILED, now_s=now_s, message="it failed twice")
    assert "  ValueError: no" in run("job", "get", sent["id"]).out
    assert TRACEBACK in run("job", "watch", sent["id"]).out
    assert run("job", "resume", sent["id"], "--code", str(folder)).status == 2, (
        "there the script is not"
    )
    (folder / "app/lib/net.py").write_text("mended = True\n")
    assert run("job", "resume", sent["id"], "--requirements", "nowhere.txt").status == 2
    (folder / "packages.txt").write_text("einops  # was misspelt\n")
    mended = ("--code", str(folder / "app"), "--requirements", str(folder / "packages.txt"))
    named = ("--outputs", "*.pt", "--outputs", "runs", "--setup", "make")
    assert run("job", "resume", sent["id"], *mended, *named).status == 0
    spec = store.jobs.get(sent["id"]).spec
    assert (spec.requirements, spec.outputs, spec.setup) == (
        ("einops",),
        ("*.pt", "runs"),
        ("make",),
    )
    resumed = store.jobs.get(sent["id"])
    assert (resumed.phase, resumed.error) == (JobPhase.SUBMITTED, None)
    assert resumed.spec.code not in (None, sent["spec"]["code"])
    assert store.events.listed(job_id=sent["id"])[-1].text.startswith(
        "job broken is resumed by REST at iteration 0; with other code"
    )
    run("job", "stop", sent["id"], "-y")
    store.jobs.move(sent["id"], JobPhase.CANCELLED, now_s=now_s)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A job's file, and in a folder beside it the code that it sends along."""
    (tmp_path / "app/lib").mkdir(parents=True)
    (tmp_path / "app/train.py").write_text("ELASTICD_MODE = 'live'\nimport lib.net\n")
    (tmp_path / "app/lib/net.py").write_text("")
    (tmp_path / "sent.yaml").write_text("name: sent\ncode: app\ncommand: [train.py]\n")
    return tmp_path


def test_a_jobs_file_without_its_option_is_told_the_option(run: Run) -> None:
    found = run("job", "submit", "job.yaml", "--yes")
    assert found.status == 2
    assert found.err.endswith("if that is a job's file, submit it by -f job.yaml\n")


def test_a_name_beside_a_jobs_file_is_refused(run: Run) -> None:
    found = run("job", "submit", "-f", "job.yaml", "--name", "second", "--yes")
    assert found.status == 2
    assert "job.yaml has the name of its job: write `name: second` there" in found.err


def test_a_jobs_own_file_is_no_part_of_its_program(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "name: mine\ncode: .\ncommand: train.py 60\niterations: 60\n"
    (folder / "train.py").write_text("")
    sums = []
    for goal in ("", "objective: {deadline: 2h}\n", "objective: {deadline: 3h}\n"):
        (folder / "job.yaml").write_text(text + goal)
        document, code = read_spec(str(folder / "job.yaml"))
        assert code is not None
        assert not {"job.yaml"} & set(code.paths)
        sums.append(document["code"])
    assert len(set(sums)) == 1
    (folder / "other.yaml").write_text(text.replace("mine", "other"))
    assert read_spec(str(folder / "other.yaml"))[0]["code"] == sums[0]
    (folder / "elasticd.toml").write_text(
        'look_token_file = "tokens/look"\nmetrics_token_file = "tokens/metrics"\n'
        'price_trace = "prices.csv"\ntls = {cert = "cert.pem", key = "key.pem"}\n'
        '[ssh]\nhosts_file = "hosts.yaml"\n'
    )
    (folder / "hosts.yaml").write_text("hosts: {desk: {usd_per_h: 0.04}}\n")
    (folder / "tokens").mkdir()
    for name in ("look", "metrics", "certificate.pem"):
        (folder / "tokens" / name).write_text("x")
    for name in ("prices.csv", "cert.pem", "key.pem"):
        (folder / name).write_text("x")
    monkeypatch.chdir(folder)
    assert read_spec("job.yaml")[0]["code"] == sums[0], "nor are the daemon's settings"
    (folder / "config.yaml").write_text("command: train.py\nlayers: 3\n")
    document, code = read_spec(str(folder / "job.yaml"))
    assert code is not None
    assert "config.yaml" in code.paths, "a script's own settings are sent"
    assert document["code"] != sums[0]


def test_a_plan_of_what_is_not_sold_promises_nothing(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(
        "name: spot\ncommand: train.py\niterations: 10\ncapacity: spot\nobjective: {deadline: 2h}\n"
    )
    (tmp_path / "train.py").touch()
    out = run("plan", str(file)).out
    assert "note: capacity is spot, and no spot machine" in out
    assert "first windows" not in out
    assert "USD/H" not in out


def test_a_folder_of_code_is_sent_along(run: Run, live: Live, folder: Path) -> None:
    planned = run("job", "submit", "-f", "sent.yaml", "--dry-run")
    assert "code: 2 files, " in planned.out
    assert run("job", "submit", "-f", "sent.yaml", "-y").status == 0
    spec = json.loads(run("job", "get", "sent", "-o", "json").out)["spec"]
    assert (spec["command"], spec["mode"]) == (["train.py"], "live"), (
        "its own word is read in the folder"
    )
    unpack(live.world.store.code.get(spec["code"]), folder / "there")
    assert (folder / "there/lib/net.py").read_text() == ""


def test_what_a_file_and_the_shell_hold_is_sent_along(
    run: Run, live: Live, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANDB_API_KEY", "very-secret")
    (folder / "requirements.txt").write_text("einops==0.8\n")
    (folder / "sent.yaml").write_text(
        "name: brings\ncode: app\ncommand: torchrun --nproc_per_node 2 train.py --lr 0.1\n"
        "requirements: requirements.txt\nenv: [WANDB_API_KEY, EPOCHS=3]\n"
    )
    printed = run("job", "submit", "-f", "sent.yaml", "-y", "-o", "json")
    assert printed.status == 0, printed.err
    spec = live.world.store.jobs.get("brings").spec
    assert (spec.command, spec.nproc_per_node) == (("train.py", "--lr", "0.1"), 2)
    assert spec.requirements == ("einops==0.8",)
    assert "very-secret" not in str(spec)
    assert live.world.context.sealer.opened(spec)["WANDB_API_KEY"] == "very-secret"
    shown = [
        printed.out,
        *(run("job", *words, "-o", "json").out for words in (("get", "brings"), ("ls",))),
    ]
    assert all("very-secret" not in each and "EPOCHS" in each for each in shown)
    monkeypatch.delenv("WANDB_API_KEY")
    outcome = run("job", "submit", "-f", "sent.yaml", "-y")
    assert (outcome.status, "WANDB_API_KEY" in outcome.err) == (2, True)


def test_a_command_alone_is_a_job_of_the_folder_that_one_is_in(
    run: Run, live: Live, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "app")
    assert (
        run(
            "job",
            "submit",
            "-y",
            "--",
            "torchrun",
            "--nproc_per_node",
            "2",
            "train.py",
            "--lr",
            "1",
        ).status
        == 0
    )
    spec = live.world.store.jobs.get("app").spec
    assert (spec.command, spec.nproc_per_node) == (("train.py", "--lr", "1"), 2)
    assert spec.code is not None
    assert run("job", "submit", "-y", "--name", "other", "--", "python", "train.py").status == 0
    assert (
        run("job", "submit", "-y", "--name", "quoted", "--", "torchrun train.py --lr 1").status == 0
    )
    assert live.world.store.jobs.get("quoted").spec.command == ("train.py", "--lr", "1")
    for words in ((), ("-f", "job.yaml", "--", "python", "train.py")):
        outcome = run("job", "submit", "-y", *words)
        assert (outcome.status, "wanted either a job's file" in outcome.err) == (2, True)


def test_a_script_that_would_not_be_sent_is_told(run: Run, folder: Path) -> None:
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / ".gitignore").write_text("train.py\n")
    assert "git ignores it" in run("job", "submit", "-f", "sent.yaml", "-y").err
    (folder / "app/train.py").unlink()
    outcome = run("job", "submit", "-f", "sent.yaml", "-y")
    assert (outcome.status, "train.py is not among the files of" in outcome.err) == (2, True)
    assert "nothing is there" in outcome.err
    unknown = run("job", "submit", "-y", "--", "snakemake", "train").err
    assert (
        "snakemake is not among the files of" in unknown
        and "no program that elasticd understands" in unknown
    )


def test_data_of_a_script_counts_from_the_jobs_file_like_its_code(
    run: Run, live: Live, folder: Path
) -> None:
    (folder / "pictures").mkdir()
    (folder / "app/job.yaml").write_text(
        "name: with-data\ncode: .\ncommand: train.py\ndata: ../pictures\n"
    )
    assert run("job", "submit", "-f", "app/job.yaml", "-y").status == 0
    assert live.world.store.jobs.get("with-data").spec.data == str(folder / "pictures")


def test_the_images_of_a_job_are_looked_at_before_it_is_submitted(run: Run, tmp_path: Path) -> None:
    write_photographs(tmp_path / "photos", count=4)
    (tmp_path / "photos" / "1.png").write_bytes(b"not an image")
    job = "name: looked-at\nworkload: esrgan\npreset: small\ndata: photos\n"
    (tmp_path / "job.yaml").write_text(job + "hyperparameters: {hr_width: 48, hr_height: 48}\n")
    planned = run("job", "submit", "-f", "job.yaml", "--dry-run")
    assert planned.status == 0
    assert f"data: an image is left out: {tmp_path}/photos/1.png: wanted an image" in planned.err
    assert "3 of 4 images are smaller than a crop of 48 x 48" in planned.err
    (tmp_path / "job.yaml").write_text(job + "hyperparameters: {most_unreadable: 0}\n")
    refused = run("job", "submit", "-f", "job.yaml", "-y")
    assert (
        refused.status,
        "wanted at most 0 images that cannot be read, found 1" in refused.err,
    ) == (2, True)
    assert run("job", "get", "looked-at").status == 5
    (tmp_path / "job.yaml").write_text(
        "name: a\nworkload: esrgan\nhyperparameters: {dataset_name: celeba}\n"
    )
    refused = run("job", "submit", "-f", "job.yaml", "-y")
    assert (refused.status, f"looked at {tmp_path}/data/celeba and " in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: a\ncommand: [x.py]\nnodez: 1\n", "nodez"),
        ("name: ../a\ncommand: [x.py]\n", "name"),
        ("a: &a [1]\nb: *a\n", "anchors"),
    ],
)
def test_a_wrong_job_is_status_2_and_says_where(
    text: str, said: str, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "wrong.yaml").write_text(text)
    outcome = run("job", "submit", "-f", "wrong.yaml", "-y")
    assert outcome.status == 2
    assert said in outcome.err


def test_a_missing_file_is_status_2(run: Run) -> None:
    assert run("job", "submit", "-f", "missing.yaml", "-y").status == 2


def test_an_audit_ends_with_status_1_if_and_only_if_ledger_and_cloud_differ(
    run: Run, live: Live
) -> None:
    assert (run("audit").status, json.loads(run("audit", "-o", "json").out)["findings"]) == (0, [])
    for number in (1, 2):  # the first one has the name of the machine on record
        live.world.context.provider.launch(
            request(number, live.world.context.provider.offerings()[0])
        )
    done = run("audit")
    assert (done.status, "unknown" in done.out, "gc --terminate" in done.out) == (1, True, True)


def test_jobs_are_listed_by_phase_name_and_order(run: Run, live: Live) -> None:
    first = live.world.store.jobs.get("first")
    assert "first" in run("job", "ls", "--phase", first.phase, "--match", "FIR").out
    assert "first" not in run("job", "ls", "--match", "nothing").out
    assert "first" not in run("job", "ls", "--phase", "failed", "--phase", "cancelled").out
    for order in ("attention", "newest", "value", "cost", "left"):
        assert "first" in run("job", "ls", "--first", order).out
    assert run("job", "ls", "--phase", "nonsense").status == 2


def test_jobs_are_compared_side_by_side(run: Run, live: Live) -> None:
    first = live.world.store.jobs.get("first")
    spec = replace(first.spec, name="compared")
    live.world.store.jobs.submit(spec, key=None, request_hash="c", now_s=first.submitted_at_s)
    said = run("job", "compare", "first", "compared")
    assert said.status == 0
    lines = [line.split() for line in said.out.splitlines()]
    assert ["first", "compared"] in lines
    assert ["spent", "$0.006", "$0"] in lines
    both = json.loads(run("job", "compare", "first", "compared", "-o", "json").out)
    assert [each["job"]["spec"]["name"] for each in both] == ["first", "compared"]
    assert [each["report"]["spent_usd"] for each in both][1] == 0.0
    assert run("job", "compare", "first").status == 2
