"""Which container engine a machine has."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.engines import Engine, EngineFound, find_engine


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_an_engine_that_answers_comes_before_one_that_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert str(find_engine()) == "none (neither docker nor podman is installed)"
    program(tmp_path, "docker", "echo Cannot connect to the Docker daemon >&2; exit 1")
    assert find_engine() == EngineFound(None, "docker: Cannot connect to the Docker daemon")
    program(tmp_path, "podman", "echo 4.3.1")
    assert find_engine() == EngineFound(Engine.PODMAN, "4.3.1")
    program(tmp_path, "docker", "echo 28.2.2")
    assert str(find_engine()) == "docker 28.2.2"


def test_an_engine_that_hangs_is_passed_over_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program(tmp_path, "docker", "exec sleep 60")
    program(tmp_path, "podman", "echo 4.3.1")
    assert find_engine(0.3) == EngineFound(Engine.PODMAN, "4.3.1")
    program(tmp_path, "podman", "exec sleep 60")
    assert "timed out after 0.3 seconds; podman: " in find_engine(0.3).said
