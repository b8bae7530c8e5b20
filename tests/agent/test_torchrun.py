"""The command line and environment that torchrun is given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.agent import AgentSettings
from elastic.agent.interface import interface_of
from elastic.agent.torchrun import (
    FORKED_WORKER,
    as_here,
    preloads,
    torchrun_arguments,
    torchrun_environment,
)
from elastic.agent.worker_start import choose_way
from elastic.model import Mode
from elastic.protocol import Assignment
from tests.agent.assignments import ONE

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


def arguments_of(assignment: Assignment) -> list[str]:
    return torchrun_arguments(assignment, way=choose_way(assignment), settings=SETTINGS)


def test_the_job_s_arguments_come_after_torchrun_s_own() -> None:
    arguments = arguments_of(replace(ONE, command=("train.py", "--nnodes=7")))
    assert (
        arguments.index("--run-path") < arguments.index("train.py") < arguments.index("--nnodes=7")
    )
    assert "--local-addr=127.0.0.1" in arguments
    assert any(part.startswith("--rdzv-conf=last_call_timeout=5,") for part in arguments)


def test_where_to_meet_and_how_to_prove_oneself_is_no_argument() -> None:
    arguments = " ".join(arguments_of(ONE))
    environment = torchrun_environment(
        ONE, settings=SETTINGS, node_id="n1", drain_file=Path("d"), inherited={}
    )
    for secret in (ONE.rdzv_endpoint, ONE.rdzv_id, ONE.certificate):
        assert secret not in arguments
    assert environment["ELASTICD_RDZV_ENDPOINT"] == ONE.rdzv_endpoint
    assert environment["ELASTICD_RDZV_ID"] == ONE.rdzv_id
    assert environment["ELASTICD_CERTIFICATE"] == "/work/certificate.pem"
    assert ONE.certificate not in environment.values()


def test_a_preloaded_worker_is_forked_and_another_is_a_program_of_its_own() -> None:
    forked = arguments_of(ONE)
    fresh = arguments_of(replace(ONE, preload=False))
    assert forked[-5:] == ["--run-path", "--", str(FORKED_WORKER), "--watched", "train.py"]
    assert "--start-method=fork" in forked
    assert fresh[-5:] == ["--module", "--", "elastic.worker.begin", "--watched", "train.py"]
    assert "--start-method=fork" not in fresh


def test_workers_of_a_session_need_no_group_of_torchrun_s_nor_the_job_s_store() -> None:
    session = replace(ONE, mode=Mode.LIVE, nnodes_min=1, nnodes_max=4)
    arguments = arguments_of(session)
    assert "--nnodes=1:1" in arguments
    environment = torchrun_environment(
        session, settings=SETTINGS, node_id="n1", drain_file=Path("d"), inherited={}
    )
    assert environment["ELASTICD_RDZV_ENDPOINT"] == "alone"
    assert environment["ELASTICD_SESSION_STORE"] == "/work/session-store"
    assert environment["ELASTICD_SESSION_HOST"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("inherited", "job", "expected"),
    [
        ({}, {}, "eth1"),
        ({"GLOO_SOCKET_IFNAME": "ib0"}, {}, "ib0"),
        ({"GLOO_SOCKET_IFNAME": "ib0"}, {"GLOO_SOCKET_IFNAME": "eth2"}, "eth2"),
    ],
)
def test_gloo_meets_the_other_nodes_where_they_reach_this_one_unless_it_is_told_otherwise(
    inherited: dict[str, str], job: dict[str, str], expected: str
) -> None:
    environment = torchrun_environment(
        replace(ONE, env=job),
        settings=SETTINGS,
        node_id="n1",
        drain_file=Path("d"),
        inherited=inherited,
        interface="eth1",
    )
    assert environment["GLOO_SOCKET_IFNAME"] == expected


@pytest.mark.parametrize(
    ("host", "expected"), [("127.0.0.1", "lo"), ("localhost", "lo"), ("203.0.113.9", "")]
)
def test_an_address_leads_to_its_interface(host: str, expected: str) -> None:
    assert interface_of(host) == expected


def test_a_script_in_mode_restart_is_told_of_no_session() -> None:
    inherited = {"ELASTICD_SESSION_STORE": "127.0.0.1:29400"}
    environment = torchrun_environment(
        ONE, settings=SETTINGS, node_id="n1", drain_file=Path("d"), inherited=inherited
    )
    assert environment["ELASTICD_SESSION_STORE"] == ""


@pytest.mark.parametrize(("rate", "told"), [(None, ""), (0.125, "0.125")])
def test_workers_are_told_how_often_they_are_interrupted(rate: float | None, told: str) -> None:
    assignment = replace(ONE, interruptions_per_h=rate)
    environment = torchrun_environment(
        assignment, settings=SETTINGS, node_id="n1", drain_file=Path("d"), inherited={}
    )
    assert environment["ELASTICD_INTERRUPTIONS_PER_H"] == told


@pytest.mark.parametrize("workers", [1, 2])
def test_members_of_a_session_are_told_how_often_their_own_node_is_lost_and_sum_up_to_the_group_s(
    workers: int,
) -> None:
    assignment = replace(
        ONE, mode=Mode.LIVE, nnodes_max=4, nproc_per_node=workers, interruptions_per_h=0.5
    )
    environment = torchrun_environment(
        assignment, settings=SETTINGS, node_id="n1", drain_file=Path("d"), inherited={}
    )
    assert float(environment["ELASTICD_SESSION_LOSSES_PER_H"]) * 4 * workers == 0.5


def test_the_job_s_environment_comes_before_the_node_s_and_ours_before_both() -> None:
    assignment = replace(
        ONE, env={"B": "job", "ELASTICD_NODE_ID": "forged", "OMP_NUM_THREADS": "4"}
    )
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


def test_workers_have_the_threads_of_their_node_type_unless_the_node_s_settings_say_otherwise() -> (
    None
):
    assignment = replace(ONE, threads=4)
    inherited = {"OMP_NUM_THREADS": "1"}
    for env, threads in (({}, "4"), ({"OMP_NUM_THREADS": "2"}, "2")):
        settings = replace(SETTINGS, env=env)
        environment = torchrun_environment(
            assignment, settings=settings, node_id="n1", drain_file=Path("d"), inherited=inherited
        )
        assert environment["OMP_NUM_THREADS"] == threads
        assert environment["GOMP_SPINCOUNT"] == "1000"


@pytest.mark.parametrize(
    ("cores", "processes", "inherited", "threads"),
    [
        (8, 1, {}, 4),
        (8, 4, {}, 2),
        (2, 4, {}, 1),
        (8, 1, {"OMP_THREAD_LIMIT": "1"}, 1),
        (8, 1, {"OMP_THREAD_LIMIT": "6"}, 4),
    ],
)
def test_no_more_threads_compute_than_can_run_at_once(
    cores: int, processes: int, inherited: dict[str, str], threads: int
) -> None:
    assignment = replace(ONE, threads=4, nproc_per_node=processes)
    assert as_here(assignment, cores=cores, inherited=inherited).threads == threads


def test_an_absolute_checkpoint_folder_is_taken_as_it_is() -> None:
    assignment = replace(ONE, checkpoint_dir="/elsewhere")
    environment = torchrun_environment(
        assignment, settings=SETTINGS, node_id="n1", drain_file=Path("d"), inherited={}
    )
    assert environment["ELASTICD_CHECKPOINT_DIR"] == "/elsewhere"


def test_a_user_s_script_is_spared_the_import_that_its_first_optimizer_makes() -> None:
    assert preloads(["train.py"]) == ["torch._dynamo"]


def test_the_join_token_is_in_no_argument_and_no_environment() -> None:
    assignment = replace(ONE)
    environment = torchrun_environment(
        assignment, settings=SETTINGS, node_id="n1", drain_file=Path("d"), inherited={}
    )
    assert "secret" not in repr((arguments_of(assignment), environment, SETTINGS))
