"""What a spawner gives all workers that it starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# A spawner whose agent is gone ends at once; it need not load torch first.
_SPAWN = """\
import resource, sys
from pathlib import Path
from elastic.agent import spawner
spawner.warm_up = lambda: None
files = resource.RLIMIT_NOFILE
resource.setrlimit(files, (int(sys.argv[1]), int(sys.argv[2])))
spawner.Spawner(Path(sys.argv[3])).run()
print(*resource.getrlimit(files))
"""


@pytest.mark.parametrize(("before", "after"), [((256, 4096), "4096 4096"), ((512, 512), "512 512")])
def test_workers_may_have_as_many_files_open_as_the_node_allows_when_it_is_asked(
    before: tuple[int, int], after: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SPAWN, *map(str, before), tmp_path],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout.strip() == after
