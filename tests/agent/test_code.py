"""A node has its job's code before it runs anything, or nothing at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.agent import AgentSettings
from elastic.agent.asking import bring_code
from elastic.agent.lease import Lease
from elastic.agent.worker_start import choose_way
from elastic.archive import Archive, pack
from elastic.errors import InvalidInput
from tests.agent.assignments import ONE


@pytest.fixture
def code(tmp_path: Path) -> Archive:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/train").write_text("#!/usr/bin/env python3\n")
    return pack(tmp_path / "app")


@pytest.fixture
def settings(tmp_path: Path) -> AgentSettings:
    (tmp_path / "node").mkdir()
    return AgentSettings(
        instance_id="i-1",
        daemon_url="http://127.0.0.1:1",
        join_token="t",
        work_dir=tmp_path / "node",
        advertise_host="127.0.0.1",
        checkpoint_root=tmp_path,
        artifact_root=tmp_path,
    )


def test_it_is_asked_for_until_the_right_one_comes_and_not_again(
    code: Archive, settings: AgentSettings
) -> None:
    answers = iter([None, b"another", code.content])
    lease = Lease(settings.work_dir, first_s=60)
    assert bring_code(settings, code.sha256, fetch=lambda: next(answers), lease=lease)
    assert (settings.code_dir / "train").read_text() == "#!/usr/bin/env python3\n"
    assert bring_code(settings, code.sha256, fetch=lambda: next(answers), lease=lease), (
        "an agent that starts again"
    )


def test_a_node_that_does_not_get_it_leaves_with_its_lease(
    code: Archive, settings: AgentSettings
) -> None:
    lease = Lease(settings.work_dir, first_s=0.3)
    assert not bring_code(settings, code.sha256, fetch=lambda: None, lease=lease)
    assert not settings.code_dir.exists()


def test_what_is_no_archive_is_an_error(settings: AgentSettings) -> None:
    sum_of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    with pytest.raises(InvalidInput, match="wanted a zip"):
        bring_code(
            settings, sum_of_nothing, fetch=lambda: b"", lease=Lease(settings.work_dir, first_s=60)
        )


def test_a_script_is_looked_for_in_the_code(code: Archive, settings: AgentSettings) -> None:
    lease = Lease(settings.work_dir, first_s=60)
    bring_code(settings, code.sha256, fetch=lambda: code.content, lease=lease)
    way = choose_way(replace(ONE, command=("train", "--lr", "1")), code_dir=settings.code_dir)
    assert (way.is_foreign, way.arguments) == (
        False,
        (str(settings.code_dir / "train"), "--lr", "1"),
    )
    for command in (("-m", "train"), ("/srv/train.py",)):
        assert (
            choose_way(replace(ONE, command=command), code_dir=settings.code_dir).arguments
            == command
        )
