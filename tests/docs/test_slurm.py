"""The page on Slurm: its commands run as they stand, on a real Slurm."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import page
from tests.docs.running_pages import TRAIN, commands, environment, folder_in
from tests.e2e.running import RunningDaemon
from tests.providers.slurm_cluster import running_slurm, skip_where_there_is_no_slurm
from tests.providers.ssh_hosts import python_with_elasticd

PAGE = "docs/how-to/slurm.md"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_reader_trains_on_slurm_as_the_page_says(tmp_path: Path) -> None:
    skip_where_there_is_no_slurm()
    folder = folder_in(tmp_path)
    (folder / "train.py").write_text(TRAIN)
    (folder / "job.yaml").write_text(re.findall(r"```yaml\n(.*?)```", page(PAGE), re.DOTALL)[0])
    with running_slurm(2) as slurm:
        own = {
            "SLURM_CONF": str(slurm.folder / "slurm.conf"),
            # What is of a reader's own: an address, a shared folder; torch is there already.
            "ELASTICD_HOST": slurm.address,
            "ELASTICD_CHECKPOINT_ROOT": str(folder / "shared"),
            "ELASTICD_SLURM__PYTHON": str(python_with_elasticd(folder)),
        }
        done = subprocess.run(
            ["bash", "-euc", "\n".join(commands(PAGE))],
            cwd=folder,
            env={**environment(folder), **own},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        left = slurm.jobs()
    RunningDaemon(folder, own).sweep()
    said = done.stdout + done.stderr + (folder / "elasticd.log").read_text()[-3000:]
    assert done.returncode == 0, said
    assert re.search(r"idle spot +\$0\.01 .*\n.*main on-demand +\$0\.04 ", done.stdout), said
    assert re.search(r"slurm-\d", done.stdout), said
    assert "succeeded" in done.stdout, said
    assert left == [], said
