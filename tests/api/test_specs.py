from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from api.documents import read_document
from api.job_document import WORDS_OF_PATTERNS, JobDocument
from api.specs import (
    check_fit,
    check_node_types,
    is_precision_open,
    resolve_paths,
    settle_command,
    settle_mode,
    to_spec,
    with_precision,
    without_untried,
)
from elastic.errors import InvalidInput
from elastic.model import Batch, CapacityChoice, Mode, NodeType, Precision, TrainingPhase

NOW_S = 1_700_000_000.0
ESRGAN: dict[str, Any] = {"name": "sr", "workload": "esrgan", "preset": "small"}
COMMAND: dict[str, Any] = {"name": "mine", "command": ["/srv/train.py", "--lr", "0.1"]}


def faults(document: dict[str, Any]) -> dict[str, str]:
    """What is said of each field at fault."""
    with pytest.raises(InvalidInput) as caught:
        to_spec(document, now_s=NOW_S)
    error = caught.value
    return dict(error.faults) or {str(error.field): str(error)}


def test_a_command_becomes_a_spec_with_every_field_in_its_place() -> None:
    text = """
name: mine
command: [/srv/train.py, --lr, "0.1"]
env: {OMP_NUM_THREADS: 1, DEBUG: true}
nodes: {min: 1, max: 4}
nproc_per_node: 2
global_batch: 64
iterations: 1000
objective: {deadline: 6h, budget_usd: 5, max_usd_per_hour: 1.5, value_of_time_usd_per_h: 0}
node_types: [c5.large, c5.xlarge]
capacity: spot
policy: {name: fixed, node_type: c5.large}
"""
    spec = to_spec(read_document(text.encode()), now_s=NOW_S)
    assert spec.command == ("/srv/train.py", "--lr", "0.1")
    assert spec.env == {"OMP_NUM_THREADS": "1", "DEBUG": "true"}
    assert (spec.nodes_min, spec.nodes_max, spec.nproc_per_node, spec.global_batch) == (1, 4, 2, 64)
    assert spec.objective.deadline_s == NOW_S + 6 * 3600
    assert (spec.objective.budget_usd, spec.objective.max_usd_per_hour) == (5.0, 1.5)
    assert spec.node_types == ("c5.large", "c5.xlarge")
    assert spec.capacity is CapacityChoice.SPOT
    assert (spec.policy, spec.fixed_node_type) == ("fixed", "c5.large")


def test_a_workload_brings_its_command_phases_and_global_batch() -> None:
    spec = to_spec(
        {**ESRGAN, "hyperparameters": {"lr": 2e-4, "warmup_batches": 30}, "iterations": 120},
        now_s=NOW_S,
    )
    assert spec.command[:2] == ("-m", "elastic.workloads.esrgan")
    assert "--warmup_batches" in spec.command
    assert spec.phases == (TrainingPhase("warmup", 30), TrainingPhase("gan"))
    assert (spec.iterations, spec.global_batch, spec.hyperparameters["lr"]) == (120, 4, 2e-4)


def test_data_and_checkpoint_interval_reach_the_workload() -> None:
    spec = to_spec({**ESRGAN, "data": "/data/celeba", "checkpoint": {"interval": 7}}, now_s=NOW_S)
    assert (spec.hyperparameters["data"], spec.hyperparameters["checkpoint_interval"]) == (
        "/data/celeba",
        7,
    )


def test_a_value_given_in_two_places_must_be_the_same() -> None:
    assert (
        to_spec(
            {**ESRGAN, "iterations": 9, "hyperparameters": {"iterations": 9}}, now_s=NOW_S
        ).iterations
        == 9
    )
    assert "iterations" in faults({**ESRGAN, "iterations": 9, "hyperparameters": {"iterations": 8}})


@pytest.mark.parametrize(
    ("extra", "field", "hint"),
    [
        ({"iteratons": 5}, "iteratons", "did you mean 'iterations'?"),
        ({"nodes": {"min": 1, "maks": 2}}, "nodes.maks", "did you mean 'max'?"),
        ({"objective": {"budget": 3}}, "objective.budget", "did you mean 'budget_usd'?"),
        (
            {"hyperparameters": {"residual_block": 3}},
            "hyperparameters.residual_block",
            "'residual_blocks'",
        ),
        ({"zzz": 1}, "zzz", "wanted one of"),
    ],
)
def test_an_unknown_field_is_named_with_the_one_that_was_meant(
    extra: dict[str, Any], field: str, hint: str
) -> None:
    assert hint in faults({**ESRGAN, **extra})[field]


