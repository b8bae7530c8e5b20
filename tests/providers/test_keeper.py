"""The keeper's environments: each version of elasticd brings one, and old ones go."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from elastic.providers.keeping import NodeFiles, keeper


def order_of(environment: Path) -> dict[str, object]:
    return {
        "python": None,
        "environment": str(environment),
        "wheel": "",
        "packages": {},
        "boot_s": 60.0,
        "agent_command": ["true"],
        "lease_s": 60.0,
        "grace_s": 1.0,
        "marks": {"ELASTICD_NODE_ID": str(environment)},
    }


def test_a_users_own_setting_sends_no_package_past_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def install(env: Mapping[str, str], _log: Path, _timeout_s: float) -> int:
        told.append(env["PIP_USER"])
        return 1

    monkeypatch.setattr(keeper, "_install", install)
    monkeypatch.setenv("PIP_USER", "1")
    node = NodeFiles(tmp_path / "node")
    (node.work / "logs").mkdir(parents=True)
    node.write("order", order_of(tmp_path / "env" / "first"))
    keeper.keep(node)
    assert told == ["0"]


def test_a_new_version_removes_the_environments_that_no_node_used_for_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def install(env: Mapping[str, str], _log: Path, _timeout_s: float) -> int:
        program = Path(env["ENVIRONMENT"], "bin", "python")
        program.parent.mkdir(parents=True)
        program.symlink_to(sys.executable)
        return 0

    monkeypatch.setattr(keeper, "_install", install)
    environments = tmp_path / "env"

    def run(version: str, **told: object) -> None:
        node = NodeFiles(tmp_path / f"node-of-{version}")
        (node.work / "logs").mkdir(parents=True, exist_ok=True)
        node.write("order", order_of(environments / version) | told)
        assert keeper.keep(node) == 0

    def there() -> set[str]:
        return {each.name for each in environments.iterdir() if each.is_dir()}

    def grow_old() -> None:
        for each in environments.glob("*/elasticd-done"):
            os.utime(each, (0.0, 0.0))

    run("first")
    run("second")
    grow_old()
    # In a folder that other nodes share, they may run from any of them.
    run("third")
    assert there() == {"first", "second", "third"}
    run("second", is_alone=True)
    run("fourth", is_alone=True)
    assert there() == {"second", "third", "fourth"}
