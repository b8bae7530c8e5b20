"""The demo leaves nothing behind however it ends."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.examples.demos import Demo, left_of, own_environment, start
from tests.unprivileged import identity, needs_root, nobodys_python


@pytest.fixture(autouse=True)
def interrupts_arrive() -> Iterator[None]:
    """A shell that runs the tests in the background has them ignore Ctrl-C, nohup has them ignore a
    lost terminal, and with them all that they start."""
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGHUP: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    output = tmp_path / "output"
    check_interrupted(start(output, environment=own_environment(tmp_path)), output, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_sigterm_and_sighup_leave_nothing_behind_either(
    tmp_path: Path, number: signal.Signals
) -> None:
    output = tmp_path / "output"
    demo = start(output, environment=own_environment(tmp_path))
    check_interrupted(demo, output, tmp_path, by=number)
    assert f"stopped by {number.name}; nothing of the demo is left running" in output.read_text()


@pytest.mark.slow
@pytest.mark.soak
@needs_root
def test_somebody_without_rights_has_the_demo_too(tmp_path: Path) -> None:
    output = tmp_path / "output"
    with nobodys_python() as (python, environment):
        demo = start(output, python=python, environment=environment, **identity())
        check_interrupted(demo, output, Path(environment["TMPDIR"]))


def check_interrupted(
    demo: Demo, output: Path, folder: Path, *, by: signal.Signals = signal.SIGINT
) -> None:
    """Interrupts a demo whose first node has joined, and looks for what it may have left."""
    until_s = time.monotonic() + 100
    while "node_joined" not in output.read_text() and time.monotonic() < until_s:
        assert demo.poll() is None, output.read_text()
        time.sleep(0.2)
    assert left_of(folder)
    assert "node_joined" in output.read_text()
    demo.send_signal(by)
    assert demo.wait(timeout=100) == 128 + by, output.read_text()
    assert left_of(folder) == []
    assert [path for path in folder.iterdir() if path.name.startswith("elasticd-demo-")] == []