@pytest.mark.parametrize(
    ("extra", "field"),
    [
        ({"iterations": 0}, "iterations"),
        ({"iterations": 10**12}, "iterations"),
        ({"iterations": "300"}, "iterations"),
        ({"iterations": 1.5}, "iterations"),
        ({"iterations": True}, "iterations"),
        ({"nodes": {"min": 3, "max": 2}}, "nodes"),
        ({"nodes": {"min": 0}}, "nodes.min"),
        ({"nproc_per_node": 65}, "nproc_per_node"),
        ({"objective": {"budget_usd": float("nan")}}, "objective.budget_usd"),
        ({"objective": {"budget_usd": float("inf")}}, "objective.budget_usd"),
        ({"objective": {"budget_usd": -1}}, "objective.budget_usd"),
        ({"objective": {"budget_usd": 0}}, "objective.budget_usd"),
        ({"objective": {"maximize": "fun"}}, "objective.maximize"),
        ({"objective": {"deadline": "yesterday"}}, "objective.deadline"),
        ({"objective": {"deadline": "2001-01-01T00:00:00Z"}}, "objective.deadline"),
        ({"objective": {"deadline": "2101-01-01T00:00:00"}}, "objective.deadline"),
        ({"objective": {"deadline": 6}}, "objective.deadline"),
        ({"hyperparameters": {"lr": float("nan")}}, "hyperparameters.lr"),
        ({"hyperparameters": {"lr": -1.0}}, "hyperparameters.lr"),
        ({"hyperparameters": {"lr": [1]}}, "hyperparameters.lr"),
        ({"hyperparameters": {"dataset_name": "../../etc"}}, "hyperparameters.dataset_name"),
        ({"preset": "huge"}, "preset"),
        ({"workload": "esrgam"}, "workload"),
        ({"capacity": "free"}, "capacity"),
        ({"policy": {"name": "fixed"}}, "policy.node_type"),
        ({"policy": {"node_type": "small"}}, "policy.node_type"),
        ({"policy": {"name": "greedy"}}, "policy.name"),
        ({"node_types": ["../small"]}, "node_types.0"),
        ({"env": {"A B": "x"}}, "env.A B.[key]"),
        ({"env": {"ELASTICD_SOCKET": "x"}}, "env"),
        ({"env": {"A": [1]}}, "env.A"),
        ({"data": "relative/folder"}, "data"),
        ({"command": ["/srv/train.py"]}, "command"),
        ({"global_batch": 1, "nodes": {"min": 1, "max": 2}}, "global_batch"),
        ({"image": "me/train:1"}, "image"),
    ],
)
def test_what_is_wrong_with_a_field_is_said_of_that_field(
    extra: dict[str, Any], field: str
) -> None:
    assert field in faults({**ESRGAN, **extra})


@pytest.mark.parametrize("name", ["../up", "a/b", "UPPER", "", "-x", "a" * 64, "a b", "a\n", "."])
def test_a_name_cannot_lead_anywhere(name: str) -> None:
    assert "name" in faults({**COMMAND, "name": name})


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (["train.py"], "absolute path"),
        (["python2", "train.py"], "another Python's absolute path"),
        (["-m"], "module's name"),
        ([], "at least 1 item"),
        (5, "wanted a line, or a list of its words, got 5"),
    ],
)
def test_a_command_that_could_not_run_is_refused_before_it_costs(
    command: object, hint: str
) -> None:
    assert hint in faults({"name": "mine", "command": command})["command"]


def test_an_option_of_a_workload_among_the_jobs_fields_is_told_its_place() -> None:
    said = faults({"name": "faces", "workload": "esrgan", "most_unreadable": 20})["most_unreadable"]
    assert said.endswith("it is an option of the workload esrgan: write it below hyperparameters")


