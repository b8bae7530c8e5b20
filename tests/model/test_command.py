from __future__ import annotations

import pytest

from elastic.errors import InvalidInput
from elastic.model import Mode, check_shell_script, choose_mode, understand


def refusal(command: str | list[str]) -> str:
    with pytest.raises(InvalidInput) as caught:
        understand(command)
    assert caught.value.field == "command"
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("train.py --lr 0.1", ("train.py", "--lr", "0.1")),
        (["train.py", "--lr", "0.1"], ("train.py", "--lr", "0.1")),
        ("python train.py --lr 0.1", ("train.py", "--lr", "0.1")),
        ("python3 -u train.py", ("train.py",)),
        ("python3.12 train.py", ("train.py",)),
        (["python3.11", "-m", "pkg.train"], ("-m", "pkg.train")),
        ("env A=1 python train.py", ("train.py",)),
        ("/usr/bin/env python train.py", ("train.py",)),
        ("python -m pkg.train --lr 1", ("-m", "pkg.train", "--lr", "1")),
        ("torchrun train.py", ("train.py",)),
        (["torchrun", "train.py", "--nnodes", "3"], ("train.py", "--nnodes", "3")),
        ("torchrun -m pkg.train", ("-m", "pkg.train")),
        ("torchrun --module pkg.train", ("-m", "pkg.train")),
        ("torchrun -- train.py", ("train.py",)),
        ("torchrun --run_path train.py", ("train.py",)),
        ("torchrun --no_python bash run.sh", ("bash", "run.sh")),
        ("torchrun --no-python ./bin/train", ("./bin/train",)),
        ("python -m torch.distributed.run train.py", ("train.py",)),
        ("bash run.sh a b", ("bash", "run.sh", "a", "b")),
        ("bash -euo pipefail run.sh", ("bash", "-euo", "pipefail", "run.sh")),
        ("./run.sh", ("./run.sh",)),
        ("/opt/other/bin/python3 train.py", ("/opt/other/bin/python3", "train.py")),
        ("torchrun \\\n  train.py \\\n  --name 'a & b'", ("train.py", "--name", "a & b")),
        (["train.py", "--glob", "$HOME/*"], ("train.py", "--glob", "$HOME/*")),
    ],
)
def test_what_people_type_becomes_the_form_that_jobs_keep(
    written: str | list[str], kept: tuple[str, ...]
) -> None:
    assert understand(written).command == kept
    assert understand(list(kept)).command == kept, "what is kept is understood as itself"


def test_torchruns_own_options_are_taken_over() -> None:
    found = understand(
        "OMP_NUM_THREADS=2 torchrun --nproc-per-node=gpu --nnodes 1:4 --max_restarts 5 train.py"
    )
    assert (found.nproc_per_node, found.nodes, found.max_restarts) == ("gpu", (1, 4), 5)
    assert found.env == {"OMP_NUM_THREADS": "2"}
    assert understand("A=1 env B=2 C=x=y python train.py").env == {"A": "1", "B": "2", "C": "x=y"}
    assert understand("torchrun --nproc 4 --nnodes=2 train.py").nodes == (2, 2)
    assert understand("torchrun --nproc 4 train.py").nproc_per_node == 4
    assert understand("torchrun --standalone train.py").is_one_node


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("--rdzv_endpoint=localhost:0", "elasticd makes the rendezvous itself"),
        ("--rdzv-backend c10d", "elasticd makes the rendezvous itself"),
        ("--master_addr 10.0.0.1", "elasticd makes the rendezvous itself"),
        ("--node_rank 0", "elasticd numbers the nodes"),
        ("--log_dir logs", "elasticd job logs"),
        ("-t 3", "elasticd job logs"),
        ("--start_method fork", "`preload`"),
        ("--nproc_per_node cpu", "wanted a number, gpu or auto"),
        ("--nnodes many", "wanted a number or MIN:MAX"),
        ("--lr 0.1", "the script's own options come after the script"),
    ],
)
def test_options_that_are_elasticds_are_refused_by_name(option: str, hint: str) -> None:
    said = refusal(f"torchrun {option} train.py")
    assert hint in said
    assert option.split("=")[0].split()[0].lstrip("-").replace("_", "-")[:1] in said


def test_every_option_that_is_refused_is_named_at_once() -> None:
    said = refusal("torchrun --rdzv_backend=c10d --rdzv_endpoint=host:1 --node_rank=1 train.py")
    assert all(name in said for name in ("--rdzv-backend", "--rdzv-endpoint", "--node-rank"))


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("", "got nothing"),
        ("torchrun --nproc_per_node 4", "wanted the script"),
        ("python", "wanted a script"),
        ("python -m", "wanted a module's name"),
        (["-m"], "wanted a module's name"),
        ("python -c 'print(1)'", "wanted a script"),
        ("bash", "wanted a script after bash"),
        ("bash -c 'python train.py'", "`bash run.sh`"),
        ("cd src && python train.py", "`setup`"),
        ("python train.py > log.txt", "'>'"),
        ("pip install x\npython train.py", "`setup`"),
        ("python train.py --data $HOME/data", "no shell reads them"),
        ("python train.py 'open", "closed quotes"),
        ("accelerate launch train.py", "torchrun train.py"),
        ("make train", "write the line that its target runs"),
        ("env A=1 docker run image", "field `image`"),
        ("env -i python train.py", "env -i: wanted NAME=value and then the program"),
        ("env A=1", "wanted at least the script to run"),
        ("deepspeed train.py", "torchrun train.py"),
        ("uv run train.py", "`requirements`"),
        ("python -m torch.distributed.launch train.py", "LOCAL_RANK"),
        ("torchrun --no_python torchrun --nnodes=2 train.py", "another torchrun"),
    ],
)
def test_what_cannot_be_understood_says_what_to_write(written: str | list[str], hint: str) -> None:
    assert hint in refusal(written)


def test_a_shells_script_that_starts_torchrun_is_refused_with_its_line() -> None:
    with pytest.raises(InvalidInput, match=r"run\.sh starts torchrun in line 3"):
        check_shell_script(
            "run.sh",
            "#!/bin/bash\n# torchrun is not started here\ntorchrun --nproc_per_node 4 train.py\n",
        )
    check_shell_script("run.sh", "#!/bin/bash\nexport LR=1  # for torchrun\npython train.py\n")


def test_a_shell_restarts_at_each_change() -> None:
    assert choose_mode(["bash", "run.sh"]) is Mode.RESTART
