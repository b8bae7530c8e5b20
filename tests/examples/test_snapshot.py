"""The README's job is the one in the examples, and a user's daemon would take it."""

from __future__ import annotations

import yaml

from api.specs import to_spec
from elastic.cli.job import read_spec
from tests.docs.pages import ROOT, blocks


def test_the_readme_shows_the_job_of_the_example() -> None:
    shown = [
        yaml.safe_load(block.text) for block in blocks("yaml") if block.page == ROOT / "README.md"
    ]
    assert shown[0] == yaml.safe_load((ROOT / "examples/snapshot/job.yaml").read_text())


def test_the_job_of_the_example_is_valid_and_sends_its_script() -> None:
    document, code = read_spec(str(ROOT / "examples/snapshot/job.yaml"))
    assert code is not None and "train.py" in code.paths
    assert to_spec(document, now_s=0.0).command == ("train.py", "--epochs", "30")