def test_torchruns_options_become_the_jobs_fields() -> None:
    line = (
        "LR=0.1 torchrun --nproc_per_node 4 --nnodes 1:3 --max_restarts 7 /srv/train.py --epochs 2"
    )
    spec = to_spec({"name": "mine", "command": line, "env": {"LR": 0.1, "DEBUG": 1}}, now_s=NOW_S)
    assert spec.command == ("/srv/train.py", "--epochs", "2")
    assert (spec.nproc_per_node, spec.nodes_min, spec.nodes_max, spec.max_restarts) == (4, 1, 3, 7)
    assert spec.env == {"LR": "0.1", "DEBUG": "1"}


def test_numbers_in_a_command_need_no_quotes() -> None:
    command: list[Any] = ["torchrun", "--nproc_per_node", 2, "/srv/train.py", "--lr", 0.1]
    spec = to_spec({"name": "mine", "command": command}, now_s=NOW_S)
    assert (spec.nproc_per_node, spec.command) == (2, ("/srv/train.py", "--lr", "0.1"))


@pytest.mark.parametrize(
    ("extra", "field"),
    [
        ({"nproc_per_node": 2}, "nproc_per_node"),
        ({"nodes": {"min": 1, "max": 2}}, "nodes"),
        ({"max_restarts": 1}, "max_restarts"),
        ({"env": {"LR": "0.2"}}, "env"),
    ],
)
def test_a_command_and_a_field_that_disagree_are_both_named(
    extra: dict[str, Any], field: str
) -> None:
    line = "LR=0.1 torchrun --nproc_per_node 4 --nnodes 1:3 --max_restarts 7 /srv/train.py"
    assert "take one of the two out" in (
        said := faults({"name": "mine", "command": line, **extra})[field]
    ) or ("write it once" in said)


def test_one_node_is_what_standalone_says() -> None:
    line = "torchrun --standalone /srv/train.py"
    assert to_spec({"name": "mine", "command": line}, now_s=NOW_S).nodes_max == 1
    assert (
        "--standalone"
        in faults({"name": "mine", "command": line, "nodes": {"min": 1, "max": 2}})["nodes"]
    )


def test_a_shells_script_is_looked_into_where_it_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("torchrun train.py\n")
    document = {"name": "mine", "command": "bash run.sh"}
    settled = resolve_paths(settle_command(document), tmp_path)
    assert settled["command"] == ["bash", str(tmp_path / "run.sh")]
    with pytest.raises(InvalidInput, match="line 1"):
        settle_mode(settled)
    assert "line 1" in faults(settled)["command"]


def test_what_a_job_brings_is_in_its_spec() -> None:
    brings: dict[str, Any] = {
        "requirements": ["einops"],
        "setup": ["make"],
        "data": "s3://training/faces/",
        "secrets": ["KEY"],
    }
    spec = to_spec({**COMMAND, "env": {"KEY": "k", "LR": 1}, **brings}, now_s=NOW_S)
    assert (spec.requirements, spec.setup, spec.data) == (
        ("einops",),
        ("make",),
        "s3://training/faces",
    )
    assert spec.shown_env == {"KEY": "(hidden)", "LR": "1"}
    assert to_spec({**COMMAND, "data": "file:///srv/faces"}, now_s=NOW_S).data == "/srv/faces"


@pytest.mark.parametrize(
    ("extra", "field", "hint"),
    [
        ({"requirements": "requirements.txt"}, "requirements", "reads a file"),
        ({"env": ["KEY"]}, "env", "taken from the shell"),
        ({"secrets": ["KEY"]}, "document", "wanted names of variables in env, got KEY"),
        ({"data": "faces"}, "data", "s3://BUCKET/PREFIX"),
        ({"data": "s3://B/x"}, "data", "s3://BUCKET/PREFIX"),
        ({"image": "--privileged"}, "image", "wanted an image such as"),
        ({"image": "me/train:1", "setup": ["make"]}, "image", "write them into the image"),
    ],
)
def test_what_cannot_be_brought_says_what_to_write(
    extra: dict[str, Any], field: str, hint: str
) -> None:
    assert hint in faults({**COMMAND, **extra})[field]


