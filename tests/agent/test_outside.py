"""A script without a session in mode live: each node's workers would train the whole job alone."""

from __future__ import annotations

import pytest

from elastic.agent import describe_exit
from elastic.model import Exit, Outcome
from tests.agent.conftest import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SCRIPT = """
import time
from elastic.worker import finished, paramount
for turn in range(1, {turns} + 1):
    paramount(turn)
    time.sleep(0.01)
finished({turns})
"""


@pytest.mark.parametrize("turns", [3, 100_000])
def test_a_script_without_a_session_fails_in_mode_live_and_its_owner_is_told_why(
    world: World, turns: int
) -> None:
    world.node()
    world.assign(world.script(SCRIPT.format(turns=turns)), mode="live")
    said = world.wait_for(lambda: world.daemon.exit_of(1))
    assert said["outcome"] == "failed"
    assert "use mode restart" in describe_exit(
        Exit(1, Outcome.FAILED, said["exit_code"], log_tail=said["log_tail"])
    )
