"""torchrun sees the end of workers that it forked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import elastic.worker


@pytest.mark.parametrize("code", [0, 3])
def test_a_forked_script_that_leaves_by_os_exit_has_ended(tmp_path: Path, code: int) -> None:
    (tmp_path / "train.py").write_text(f"import os\nos._exit({code})\n")
    forked = Path(elastic.worker.__file__).with_name("forked.py")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "elastic.workloads.torchrun", "--rdzv-backend=elasticd"),
            *("--nnodes=1", "--nproc-per-node=2", "--local-addr=127.0.0.1"),
            *("--start-method=fork", "--run-path"),
            *(str(forked), "--watched", str(tmp_path / "train.py")),
        ],
        env=os.environ | {"ELASTICD_RDZV_ENDPOINT": "alone", "ELASTICD_RDZV_ID": "job"},
        capture_output=True,
        timeout=40,
        check=False,
    )
    assert bool(done.returncode) == bool(code), done.stderr