@pytest.mark.parametrize(
    "image",
    ["ghcr.io/MyTeam/train:7", "me/train:", "me/train@sha256:abc", "me//x", "a:b:c", "x:-y"],
)
def test_an_image_that_no_engine_can_name_costs_no_node(image: str) -> None:
    assert "wanted an image such as" in faults({**COMMAND, "image": image})["image"]


@pytest.mark.parametrize(
    "image",
    [
        "train",
        "localhost:5000/a/b_c/d-e:V1.0_x",
        "1.dkr.ecr.us-east-1.amazonaws.com/train",
        f"pytorch/pytorch:2.13.0@sha256:{'0a' * 32}",
        f"sha256:{'0a' * 32}",
    ],
)
def test_an_image_that_engines_can_name_is_taken(image: str) -> None:
    assert to_spec({**COMMAND, "image": image}, now_s=NOW_S).image == image


@pytest.mark.parametrize(
    ("extra", "field", "message"),
    [
        ({"name": "Mine"}, "name", "wanted lower-case letters, digits and hyphens, at most 63 "),
        ({"name": "Mine"}, "name", " first, got 'Mine'"),
        ({"name": "job-9cc9ccc8"}, "name", "wanted a name that no job's id can be, got 'job-9cc9c"),
        ({"code": "."}, "code", "a folder is sent by `elasticd job submit` in a shell; here "),
        ({"code": "."}, "code", "or no code, got '.'"),
        ({"nodes": 2}, "nodes", "wanted a map of its fields (min, max), got 2"),
        ({"hyperparameters": 2}, "hyperparameters", "wanted a map, got 2"),
        ({"outputs": ["/a"]}, "outputs.0", "so without / first, got '/a'"),
        ({"node_types": ["a b"]}, "node_types.0", "wanted a node type: letters"),
    ],
)
def test_what_does_not_match_is_told_in_words(
    extra: dict[str, Any], field: str, message: str
) -> None:
    found = faults({**COMMAND, **extra})[field]
    assert message in found
    assert "pattern '" not in found and "^" not in found


@pytest.mark.parametrize("name", ["job-1", "job-9cc9ccc", "job-9cc9ccc8-2", "job-worldly"])
def test_a_name_that_only_resembles_an_id_is_taken(name: str) -> None:
    assert to_spec({**COMMAND, "name": name}, now_s=NOW_S).name == name


