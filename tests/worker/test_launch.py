"""Unmodified scripts run as under python itself, and their turns are seen; torch is played by a
small package."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.worker.conftest import IN_ALL, LEAVES_OPEN, AgentSocket, what_was_left

FAKE_TORCH = """
_before, _hooks = [], []
def register_optimizer_step_pre_hook(hook):
    _before.append(hook)
def register_optimizer_step_post_hook(hook):
    _hooks.append(hook)
class Optimizer:
    def step(self):
        for hook in _before:
            hook(self, (), {})
        for hook in _hooks:
            hook(self, (), {})
"""
GAN = """
from torch.optim.optimizer import Optimizer
generator, discriminator = Optimizer(), Optimizer()
for _ in range({turns}):
    generator.step()
    discriminator.step()
"""


class Desk:
    """A folder with scripts and a fake torch, from which scripts are launched beside an agent's
    socket."""

    def __init__(self, folder: Path, agent_socket: AgentSocket) -> None:
        self.folder = folder
        self._agent_socket = agent_socket
        (folder / "torch" / "optim").mkdir(parents=True)
        (folder / "torch" / "__init__.py").touch()
        (folder / "torch" / "optim" / "__init__.py").write_text(
            "from torch.optim.optimizer import Optimizer\n"
        )
        (folder / "torch" / "optim" / "optimizer.py").write_text(FAKE_TORCH)

    def launch(
        self, script: str, *arguments: str, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        (self.folder / "train.py").write_text(script)
        return self.run(str(self.folder / "train.py"), *arguments, **environment)

    def launch_until(self, kind: str, script: str, **environment: str) -> list[dict[str, Any]]:
        """Launches a script that says `kind` and waits, ends it, and gives what it has said."""
        (self.folder / "train.py").write_text(script)
        found: list[dict[str, Any]] = []
        until = time.monotonic() + 30
        with subprocess.Popen(
            self._command(str(self.folder / "train.py")), env=self._environment(environment)
        ) as process:
            while process.poll() is None and time.monotonic() < until:
                found += self.messages()
                if any(each["kind"] == kind for each in found):
                    process.terminate()
                    break
                time.sleep(0.01)
            process.wait(timeout=30)
        return found + self.messages()

    def _command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "elastic.worker.launch", *arguments]

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        own = {
            "PYTHONPATH": str(self.folder),
            "ELASTICD_SOCKET": str(self._agent_socket.path),
        }
        return os.environ | own | more

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._command(*arguments),
            env=self._environment(environment),
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    @property
    def beginnings(self) -> list[dict[str, Any]]:
        return self._agent_socket.beginnings

    def messages(self) -> list[dict[str, Any]]:
        return self._agent_socket.received()

    def words(self) -> list[tuple[str, Any]]:
        messages = [m for m in self.messages() if m["kind"] != "note"]
        turns = sum(m["iterations"] for m in messages if m["kind"] == "window")
        return [
            ("turns", turns),
            *((m["kind"], m.get("iteration")) for m in messages if m["kind"] != "window"),
        ]


@pytest.fixture
def desk(tmp_path: Path, agent_socket: AgentSocket) -> Desk:
    return Desk(tmp_path, agent_socket)


def test_two_optimizers_of_a_gan_count_once_a_turn(desk: Desk) -> None:
    result = desk.launch(GAN.format(turns=7))
    assert result.stderr == ""
    assert desk.words() == [("turns", 7), ("finished", None)]


def test_a_script_that_changes_its_optimizer_keeps_counting(desk: Desk) -> None:
    desk.launch(GAN.format(turns=7) + "del generator\nfor _ in range(5): discriminator.step()")
    assert desk.words() == [("turns", 12), ("finished", None)]


def test_an_optimizer_that_is_kept_but_no_longer_used_gives_way(desk: Desk) -> None:
    desk.launch(GAN.format(turns=1) + "for _ in range(150): discriminator.step()")
    assert desk.words() == [("turns", 1 + 51), ("finished", None)]


def test_hundreds_of_optimizers_such_as_one_for_each_parameter_count_once_a_turn(
    desk: Desk,
) -> None:
    """As in PyTorch's tutorial on steps within the backward pass, where 100 parameters are few."""
    desk.launch(
        "from torch.optim.optimizer import Optimizer\n"
        "optimizers = [Optimizer() for _ in range(300)]\n"
        "for _ in range(7):\n"
        "    for each in optimizers: each.step()\n"
    )
    assert desk.words() == [("turns", 7), ("finished", None)]


