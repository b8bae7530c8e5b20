"""Runs the commands of a page, as they stand, in a folder of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT, page

_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Fifty steps, which take long enough to be counted.
TRAIN = """\
import time
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(50):
    optimizer.zero_grad(); model(torch.randn(8, 4)).sum().backward(); optimizer.step()
    time.sleep(0.1)
"""


def commands(document: str) -> list[str]:
    """Each block of a page, as a script."""
    return [
        re.sub(r"^\$ ", "", block, flags=re.MULTILINE) for block in _CONSOLE.findall(page(document))
    ]


def folder_in(tmp_path: Path) -> Path:
    """A folder with the data of a daemon in `data`."""
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "elasticd"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m elastic.cli "$@"\n')
    program.chmod(0o755)
    for name in ("secret", "token"):
        (tmp_path / "data" / name).write_text(f"the-{name}-of-this-daemon")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "ELASTICD_"))
    }
    return {
        **kept,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
        "ELASTICD_DATA_DIR": "data",
        "ELASTICD_PORT": "0",
    }


def run(script: str, folder: Path, **more: str) -> str:
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env={**environment(folder), **more},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