def test_every_pattern_of_a_job_has_words() -> None:
    schema = json.dumps(JobDocument.model_json_schema())
    patterns = {json.loads(each) for each in re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', schema)}
    assert patterns == WORDS_OF_PATTERNS.keys()


def test_a_script_without_code_is_the_images_own(tmp_path: Path) -> None:
    document = {"name": "mine", "image": "me/train:1", "command": "train.py"}
    assert resolve_paths(settle_command(document), tmp_path)["command"] == ["train.py"]
    assert "absolute path in the image" in faults(document)["command"]
    spec = to_spec({**document, "command": "/app/train.py"}, now_s=NOW_S)
    assert (spec.image, spec.command) == ("me/train:1", ("/app/train.py",))
    assert spec.program != replace(spec, image="me/train:2").program, "another speed"


def test_another_python_s_own_path_is_a_program_like_any_other() -> None:
    spec = to_spec(
        {"name": "mine", "command": ["/opt/other/bin/python3", "/srv/train.py"]}, now_s=NOW_S
    )
    assert (spec.command[0], spec.mode) == ("/opt/other/bin/python3", Mode.RESTART)
    assert not spec.preload


@pytest.mark.parametrize(
    ("document", "mode"),
    [
        (COMMAND, Mode.RESTART),
        (ESRGAN, Mode.LIVE),
        ({**ESRGAN, "mode": "restart"}, Mode.RESTART),
        ({**COMMAND, "mode": "auto"}, Mode.RESTART),
        ({**COMMAND, "mode": "live"}, Mode.LIVE),
        ({**COMMAND, "command": ["/srv/train.sh"]}, Mode.RESTART),
    ],
)
def test_a_job_runs_in_the_best_mode_that_it_supports_or_in_the_one_asked_for(
    document: dict[str, Any], mode: Mode
) -> None:
    assert to_spec(document, now_s=NOW_S).mode is mode


@pytest.mark.parametrize(
    ("document", "preload"),
    [
        (COMMAND, True),
        (ESRGAN, True),
        ({**ESRGAN, "preload": False}, False),
        ({**COMMAND, "preload": False}, False),
        ({**COMMAND, "command": ["/srv/train.sh"]}, False),
        ({**COMMAND, "command": ["/srv/train.sh"], "preload": True}, False),
    ],
)
def test_only_workers_that_are_python_are_preloaded_and_only_unless_the_job_says_no(
    document: dict[str, Any], preload: bool
) -> None:
    assert to_spec(document, now_s=NOW_S).preload is preload


def test_a_job_that_may_train_on_gpus_is_in_no_session_unless_it_asks_for_one() -> None:
    types = [NodeType("cpu", 4.0, 8.0), NodeType("gpu", 4.0, 8.0, gpu_count=1)]
    esrgan, plain = (to_spec(each, now_s=NOW_S) for each in (ESRGAN, COMMAND))
    assert without_untried(esrgan, types).mode is Mode.RESTART
    assert without_untried(esrgan, types[:1]) == esrgan
    assert without_untried(replace(esrgan, node_types=("cpu",)), types).mode is Mode.LIVE
    assert without_untried(replace(esrgan, fixed_node_type="gpu"), types).mode is Mode.RESTART
    assert without_untried(replace(plain, preload=False), types).preload is False


def test_a_mode_that_cannot_be_is_refused() -> None:
    live = {"name": "mine", "command": ["/srv/train.sh"], "mode": "live"}
    assert "wanted auto or restart for /srv/train.sh" in faults(live)["mode"]
    assert "auto, restart, live" in faults({**COMMAND, "mode": "T1"})["mode"]
    assert "wanted a valid boolean" in faults({**COMMAND, "preload": "no"})["preload"]


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ({"budget_usd": 3}, "no field 'budget_usd' here; did you mean objective.budget_usd?"),
        ({"deadline": "6h"}, "no field 'deadline' here; did you mean objective.deadline?"),
        ({"objective": {"iterations": 5}}, "no field 'iterations' here; did you mean iterations?"),
        ({"outputs": "*.pt"}, """wanted a list, such as ["a", "b"], got '*.pt'"""),
        ({"max_duration": 8}, "wanted text (in quotes, if it looks like a number), got 8"),
    ],
)
def test_a_field_in_the_wrong_place_or_form_is_told_where_or_how_to_write_it(
    rest: dict[str, Any], said: str
) -> None:
    assert list(faults({**COMMAND, **rest}).values()) == [said]


def test_a_job_that_names_a_tier_is_told_what_to_write_instead() -> None:
    fault = faults({**COMMAND, "tier": "T1"})["tier"]
    assert "`mode: restart`" in fault and "`preload: false`" in fault and "`mode: live`" in fault