def test_the_parts_of_a_step_of_deepspeed_count_once_a_turn(desk: Desk) -> None:
    """As ZeRO 2 does, which takes each group for itself; ZeRO 3 leaves the others empty."""
    (desk.folder / "deepspeed.py").write_text(
        "def step(optimizer):\n"
        "    groups = optimizer.param_groups\n"
        "    for each in groups:\n"
        "        optimizer.param_groups = [each]\n"
        "        optimizer.step()\n"
        "    optimizer.param_groups = groups\n"
        "    parts = [each['params'] for each in groups]\n"
        "    for each in groups: each['params'] = []\n"
        "    for each, part in zip(groups, parts):\n"
        "        each['params'] = part\n"
        "        optimizer.step()\n"
        "        each['params'] = []\n"
        "    for each, part in zip(groups, parts): each['params'] = part\n"
    )
    desk.launch(
        "import deepspeed\n"
        "from torch.optim.optimizer import Optimizer\n"
        "optimizer = Optimizer()\n"
        "optimizer.param_groups = [{'params': [object()]} for _ in range(3)]\n"
        "for _ in range(7): deepspeed.step(optimizer)\n"
    )
    assert desk.words() == [("turns", 14), ("finished", None)]


def test_the_counter_stands_aside_when_the_script_counts_itself(desk: Desk) -> None:
    script = (
        "from elastic.worker import paramount, finished\n"
        + GAN.format(turns=6)
        + "    paramount()\nfinished(6)"
    )
    desk.launch(script)
    assert desk.words() == [("turns", 6), ("finished", 6)]


def test_many_critic_steps_a_turn_are_taken_back_when_the_script_counts_itself(
    desk: Desk,
) -> None:
    steps = "    for _ in range(4): generator.step()\n    paramount()\n"
    desk.launch("from elastic.worker import paramount\n" + GAN.format(turns=3) + steps)
    assert desk.words() == [("turns", 3), ("finished", None)]


def test_a_script_that_fails_says_nothing_and_keeps_its_exit_code(desk: Desk) -> None:
    assert desk.launch(GAN.format(turns=2) + "raise SystemExit(3)").returncode == 3
    assert desk.words() == [("turns", 2)]


def test_a_traceback_names_the_script(desk: Desk) -> None:
    result = desk.launch("1 / 0")
    assert result.returncode == 1
    assert 'train.py", line 1, in <module>' in result.stderr


def test_sys_exit_zero_is_a_finished_job(desk: Desk) -> None:
    assert desk.launch("import sys; sys.exit(0)").returncode == 0
    assert desk.words() == [("turns", 0), ("finished", None)]


@pytest.mark.parametrize(("is_complete", "last"), [(True, [("finished", None)]), (False, [])])
def test_in_a_session_only_its_end_is_a_finished_job(
    desk: Desk, is_complete: bool, last: list[tuple[str, Any]]
) -> None:
    script = (
        "import sys\n"
        "from elastic.worker.hook import worker\n"
        f"worker().is_complete = lambda: {is_complete}\n"
    )
    assert desk.launch(script + "sys.exit(0)").returncode == 0
    assert desk.words() == [("turns", 0), *last]


@pytest.mark.parametrize("code", [143, 130])
def test_a_handler_that_says_by_its_exit_that_it_heeds_a_signal_has_drained(
    desk: Desk, code: int
) -> None:
    (desk.folder / "drain").touch()
    handler = f"import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit({code}))\n"
    result = desk.launch(
        handler + GAN.format(turns=1000), ELASTICD_DRAIN_FILE=str(desk.folder / "drain")
    )
    assert result.returncode == 0, "torchrun would start it anew"
    assert desk.words() == [("turns", 1), ("drained", None)]


@pytest.mark.parametrize("code", [143, 1])
def test_any_other_exit_is_the_script_s_own(desk: Desk, code: int) -> None:
    assert desk.launch(f"import sys; sys.exit({code})").returncode == code
    assert desk.words() == [("turns", 0)]


def test_one_process_alone_stops_at_a_step_boundary(desk: Desk) -> None:
    (desk.folder / "drain").touch()
    indented = "  ".join(GAN.format(turns=1000).splitlines(keepends=True))
    script = f"try:\n  {indented}finally: print('tidied up')"
    result = desk.launch(script, ELASTICD_DRAIN_FILE=str(desk.folder / "drain"))
    assert (result.returncode, result.stdout) == (0, "tidied up\n")
    assert desk.words() == [("turns", 1), ("drained", None)]


