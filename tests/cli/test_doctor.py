"""Doctor finds what would keep elasticd from working."""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from api.app import give_context
from elastic.authority import Authority, validity_s
from elastic.cli import checks
from elastic.cli.checks import check_alarms
from elastic.clock import ManualClock
from elastic.config import Settings, load_settings
from elastic.errors import Forbidden
from elastic.reconciler import Alarms, LeaseHolder, TerminationPermission
from elastic.store import lock
from tests.api.world import TOKEN
from tests.cli.commands import runner
from tests.cli.conftest import Live
from tests.cli.torch_stand_in import torch_that_loads_at_once


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("ELASTICD_CONFIG", os.devnull)
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ELASTICD_PORT", "0")
    return load_settings()


def test_a_fresh_machine_has_nothing_to_mend(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = runner(capsys)("doctor", "-o", "json")
    assert outcome.status == 0
    found = {each["name"]: each["level"] for each in json.loads(outcome.out)}
    assert found["packages"] == found["data folder"] == found["clock"] == "ok"
    assert found["token"] == found["database"] == "warning"
    assert not settings.data_dir.exists(), "doctor changes nothing"


def test_what_is_wrong_with_the_daemon_that_runs_is_to_be_mended(
    monkeypatch: pytest.MonkeyPatch, live: Live
) -> None:
    monkeypatch.setenv("ELASTICD_URL", live.url)
    monkeypatch.setenv("ELASTICD_TOKEN", TOKEN)
    assert [(each.name, each.level) for each in check_alarms()] == [("alarms", "ok")]
    right = TerminationPermission(lambda _: None, 600.0)
    right.note_failure(Forbidden("allow ec2:TerminateInstances"))
    leader_lease = LeaseHolder(
        cluster="c", holder="h", place="p", clock=live.world.clock, register=None
    )
    alarms = Alarms(leader_lease, right)
    alarms.look(live.world.store, None, now_s=live.world.clock.now_s())
    give_context(live.app, replace(live.world.context, alarms=alarms, right=right))
    (found,) = check_alarms()
    assert (found.name, found.level) == ("alarm cannot_end", "error")
    assert "allow ec2:TerminateInstances" in found.found
    assert "gc --terminate" in found.advice


@pytest.mark.parametrize("has_operators", [True, False])
def test_a_torchvision_without_its_operators_is_not_vouched_for(
    has_operators: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    torch_that_loads_at_once(tmp_path, monkeypatch, has_operators=has_operators)
    found = checks.check_torch()
    if has_operators:
        assert (found.level, found.advice) == ("ok", "") and found.found.endswith("operators work")
    else:
        assert found.level == "warning" and "(nms, roi_align and others) do not work" in found.found
        assert "of the same build" in found.advice


def test_names_a_foreign_package_of_our_name() -> None:
    found = checks.check_packages({"elastic": ["elasticd", "elastic"], "api": ["elasticd"]})
    assert (found.level, found.advice) == ("error", "pip uninstall elastic")


def test_a_token_that_others_may_read_is_to_be_mended(settings: Settings) -> None:
    settings.data_dir.mkdir()
    settings.token_file.write_text("abc")
    settings.token_file.chmod(0o644)
    assert checks.check_token(settings).level == "error"
    settings.token_file.chmod(0o600)
    assert checks.check_token(settings).level == "ok"


def test_a_secret_that_others_may_read_is_to_be_mended(settings: Settings) -> None:
    settings.data_dir.mkdir()
    for file in (settings.token_file, settings.data_dir / "secret"):
        file.touch(0o600)
    assert checks.check_token(settings).level == "ok"
    (settings.data_dir / "secret").chmod(0o644)
    found = checks.check_token(settings)
    assert (found.level, found.advice) == (
        "error",
        f"chmod 600 {settings.token_file} {settings.data_dir / 'secret'}",
    )


def test_a_certificate_that_ends_or_was_renewed_after_the_start_is_told(settings: Settings) -> None:
    file = settings.data_dir / "users.pem"
    settings.data_dir.mkdir()
    file.write_text(Authority(b"secret").issue({"localhost"}))
    from_s, until_s = validity_s(file)

    def found(now_s: float) -> tuple[str, str]:
        told = checks.check_certificate(settings, file, now_s=now_s)
        return told.level, told.found

    assert found(from_s - 1.0) == ("error", f"{file}: valid from 2000-01-01T00:00:00Z on")
    assert found(until_s) == ("error", f"{file}: valid until 9999-12-31T23:59:59Z")
    assert found(until_s - 86_400.0)[0] == "warning"
    assert found(from_s)[0] == "ok"
    started = settings.data_dir / "daemon.json"
    started.write_text(json.dumps({"pid": os.getpid()}))
    os.utime(started, (file.stat().st_mtime - 1.0,) * 2)
    level, text = found(from_s)
    assert level == "warning" and text.endswith("the daemon that runs began with the one before")
    file.write_text("no certificate")
    assert found(from_s)[0] == "error"


def test_a_data_folder_that_is_a_file_is_told_and_the_other_checks_go_on(
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    torch_that_loads_at_once(tmp_path, monkeypatch)
    settings.data_dir.write_text("")
    outcome = runner(capsys)("doctor", "-o", "json")
    found = {each["name"]: each for each in json.loads(outcome.out)}
    assert outcome.status == 1
    assert found["data folder"]["found"].endswith("may write to, found a file")
    assert "ELASTICD_DATA_DIR" in found["data folder"]["advice"]
    assert found["token"]["level"] == "error" and found["clock"]["level"] == "ok"


@pytest.mark.parametrize(
    "command",
    [("serve", "--port", "0"), ("db", "migrate"), ("token", "rotate"), ("certificate", "rotate")],
)
def test_a_data_folder_that_cannot_be_used_is_refused_in_words(
    command: tuple[str, ...], settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.data_dir.write_text("")
    outcome = runner(capsys)(*command)
    assert outcome.status == 2
    assert f"{settings.data_dir}: wanted a folder that this user may write to" in outcome.err
    assert "found a file; choose another with --data-dir" in outcome.err


def test_a_taken_port_is_worth_knowing(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        found = checks.check_port(settings.model_copy(update={"port": taken.getsockname()[1]}))
        settings.data_dir.mkdir()
        own = {"port": taken.getsockname()[1], "pid": os.getpid()}
        (settings.data_dir / "daemon.json").write_text(json.dumps(own))
        mine = checks.check_port(settings.model_copy(update={"port": taken.getsockname()[1]}))
    assert (found.level, mine.level) == ("warning", "ok"), "one's own daemon has it by right"


def test_a_daemon_that_runs_with_another_provider_is_worth_knowing(settings: Settings) -> None:
    settings.data_dir.mkdir()
    assert checks.check_settings(settings).level == "ok"
    told = {"port": 1, "pid": os.getpid(), "provider": "ec2"}
    (settings.data_dir / "daemon.json").write_text(json.dumps(told))
    found = checks.check_settings(settings)
    assert (found.level, found.advice) == ("warning", "elasticd doctor --provider ec2")
    assert checks.check_settings(settings.model_copy(update={"provider": "ec2"})).level == "ok"
    (settings.data_dir / "daemon.json").write_text(json.dumps({**told, "pid": 2**22 + 1}))
    assert checks.check_settings(settings).level == "ok", "it runs no more"


def test_a_clock_apart_from_the_file_systems_is_to_be_mended(tmp_path: Path) -> None:
    assert checks.check_clock(tmp_path, ManualClock(1_000_000.0)).level == "error"


def test_a_wrong_setting_is_told_and_nothing_else_is_tried(
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    torch_that_loads_at_once(tmp_path, monkeypatch)
    monkeypatch.setenv("ELASTICD_TICK_S", "-1")
    outcome = runner(capsys)("doctor", "-o", "json")
    assert outcome.status == 1
    assert json.loads(outcome.out)[-1]["name"] == "settings"


def test_the_database_is_migrated_and_checked(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(capsys)
    assert run("db", "check").status == 1
    assert checks.check_database(settings).level == "warning"
    assert run("db", "migrate").status == 0
    assert run("db", "check").status == 0
    assert checks.check_database(settings).level == "ok"


def alter(settings: Settings, statement: str) -> None:
    with closing(sqlite3.connect(settings.data_dir / "elasticd.db")) as connection:
        connection.execute(statement)
        connection.commit()


def test_tables_that_differ_are_named_and_repaired(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(capsys)
    run("db", "migrate")
    alter(settings, "DROP INDEX ix_events_kind")
    checked = run("db", "check")
    assert checked.status == 1 and "differs: table events has no index on: (kind)" in checked.out
    finding = checks.check_database(settings)
    assert (finding.level, finding.found) == ("error", "table events has no index on: (kind)")
    assert run("db", "migrate").status == 0
    assert run("db", "check").status == 0


def test_a_newer_database_is_not_called_one_to_be_migrated(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(capsys)
    run("db", "migrate")
    alter(settings, "UPDATE alembic_version SET version_num = '9999'")
    checked = run("db", "check")
    assert checked.status == 1 and "db migrate" not in checked.out
    assert "to fix: install that elasticd again, or take the copy" in checked.out
    finding = checks.check_database(settings)
    assert finding.level == "error" and finding.advice.startswith("install that elasticd again")


def test_a_backup_gets_a_name_of_its_time_in_the_folder_that_is_given(
    settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run, folder = runner(capsys), tmp_path / "backups"
    folder.mkdir()
    assert run("db", "backup", str(folder)).status == 5
    run("db", "migrate")
    assert run("db", "backup", str(folder)).status == 0
    (file,) = folder.iterdir()
    assert re.fullmatch(r"elasticd-\d{8}T\d{6}Z\.tar", file.name)
    assert run("db", "restore", str(file)).status == 6
    assert run("db", "restore", str(file), "--data-dir", str(tmp_path / "there")).status == 0
    assert (tmp_path / "there" / "elasticd.db").is_file()


def test_a_backup_into_a_folder_that_is_not_there_makes_it(
    settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = runner(capsys)
    run("db", "migrate")
    assert run("db", "backup", f"{tmp_path / 'nightly'}/").status == 0
    assert [each.suffix for each in (tmp_path / "nightly").iterdir()] == [".tar"]


@pytest.mark.parametrize("is_there", [False, True])
def test_a_restore_says_where_checkpoints_must_come_from(
    settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path, is_there: bool
) -> None:
    run, file, there = runner(capsys), tmp_path / "backup.tar", tmp_path / "there"
    run("db", "migrate")
    run("db", "backup", str(file))
    if is_there:
        (there / "jobs").mkdir(parents=True)
    restored = run("db", "restore", str(file), "--data-dir", str(there))
    assert restored.status == 0
    said = f"copy the folder `jobs` of the old data folder to {there / 'jobs'}, or name it"
    assert (said in restored.out) is not is_there


def test_a_restore_beside_a_running_daemon_is_refused(
    settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run, file = runner(capsys), tmp_path / "backup.tar"
    run("db", "migrate")
    run("db", "backup", str(file))
    held = lock(tmp_path / "there")
    outcome = run("db", "restore", str(file), "--data-dir", str(tmp_path / "there"))
    os.close(held)
    assert outcome.status == 6 and "another daemon" in outcome.err


@pytest.mark.parametrize("content", [None, "photos"])
def test_a_restore_of_what_is_no_backup_leaves_nothing(
    settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str | None
) -> None:
    file, there = tmp_path / "backup.tar", tmp_path / "there"
    if content is not None:
        file.write_text(content)
    outcome = runner(capsys)("db", "restore", str(file), "--data-dir", str(there))
    assert outcome.status == (5 if content is None else 2)
    assert not there.exists()