def test_a_script_s_own_word_is_read_where_it_can_be(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    document: dict[str, Any] = {"name": "mine", "command": [str(script)]}
    assert to_spec(document, now_s=NOW_S).mode is Mode.RESTART
    assert settle_mode(document) == document
    script.write_text("ELASTICD_MODE = 'live'\n")
    assert to_spec(document, now_s=NOW_S).mode is Mode.LIVE
    assert settle_mode(document) == {**document, "mode": "live"}
    assert settle_mode({**document, "mode": "restart"})["mode"] == "restart"
    script.write_bytes(b"\xff\xfe")
    assert to_spec(document, now_s=NOW_S).mode is Mode.RESTART


def test_a_command_takes_no_options_of_a_workload() -> None:
    assert set(faults({**COMMAND, "preset": "small", "checkpoint": {"interval": 5}})) == {
        "preset",
        "checkpoint",
    }
    assert "command" in faults({"name": "nothing"})


def test_every_fault_is_named_at_once() -> None:
    assert {"name", "iterations", "bogus"} <= set(
        faults({"name": "A", "command": ["/x.py"], "iterations": 0, "bogus": 1})
    )


def test_what_an_environment_holds_is_not_repeated() -> None:
    assert "hunter2" not in json.dumps(faults({**COMMAND, "env": {"PASSWORD": ["hunter2"]}}))


def test_node_types_must_be_on_offer() -> None:
    spec = to_spec({**COMMAND, "node_types": ["small", "larg"]}, now_s=NOW_S)
    with pytest.raises(InvalidInput, match="did you mean 'large'"):
        check_node_types(spec, ["small", "large"])


def test_a_fixed_node_type_must_be_among_those_that_the_job_admits() -> None:
    asked = {**COMMAND, "node_types": ["small"], "policy": {"name": "fixed", "node_type": "large"}}
    with pytest.raises(
        InvalidInput, match="wanted one of the job's node_types, small; got 'large'"
    ):
        check_node_types(to_spec(asked, now_s=NOW_S), ["small", "large"])
    check_node_types(
        to_spec({**asked, "node_types": ["small", "large"]}, now_s=NOW_S), ["small", "large"]
    )


def test_relative_paths_begin_at_the_folder_given(tmp_path: Path) -> None:
    document = resolve_paths({"command": ["train.py", "x"], "data": "pictures"}, tmp_path)
    assert document == {"command": [f"{tmp_path}/train.py", "x"], "data": f"{tmp_path}/pictures"}
    sent = resolve_paths({"command": ["train.py"], "code": ".", "data": "../pictures"}, tmp_path)
    assert sent == {"command": ["train.py"], "code": ".", "data": f"{tmp_path.parent}/pictures"}
    untouched: dict[str, Any] = {"command": ["-m", "mine.train"], "data": "skimage"}
    assert resolve_paths(untouched, tmp_path) == untouched


def test_images_and_weights_of_a_workload_count_from_the_files_folder(tmp_path: Path) -> None:
    (tmp_path / "begin.safetensors").touch()
    (tmp_path / "data" / "celeba").mkdir(parents=True)
    found = resolve_paths({**ESRGAN, "data": "photos", "init": "begin.safetensors"}, tmp_path)
    assert (found["data"], found["init"]) == (f"{tmp_path}/photos", f"{tmp_path}/begin.safetensors")
    assert to_spec(found, now_s=NOW_S).hyperparameters["init"] == f"{tmp_path}/begin.safetensors"
    found = resolve_paths({**ESRGAN, "hyperparameters": {"dataset_name": "celeba"}}, tmp_path)
    assert found["hyperparameters"] == {"dataset_name": "celeba", "data": f"{tmp_path}/data"}
    with pytest.raises(
        InvalidInput, match="dataset_name: wanted a folder of images named faces, looked at "
    ):
        resolve_paths({**ESRGAN, "hyperparameters": {"dataset_name": "faces"}}, tmp_path)
    assert resolve_paths(ESRGAN, tmp_path) == ESRGAN


def test_images_may_lie_in_a_bucket_which_nodes_fetch() -> None:
    spec = to_spec({**ESRGAN, "data": "s3://photos/faces"}, now_s=NOW_S)
    assert spec.data == "s3://photos/faces"
    assert spec.command[spec.command.index("--data") + 1] == "s3://photos/faces"
    assert to_spec({**ESRGAN, "data": "/photos"}, now_s=NOW_S).data is None


def test_a_dataset_without_data_is_refused_rather_than_replaced() -> None:
    said = faults({**ESRGAN, "hyperparameters": {"dataset_name": "img_align_celeba"}})
    assert "say data: skimage and leave dataset_name out" in said["hyperparameters.dataset_name"]


def test_checking_a_spec_needs_no_web_framework() -> None:
    code = (
        "import sys, api.specs; sys.exit(bool({'fastapi', 'starlette', 'sqlalchemy', 'torch'} & "
        "set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_samples_that_a_worker_holds_are_told_by_node_type_and_for_sessions_alone() -> None:
    asked = {**ESRGAN, "mode": "live", "most_samples": {"c5.large": 2}}
    assert to_spec(asked, now_s=NOW_S).most_samples == {"c5.large": 2}
    assert faults({**asked, "mode": "restart"}) == {
        "most_samples": "most_samples: wanted mode live, where a batch is divided by what each worker can take; got restart"
    }
    assert list(faults({**asked, "most_samples": {"c5.large": 0}})) == ["most_samples.c5.large"]
    with pytest.raises(InvalidInput, match=r"no node type 'c5\.large'"):
        check_node_types(to_spec(asked, now_s=NOW_S), ["c5.xlarge"])


def test_a_workload_s_precision_is_open_until_it_is_chosen_and_then_named_on_its_command_line() -> (
    None
):
    spec = to_spec({**ESRGAN, "iterations": 40, "hyperparameters": {"lr": 1e-3}}, now_s=NOW_S)
    assert spec.precision is None and is_precision_open(spec) and "--precision" not in spec.command
    chosen = with_precision(spec, Precision.BF16)
    assert (chosen.precision, chosen.hyperparameters["precision"]) == (Precision.BF16, "bf16")
    assert chosen.command[chosen.command.index("--precision") + 1] == "bf16"
    assert not is_precision_open(chosen)
    asked = to_spec(
        {**ESRGAN, "iterations": 40, "hyperparameters": {"lr": 1e-3}, "precision": "bf16"},
        now_s=NOW_S,
    )
    assert chosen == asked


def test_a_precision_may_be_asked_for_in_either_place() -> None:
    assert (
        to_spec({**ESRGAN, "hyperparameters": {"precision": "fp16"}}, now_s=NOW_S).precision
        is Precision.FP16
    )
    assert to_spec({**COMMAND, "precision": "fp16"}, now_s=NOW_S).precision is Precision.FP16
    assert not is_precision_open(to_spec(COMMAND, now_s=NOW_S))
    assert "fp64" in faults({**COMMAND, "precision": "fp64"})["precision"]
    assert "only a workload's" in faults({**COMMAND, "precision": "auto"})["precision"]
    assert (
        "hyperparameters.precision"
        in faults({**ESRGAN, "precision": "bf16", "hyperparameters": {"precision": "fp32"}})[
            "precision"
        ]
    )


def test_a_precision_that_no_node_type_of_the_job_computes_in_is_refused() -> None:
    types = [
        NodeType("old", 4.0, 8.0),
        NodeType("new", 4.0, 8.0, precisions=(Precision.FP32, Precision.BF16)),
    ]
    spec = to_spec({**COMMAND, "precision": "bf16"}, now_s=NOW_S)
    check_fit(spec, types)
    with pytest.raises(
        InvalidInput, match="can run the job, found none: old cannot compute in bf16"
    ):
        check_fit(replace(spec, node_types=("old",)), types)
    with pytest.raises(
        InvalidInput, match="can run the job, found none: old cannot compute in bf16"
    ):
        check_fit(replace(spec, policy="fixed", fixed_node_type="old"), types)
    check_fit(replace(spec, precision=None, node_types=("old",)), types)


def test_fp16_has_no_session_and_a_job_that_names_no_mode_gets_none() -> None:
    assert to_spec({**ESRGAN, "precision": "fp16"}, now_s=NOW_S).mode is Mode.RESTART
    assert to_spec({**COMMAND, "precision": "fp16"}, now_s=NOW_S).mode is Mode.RESTART
    assert "no loss scale" in faults({**ESRGAN, "precision": "fp16", "mode": "live"})["precision"]


@pytest.mark.parametrize(
    ("given", "batch"),
    [
        ({}, None),
        ({"batch": "worker"}, Batch.WORKER),
        ({"batch": "job"}, Batch.JOB),
        ({"global_batch": 8}, Batch.JOB),
    ],
)
def test_a_batch_is_each_worker_s_unless_it_is_named_for_the_job(
    given: dict[str, Any], batch: Batch | None
) -> None:
    assert (
        to_spec({"name": "mine", "command": ["/srv/train.py"], **given}, now_s=NOW_S).batch is batch
    )


def test_a_session_and_a_workload_divide_one_batch() -> None:
    session: dict[str, Any] = {"name": "mine", "command": ["/srv/train.py"], "mode": "live"}
    assert to_spec(session, now_s=NOW_S).batch is to_spec(ESRGAN, now_s=NOW_S).batch is Batch.JOB
    with pytest.raises(InvalidInput, match="only a command has one of its own"):
        to_spec({**ESRGAN, "batch": "worker"}, now_s=NOW_S)
