from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from elastic.worker.torchvision_import import MISSING

# What torchvision does while it is imported: it describes an operator, which its library has
# defined or not.
_PACKAGE = """\
import torch
from torchvision.part import PART
@torch.library.register_fake("torchvision::nms")
def fake(dets, scores, iou_threshold):
    return dets
"""
_SCRIPT = """\
import importlib.util
import inspect
import sys
sys.path.insert(0, sys.argv[1])
from elastic.worker.torchvision_import import help_torchvision
help_torchvision()
assert importlib.util.find_spec("torchvision") is not None  # libraries look before they import
import torchvision
assert torchvision.PART == 1
assert "register_fake" in inspect.getsource(torchvision)
import torchvision.part
print("imported")
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], check=False, capture_output=True, text=True, timeout=110
    )


def stand_in(folder: Path, text: str) -> str:
    (folder / "torchvision").mkdir()
    (folder / "torchvision/__init__.py").write_text(text)
    (folder / "torchvision/part.py").write_text("PART = 1\n")
    return str(folder)


def test_a_torchvision_whose_operators_are_unknown_is_imported_all_the_same(tmp_path: Path) -> None:
    done = run("-c", _SCRIPT, stand_in(tmp_path, _PACKAGE))
    assert done.stdout == "imported\n", done.stderr
    assert done.stderr == f"{MISSING}\n", "what does not work is said where it is imported"


def test_another_error_of_torchvision_stays_its_own(tmp_path: Path) -> None:
    done = run("-c", _SCRIPT, stand_in(tmp_path, "raise RuntimeError('its own trouble')\n"))
    assert "RuntimeError: its own trouble" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("way", ["--watched", "--plain"])
def test_a_users_script_imports_the_torchvision_that_is_installed(way: str, tmp_path: Path) -> None:
    (tmp_path / "uses.py").write_text(
        "import torchvision.transforms\nprint(torchvision.models.resnet18)\n"
    )
    command = [str(tmp_path / "uses.py")] if way == "--watched" else ["-m", "uses"]
    done = subprocess.run(
        [sys.executable, "-m", "elastic.worker.begin", way, *command],
        check=False,
        capture_output=True,
        text=True,
        timeout=110,
        env={"PYTHONPATH": f"{tmp_path}:{Path.cwd()}", "PATH": "/usr/bin:/bin"},
    )
    assert "resnet18" in done.stdout, done.stderr
