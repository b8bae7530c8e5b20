"""Settings that undo one another are refused when the daemon starts."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from elastic.config import _refuse_unknown, load_settings
from elastic.errors import InvalidInput


@pytest.fixture(autouse=True)
def no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELASTICD_CONFIG", os.devnull)


@pytest.mark.parametrize(
    ("settings", "field", "text"),
    [
        ({"policy": {"wind_down_s": 20.0}}, "policy.wind_down_s", "wanted at least 36 s"),
        ({"drain_grace_s": 700.0}, "policy.wind_down_s", "wanted at least 706 s"),
        ({"lease_s": 5.0}, "lease_s", "wanted more than 5 s"),
        (
            {"policy": {"boot_prior_s": 600.0}},
            "policy.boot_prior_s",
            "less than register_timeout_s, 600 s",
        ),
        (
            {"provider": "ec2", "ec2": {"spot_refresh_s": 3600.0}},
            "policy.spot_price_max_age_s",
            "prices become too old",
        ),
        (
            {"provider": "ec2", "ec2": {"on_demand_refresh_s": 9e4}},
            "policy.price_max_age_s",
            "ec2.on_demand_refresh_s",
        ),
    ],
)
def test_settings_that_undo_one_another_are_refused(
    settings: dict[str, object], field: str, text: str
) -> None:
    with pytest.raises(InvalidInput, match=text) as raised:
        load_settings(**settings)
    assert raised.value.field == field


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"lease_s": math.inf}, "lease_s"),
        ({"tick_s": math.inf}, "tick_s"),
        ({"local_types": [{"name": "half", "cpu": math.inf, "usd_per_h": 1}]}, "local_types.0.cpu"),
    ],
)
def test_what_has_no_end_is_no_number(settings: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInput, match="wanted a finite number, got inf") as raised:
        load_settings(**settings)
    assert raised.value.field == field


@pytest.mark.parametrize(
    ("tags", "text"),
    [
        ({"aws:owner": "x"}, "begin with neither aws: nor elasticd:, got 'aws:owner'"),
        (
            {"Elasticd:cluster": "x"},
            "begin with neither aws: nor elasticd:, got 'Elasticd:cluster'",
        ),
        ({"": "x"}, "wanted names of 1 to 128 characters"),
        ({"n" * 129: "x"}, "wanted names of 1 to 128 characters"),
        ({str(number): "x" for number in range(41)}, "wanted at most 40 tags.*got 41"),
    ],
)
def test_tags_that_ec2_or_elasticd_keeps_for_itself_are_refused(
    tags: dict[str, str], text: str
) -> None:
    with pytest.raises(InvalidInput, match=text) as raised:
        load_settings(ec2={"tags": tags})
    assert raised.value.field == "ec2.tags"


@pytest.mark.parametrize(
    ("value", "text"), [("v" * 257, "at most 256 characters"), (4711, "wanted text")]
)
def test_a_tag_whose_value_ec2_does_not_take_is_named(value: object, text: str) -> None:
    with pytest.raises(InvalidInput, match=text) as raised:
        load_settings(ec2={"tags": {"CostCenter": value}})
    assert raised.value.field == "ec2.tags.CostCenter"


def test_as_many_and_as_long_tags_as_ec2_takes_are_taken() -> None:
    tags = {f"{number:0128}": "v" * 256 for number in range(40)}
    assert load_settings(ec2={"tags": tags}).ec2.tags == tags


def test_the_defaults_and_what_just_suffices_are_taken() -> None:
    assert load_settings().policy.wind_down_s == 600.0
    assert load_settings(policy={"wind_down_s": 36.0}).policy.wind_down_s == 36.0


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("foo", "database_url: wanted sqlite or postgresql, got no URL"),
        ("me:secret@host/db", "database_url: wanted sqlite or postgresql, got no URL"),
        ("mysql://x", "database_url: wanted sqlite or postgresql, got mysql"),
        ("sqlite://", "database_url: wanted sqlite with a file"),
        ("sqlite:///", "database_url: wanted sqlite with a file"),
        ("sqlite:///:memory:", "database_url: wanted sqlite with a file"),
        ("sqlite://host/elasticd.db", "database_url: wanted sqlite with a file"),
        ("sqlite+aiosqlite:///elasticd.db", "database_url: wanted sqlite with a file"),
        ("postgresql://me:secret@db/elasticd", r"database_url: wanted postgresql\+psycopg://USER@"),
        ("postgresql+psycopg://me:secret@db:x/e", r"database_url: wanted postgresql\+psycopg://US"),
    ],
)
def test_what_is_no_url_of_a_database_is_refused_and_no_password_is_shown(
    url: str, text: str
) -> None:
    with pytest.raises(InvalidInput, match=text) as raised:
        load_settings(database_url=url)
    assert raised.value.field == "database_url"
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///elasticd.db",
        "sqlite:////srv/elasticd/elasticd.db?timeout=9",
        "postgresql+psycopg://",
        "postgresql+psycopg://elasticd@db/elasticd",
        "postgresql+psycopg://me:pa/ss#?:w@[::1]:5432/elasticd?sslmode=require",
        "postgresql+psycopg://me@/elasticd?host=/var/run/postgresql&port=5433",
    ],
)
def test_urls_that_sqlalchemy_can_read_are_taken(url: str) -> None:
    assert make_url(load_settings(database_url=url).url).get_backend_name() in url


def test_a_misspelt_setting_is_told_with_its_file_and_what_was_meant(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "elasticd.toml"
    monkeypatch.setenv("ELASTICD_CONFIG", str(file))
    file.write_text("[policy]\nmargn = 2\n")
    with pytest.raises(InvalidInput) as raised:
        load_settings()
    assert str(raised.value) == (
        f"{file}: setting policy.margn: no setting 'margn'; did you mean 'margin'?"
    )
    file.write_text('[[local_types]]\nname = "a"\ncpus = 2\nusd_per_h = 1\ncpu = 2\n')
    with pytest.raises(InvalidInput, match=r"local_types\.0\.cpus: no setting .* mean 'cpu'\?"):
        load_settings()
    file.write_text("prot = 2\n")
    with pytest.raises(InvalidInput, match=r"elasticd\.toml: setting prot: .* mean 'port'\?"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("POLICY__MARGN", "2", "setting policy.margn: no setting 'margn'; did you mean 'margin'?"),
        ("POLICY__MARGIN", "2", "setting policy.margin: wanted less than 1, got '2'"),
        ("POLICY", '{"margin": 2}', "setting policy.margin: wanted less than 1, got 2"),
        ("PORT", "x", "setting port: wanted a whole number, got 'x'"),
        ("TICK_S", "-1", "setting tick_s: wanted greater than 0, got '-1'"),
        ("DAEMON_URLS", "x", "wanted JSON, as for every list and table in the environment"),
        ("EC2__TYPES", "m5", "wanted JSON, as for every list and table in the environment"),
        ("DATABASE_URL", "a://b", "setting database_url: wanted sqlite or postgresql, got a"),
    ],
)
def test_a_wrong_setting_is_told_with_its_variable(
    name: str, value: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"ELASTICD_{name}", value)
    with pytest.raises(InvalidInput) as raised:
        load_settings()
    assert str(raised.value) == f"ELASTICD_{name}: {text}"


@pytest.mark.parametrize(
    ("name", "meant"),
    [("PROT", "port"), ("POLCY__MARGIN", "policy"), ("TOKN", "token"), ("prt", "port")],
)
def test_a_variable_that_is_no_setting_is_told_with_what_was_meant(
    name: str, meant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"ELASTICD_{name}", "2")
    with pytest.raises(InvalidInput) as raised:
        load_settings()
    setting = name.partition("__")[0].lower()
    said = f"ELASTICD_{name}: no setting '{setting}'; did you mean '{meant}'?"
    assert str(raised.value) == said
    monkeypatch.setenv(f"ELASTICD_{name}", "")
    load_settings()


def test_every_variable_that_our_programs_set_or_read_is_known() -> None:
    folders = ("elastic", "elastic_lab", "benchmarks", "examples")
    files = [each for folder in folders for each in Path(folder).rglob("*.py")]
    files += [Path(each) for each in ("Makefile", "docker-compose.yml", "deploy/lab.env")]
    named = {
        name
        for file in files
        for name in re.findall(r"ELASTICD_[A-Z0-9_]*[A-Z0-9]\b", file.read_text("utf-8"))
    }
    # The first ends a text in a shell, and the second is a name in a script.
    assert "ELASTICD_LAB_GATEWAY" in named
    _refuse_unknown(dict.fromkeys(named - {"ELASTICD_END", "ELASTICD_MODE"}, "1"))


def test_a_wrong_setting_of_a_command_names_no_variable_that_it_replaces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ELASTICD_TICK_S", "5")
    with pytest.raises(InvalidInput) as raised:
        load_settings(tick_s=-1.0)
    assert str(raised.value) == "setting tick_s: wanted greater than 0, got -1.0"


@pytest.mark.parametrize("content", [b"foo = ", b"foo = '\xff'"])
def test_a_file_that_is_no_toml_is_named(
    content: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "elasticd.toml"
    file.write_bytes(content)
    monkeypatch.setenv("ELASTICD_CONFIG", str(file))
    with pytest.raises(InvalidInput, match=r"/elasticd\.toml: wanted settings as TOML, found"):
        load_settings()


def test_no_address_of_a_recipient_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELASTICD_NOTIFY", '{"to": {"me": ["secret"]}}')
    with pytest.raises(InvalidInput, match=r"^ELASTICD_NOTIFY: setting notify\.to\.me") as raised:
        load_settings()
    assert "secret" not in str(raised.value)


def test_an_empty_variable_counts_as_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = load_settings()
    for name in ("DATA_DIR", "PORT", "PRICE_TRACE", "DAEMON_URLS", "POLICY", "POLICY__MARGIN"):
        monkeypatch.setenv(f"ELASTICD_{name}", "")
    assert load_settings() == wanted
    assert load_settings().data_dir.is_absolute()


def test_a_file_that_is_named_and_not_there_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ELASTICD_CONFIG", str(tmp_path / "mispelt.toml"))
    with pytest.raises(InvalidInput, match=r"wanted a file with settings, found none at .*mispelt"):
        load_settings()


@pytest.mark.parametrize("limit", ["90", "12:00:00", "2-12", "1-00:30:00", "UNLIMITED"])
def test_a_time_limit_is_one_of_sbatchs(limit: str) -> None:
    assert load_settings(slurm={"time_limit": limit}).slurm.time_limit == limit
    with pytest.raises(InvalidInput, match=r"slurm\.time_limit: wanted a time as sbatch takes it"):
        load_settings(slurm={"time_limit": f"{limit} minutes"})
