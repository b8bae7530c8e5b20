"""What was refused is left alone: longer each time, and anew after a quiet time."""

from __future__ import annotations

from elastic.model import Obstacle, Unavailable
from elastic.providers.blocks import Blocks
from tests.builders import offering

HERE, THERE = offering(zone="a"), offering(zone="b")


def test_a_block_lasts_twice_as_long_each_time_up_to_a_limit() -> None:
    blocks, now_s, lasted_s = Blocks(), 0.0, []
    for _ in range(4):
        until_s = blocks.block(HERE, first_s=5.0, longest_s=30.0, now_s=now_s)
        lasted_s.append(until_s - now_s)
        now_s = until_s
    assert lasted_s == [5, 10, 20, 30]
    assert blocks.block(HERE, first_s=5.0, longest_s=30.0, now_s=now_s + 31) == now_s + 31 + 5


def test_a_block_tells_why_and_until_when_and_is_over_then() -> None:
    blocks = Blocks()
    blocks.block(THERE, Obstacle.QUOTA, now_s=0.0)
    blocks.block(HERE, now_s=1.0)
    assert blocks.listed(now_s=179.0) == (
        Unavailable(HERE, 181.0, Obstacle.CAPACITY),
        Unavailable(THERE, 180.0, Obstacle.QUOTA),
    )
    assert blocks.of(THERE, now_s=180.0) is None
    assert blocks.of(HERE, now_s=180.0) is not None


def test_one_that_was_sold_is_open_again_but_not_one_whose_machines_do_not_join() -> None:
    blocks = Blocks()
    blocks.block(HERE, now_s=0.0)
    blocks.block(THERE, Obstacle.FAILED_TO_JOIN, now_s=0.0)
    blocks.release(HERE)
    blocks.release(THERE)
    blocks.release(offering(zone="c"))
    assert [each.offering for each in blocks.listed(now_s=1.0)] == [THERE]