def test_a_script_that_catches_its_stop_trains_no_further(
    desk: Desk,
) -> None:
    (desk.folder / "drain").touch()
    script = (
        "from torch.optim.optimizer import Optimizer\n"
        "optimizer = Optimizer()\n"
        "for _ in range(1000):\n"
        "    try: optimizer.step()\n"
        "    except: pass\n"
    )
    found = desk.launch_until("note", script, ELASTICD_DRAIN_FILE=str(desk.folder / "drain"))
    said = [each["kind"] for each in found if each["kind"] != "window"]
    assert said == ["drained", "note"]
    (note,) = (each["text"] for each in found if each["kind"] == "note")
    assert "except Exception:" in note


def test_a_script_with_a_signal_handler_is_stopped_by_its_own_rule(desk: Desk) -> None:
    (desk.folder / "drain").touch()
    handler = (
        "import signal, sys\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('saved'), sys.exit(0)))\n"
    )
    result = desk.launch(
        handler + GAN.format(turns=1000), ELASTICD_DRAIN_FILE=str(desk.folder / "drain")
    )
    assert (result.returncode, result.stdout) == (0, "saved\n")
    assert desk.words() == [("turns", 1), ("drained", None)]


def test_one_of_several_ranks_leaves_the_stopping_to_the_agent(desk: Desk) -> None:
    (desk.folder / "drain").touch()
    environment = {
        "ELASTICD_DRAIN_FILE": str(desk.folder / "drain"),
        "WORLD_SIZE": "2",
        "RANK": "0",
    }
    assert desk.launch(GAN.format(turns=20), ELASTICD_BATCH="job", **environment).returncode == 0
    assert desk.words() == [("turns", 20), ("needs_signal", None), ("drained", None)]


def test_a_module_runs_as_with_python_dash_m(desk: Desk) -> None:
    (desk.folder / "job").mkdir()
    (desk.folder / "job" / "__main__.py").write_text(
        "import sys\nprint(__name__, __package__, sys.argv[1:])"
    )
    assert desk.run("-m", "job", "--lr", "1").stdout == "__main__ job ['--lr', '1']\n"


def test_a_script_finds_its_neighbours_arguments_and_itself(desk: Desk) -> None:
    (desk.folder / "sub").mkdir()
    (desk.folder / "sub" / "neighbour.py").write_text("value = 7")
    script = (
        "import json, pickle, sys, neighbour, multiprocessing\n"
        "class Thing: pass\n"
        "def child(queue): queue.put(pickle.dumps(Thing()))\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context('spawn')\n"
        "    queue = context.Queue()\n"
        "    process = context.Process(target=child, args=(queue,)); process.start()\n"
        "    thing = pickle.loads(queue.get(timeout=20)); process.join()\n"
        "    print(json.dumps([sys.argv[1:], neighbour.value, type(thing).__name__, __file__]))\n"
    )
    path = desk.folder / "sub" / "train.py"
    path.write_text(script)
    result = desk.run(str(path), "-x")
    assert json.loads(result.stdout) == [["-x"], 7, "Thing", str(path)], result.stderr


def test_without_a_script_it_says_what_is_wanted(desk: Desk) -> None:
    result = desk.run("-m")
    assert result.returncode == 1
    assert result.stderr.startswith("wanted: python -m elastic.worker.launch")


