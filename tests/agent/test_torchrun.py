"""The command line and environment that torchrun is given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.agent.settings import AgentSettings
from elastic.agent.torchrun import preloads, torchrun_arguments, torchrun_environment, worker_command
from tests.agent.test_steering import ONE

SETTINGS = AgentSettings(
    instance_id="i-1",
    daemon_url="http://127.0.0.1:1",
    join_token="secret",
    work_dir=Path("/work"),
    advertise_host="127.0.0.1",
    checkpoint_root=Path("/shared/checkpoints"),
    artifact_root=Path("/shared/artifacts"),
    env={"A": "node", "B": "node"},
)


@pytest.mark.parametrize(
    ("command", "run"),
    [
        (["train.py", "--lr", "1"], ["--watched", "train.py", "--lr", "1"]),
        (["/usr/bin/python3", "train.py"], ["--watched", "train.py"]),
        (["-m", "mine.train", "-x"], ["--watched", "-m", "mine.train", "-x"]),
        (["python", "-m", "elastic.workloads.esrgan"], ["--plain", "-m", "elastic.workloads.esrgan"]),
    ],
)
def test_our_workloads_run_as_they_are_and_everything_else_is_watched(command: list[str], run: list[str]) -> None:
    assert worker_command(command) == run


def test_the_job_s_arguments_come_after_torchrun_s_own() -> None:
    arguments = torchrun_arguments(replace(ONE, command=("train.py", "--nnodes=7")), settings=SETTINGS)
    assert arguments.index("--run-path") < arguments.index("train.py") < arguments.index("--nnodes=7")
    assert "--local-addr=127.0.0.1" in arguments
    assert any(part.startswith("--rdzv-conf=is_host=0,") for part in arguments)


def test_the_job_s_environment_comes_before_the_node_s_and_ours_before_both() -> None:
    assignment = replace(ONE, env={"B": "job", "ELASTICD_NODE_ID": "forged", "OMP_NUM_THREADS": "4"})
    environment = torchrun_environment(
        assignment,
        settings=SETTINGS,
        node_id="n1",
        drain_file=Path("/work/drain"),
        inherited={"A": "shell", "HOME": "/root"},
    )
    assert (environment["A"], environment["B"], environment["HOME"]) == ("node", "job", "/root")
    assert environment["ELASTICD_NODE_ID"] == "n1"
    assert environment["OMP_NUM_THREADS"] == "4"
    assert environment["ELASTICD_CHECKPOINT_DIR"] == "/shared/checkpoints/c"


def test_an_absolute_checkpoint_folder_is_taken_as_it_is() -> None:
    assignment = replace(ONE, checkpoint_dir="/elsewhere")
    environment = torchrun_environment(assignment, settings=SETTINGS, node_id="n1", drain_file=Path("d"), inherited={})
    assert environment["ELASTICD_CHECKPOINT_DIR"] == "/elsewhere"


def test_a_user_s_script_is_spared_the_import_that_its_first_optimizer_makes() -> None:
    assert preloads(["train.py"]) == ["torch._dynamo"]


def test_the_join_token_is_in_no_argument_and_no_environment() -> None:
    assignment = replace(ONE)
    environment = torchrun_environment(assignment, settings=SETTINGS, node_id="n1", drain_file=Path("d"), inherited={})
    assert "secret" not in repr((torchrun_arguments(assignment, settings=SETTINGS), environment, SETTINGS))
