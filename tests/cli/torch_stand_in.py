"""A torch and a torchvision without content, for tests of the doctor that are about something else:
the real ones take seconds to load."""

from __future__ import annotations

from pathlib import Path

import pytest


def torch_that_loads_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, has_operators: bool = True
) -> None:
    """Has programs that this process starts import them from `folder`."""
    stand_ins = {
        "torch/__init__.py": "",
        "torch/distributed.py": "def is_available(): return True",
        "torchvision/__init__.py": "",
        "torchvision/transforms.py": "",
        "torchvision/extension.py": f"def _has_ops(): return {has_operators}",
    }
    for name, text in stand_ins.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setenv("PYTHONPATH", f"{folder}:{Path.cwd()}")