def test_a_killed_script_leaves_its_signal_as_exit_code(desk: Desk) -> None:
    result = desk.launch("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
    assert result.returncode == -signal.SIGTERM


def test_what_a_script_leaves_open_is_written_as_by_python_itself(desk: Desk) -> None:
    """That is to its end, but for a gzip, which some versions of Python cut off themselves."""
    said = desk.launch(LEAVES_OPEN, str(desk.folder)).stderr
    ours = what_was_left(desk.folder)
    command = [sys.executable, str(desk.folder / "train.py"), str(desk.folder)]
    python = subprocess.run(command, capture_output=True, check=True)
    assert ours == what_was_left(desk.folder)
    assert (said == "") == (python.stderr == b"")
    assert ours[1:] == IN_ALL[1:]
    if sys.version_info < (3, 12):
        assert (ours, said) == (IN_ALL, "")


RESUMING = """
import os, sys
from torch.optim.optimizer import Optimizer
optimizer, path = Optimizer(), sys.argv[1]
if os.path.exists(path):
    with open(path, "rb") as file: file.read()
for turn in range(1, 7):
    optimizer.step()
    if turn == 4:
        with open(path + ".new", "wb") as file: file.write(os.urandom(9) + bytes(99))
        os.replace(path + ".new", path)
"""


def test_a_script_begins_where_the_file_that_it_reads_was_saved(desk: Desk) -> None:
    path, marks = str(desk.folder / "snapshot.pt"), str(desk.folder / "marks")
    told = []
    for _ in range(2):
        assert desk.launch(RESUMING, path, ELASTICD_SAVES=marks).stderr == ""
        told += desk.messages()
    begins = [(m["iteration"], os.path.basename(m["text"])) for m in desk.beginnings]
    assert begins == [(0, ""), (4, "snapshot.pt")]
    assert [m["iteration"] for m in told if m["kind"] == "saved"] == [4, 8]
    assert [m["iteration"] for m in told if m["kind"] == "window" and not m["is_cold"]] == [6, 10]


def test_a_step_that_only_makes_an_optimizer_s_state_before_the_script_reads_is_no_turn(
    desk: Desk,
) -> None:
    """torch.distributed.checkpoint makes one, to know what to read; so does DeepSpeed."""
    path, marks = str(desk.folder / "snapshot.pt"), str(desk.folder / "marks")
    script = RESUMING.replace(
        "if os.path.exists(path):",
        "def _init_optim_state(optimizer): optimizer.step()\n"
        "_init_optim_state(optimizer)\n"
        "if os.path.exists(path):",
    )
    for _ in range(2):
        assert desk.launch(script, path, ELASTICD_SAVES=marks).stderr == ""
        assert desk.words()[0] == ("turns", 6)
    begins = [(m["iteration"], os.path.basename(m["text"])) for m in desk.beginnings]
    assert begins == [(0, ""), (4, "snapshot.pt")]


def test_a_script_that_reads_its_last_save_and_has_nothing_left_to_do_says_so(desk: Desk) -> None:
    path, marks = str(desk.folder / "snapshot.pt"), str(desk.folder / "marks")
    desk.launch(RESUMING, path, ELASTICD_SAVES=marks)
    desk.launch(
        "import sys\nwith open(sys.argv[1], 'rb') as file: file.read()", path, ELASTICD_SAVES=marks
    )
    desk.messages()
    begins = [(m["iteration"], os.path.basename(m["text"])) for m in desk.beginnings]
    assert begins[-1] == (4, "snapshot.pt")


def test_a_step_of_two_workers_counts_their_two_batches(desk: Desk) -> None:
    desk.launch(GAN.format(turns=7), WORLD_SIZE="2")
    assert desk.words()[0] == ("turns", 14)
    desk.launch(GAN.format(turns=7), WORLD_SIZE="2", ELASTICD_BATCH="job")
    assert desk.words()[0] == ("turns", 7)


def test_a_script_that_tells_of_its_samples_is_counted_in_samples(desk: Desk) -> None:
    script = (
        "from elastic.worker import paramount\nfor i in range(1, 4): paramount(i, samples=32)\n"
    )
    desk.launch(script, WORLD_SIZE="2")
    windows = [m for m in desk.messages() if m["kind"] == "window"]
    assert (sum(m["iterations"] for m in windows), windows[-1]["iteration"]) == (96, 96)


def test_workers_that_exchange_nothing_are_told_that_they_train_separate_models(desk: Desk) -> None:
    desk.launch(GAN.format(turns=30), WORLD_SIZE="2")
    (note,) = [m for m in desk.messages() if m["kind"] == "note"]
    assert "2 workers train 2 separate models" in note["text"]


def test_a_script_whose_groups_do_not_count_their_collectives_trains_as_without_elasticd(
    desk: Desk,
) -> None:
    """torch counts those of gloo and NCCL, and raises for a backend that comes as a package."""
    (desk.folder / "torch" / "distributed").mkdir()
    (desk.folder / "torch" / "distributed" / "__init__.py").touch()
    (desk.folder / "torch" / "distributed" / "distributed_c10d.py").write_text(
        "class Group:\n"
        "    def _get_sequence_number_for_group(self):\n"
        "        raise RuntimeError('ProcessGroup custom does not yet support sequence numbers.')\n"
        "class World: pg_map = {Group(): None}\n"
        "_world = World()\n"
        "def is_initialized(): return False\n"
    )
    result = desk.launch(
        "import torch.distributed.distributed_c10d\n" + GAN.format(turns=30), WORLD_SIZE="2"
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert [m for m in desk.messages() if m["kind"] == "note"] == []


def test_a_library_that_asks_for_a_package_only_does_not_make_its_files_unseen(desk: Desk) -> None:
    (desk.folder / "safetensors.py").write_text(
        "def serialize_file(tensors, filename): open(filename, 'wb', opener=None).close()\n"
        "def safe_open(filename): return filename\n"
    )
    script = "import importlib.util\nimportlib.util.find_spec('safetensors')\nimport safetensors\n"
    result = desk.launch(script + "print(safetensors.serialize_file.__wrapped__ is not None)")
    assert result.stdout == "True\n", result.stderr
