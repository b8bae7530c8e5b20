"""The demo keeps its promises, in its time, on a machine that it has to itself."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.examples.demos import left_of, own_environment, start


@pytest.mark.slow
def test_the_demo_shows_what_it_promises_within_five_minutes(tmp_path: Path) -> None:
    output = tmp_path / "output"
    begun_s = time.monotonic()
    demo = start(output, environment=own_environment(tmp_path))
    status = demo.wait(timeout=330)
    text = output.read_text()
    assert status == 0, text
    assert time.monotonic() - begun_s < 300
    assert re.search(r"dashboard: http://[\d.]+:\d+/login\?token=\S{20,}", text)
    assert (
        text.index("the job has settled")
        < text.index("h is now $")
        < text.index("no process is left")
    )
    cost = re.search(r"it cost ([\d.]+) x the best fixed choice", text)
    assert cost is not None and 0.0 < float(cost[1]) < 1.16
    assert re.search(r"worst fixed choice: 1 x c5\.\w+ spot us-east-1a, \$0\.", text)
    assert re.search(r"[1-9]\d+ decisions decided again from their snapshots: the same plans", text)
    bill = re.search(
        r"the ledger's \$0\.\d+ are EC2's bill of \$0\.\d+ to ([\d.]+) %; no instance is left "
        r"there",
        text,
    )
    assert bill is not None and float(bill[1]) < 2.0
    assert (ROOT / ".demo" / "samples_final.png").is_file()
    assert left_of(tmp_path) == []
