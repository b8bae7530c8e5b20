"""The page on machines that one has: its commands run as they stand, on two hosts with a real
sshd."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import page
from tests.docs.running_pages import TRAIN, commands, environment, folder_in
from tests.e2e.running import RunningDaemon
from tests.providers.ssh_hosts import (
    python_with_elasticd,
    running_hosts,
    skip_where_there_is_no_sshd,
)

PAGE = "docs/how-to/ssh.md"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_reader_trains_on_two_hosts_as_the_page_says(tmp_path: Path) -> None:
    skip_where_there_is_no_sshd()
    folder = folder_in(tmp_path)
    (folder / "train.py").write_text(TRAIN)
    (folder / "job.yaml").write_text(re.findall(r"```yaml\n(.*?)```", page(PAGE), re.DOTALL)[0])
    (folder / "estate").mkdir()
    with running_hosts(folder / "estate", 2) as estate:
        (folder / ".ssh").mkdir()
        (folder / ".ssh" / "config").write_text(estate.config.read_text())
        own = {
            # What is of a reader's own: an address, a shared folder; torch is there already.
            "ELASTICD_HOST": estate.address,
            "ELASTICD_CHECKPOINT_ROOT": str(folder / "shared"),
            "ELASTICD_SSH__PYTHON": str(python_with_elasticd(folder)),
        }
        daemon = RunningDaemon(folder, own)
        try:
            done = subprocess.run(
                ["bash", "-euc", "\n".join(commands(PAGE))],
                cwd=folder,
                env={**environment(folder), **own},
                capture_output=True,
                text=True,
                timeout=240,
                check=False,
            )
        finally:
            daemon.sweep()
        said = done.stdout + done.stderr + (folder / "elasticd.log").read_text()[-3000:]
        assert done.returncode == 0, said
        first, last = re.findall(r"^desk-a .*", done.stdout, re.MULTILINE)[:2]
        assert re.match(r"desk-a +desk +0\.04 .* none +free", first), said
        assert last == first, said
        assert re.search(r"node-\w+@desk-[ab]", done.stdout), said
        assert "succeeded" in done.stdout, said
