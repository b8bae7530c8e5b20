"""A steady tick stays a way that a reader can follow."""

from __future__ import annotations

from pathlib import Path

from benchmarks.hops import steady_tick

MOVES = 248
"""So many moves between files at most."""
RETURNS = 8
"""So often at most `next_steps` comes back to a file where it was."""


def test_a_steady_tick_is_a_way_that_a_reader_can_follow(tmp_path: Path) -> None:
    way = steady_tick(tmp_path)
    assert way.inner, "the tick asked for no steps"
    assert 50 < way.moves <= MOVES
    assert way.returns <= RETURNS
