"""A short form of the takeovers that `benchmarks.takeover` plays."""

from __future__ import annotations

import pytest

from benchmarks.takeover import play

pytestmark = [pytest.mark.slow, pytest.mark.timeout(500)]


def test_a_standby_takes_over_and_neither_node_nor_iteration_is_lost() -> None:
    row = play(["machine", "cut_off"])
    assert row.holds, "\n".join(row.lines())
