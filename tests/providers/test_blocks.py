"""What was refused is left alone: longer each time, and anew after a quiet time."""

from __future__ import annotations

import pytest

from elastic.errors import InvalidInput
from elastic.model import Obstacle, Unavailable
from elastic.providers import Blocks
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
    for each in (HERE, THERE, offering(zone="c")):
        blocks.sold(each, 1)
    assert [each.offering for each in blocks.listed(now_s=1.0)] == [THERE]


def test_a_refusal_of_four_leaves_fewer_to_be_asked_for() -> None:
    blocks = Blocks()
    blocks.block(HERE, nodes=4, now_s=0.0)
    assert [
        nodes for nodes in range(1, 6) if blocks.of(HERE, nodes=nodes, now_s=1.0) is not None
    ] == [4, 5]
    assert blocks.listed(now_s=1.0) == (Unavailable(HERE, 180.0, Obstacle.CAPACITY, 4),)


def test_a_later_refusal_of_fewer_stands_for_the_greater_number_too() -> None:
    blocks = Blocks()
    blocks.block(HERE, nodes=4, now_s=0.0)
    blocks.block(HERE, nodes=2, now_s=10.0)
    assert [(each.nodes, each.until_s) for each in blocks.listed(now_s=11.0)] == [(2, 190.0)]
    blocks.block(HERE, now_s=20.0)
    assert [(each.nodes, each.until_s) for each in blocks.listed(now_s=21.0)] == [(1, 200.0)]


def test_each_number_is_left_alone_for_a_time_of_its_own() -> None:
    blocks = Blocks()
    for now_s in (0.0, 180.0):
        blocks.block(HERE, nodes=4, now_s=now_s)
    blocks.block(HERE, nodes=2, now_s=190.0)
    assert [(each.nodes, each.until_s) for each in blocks.listed(now_s=200.0)] == [
        (2, 370.0),
        (4, 540.0),
    ]
    assert [(each.nodes, each.until_s) for each in blocks.listed(now_s=400.0)] == [(4, 540.0)]
    found = blocks.of(HERE, nodes=8, now_s=200.0)
    assert found is not None
    assert found.until_s == 540.0, "what keeps so many from being bought for the longest time"


def test_what_refuses_one_again_and_again_has_refused_four_as_often() -> None:
    blocks = Blocks()
    for now_s in (0.0, 180.0):
        blocks.block(HERE, now_s=now_s)
    assert blocks.block(HERE, nodes=4, now_s=600.0) == 600.0 + 720.0
    assert blocks.block(THERE, nodes=4, now_s=600.0) == 600.0 + 180.0
    assert blocks.block(THERE, nodes=2, now_s=600.0) == 600.0 + 180.0, "nobody had asked for so few"


def test_what_is_sold_is_no_longer_there_for_the_next() -> None:
    blocks = Blocks()
    blocks.block(HERE, nodes=4, now_s=0.0)
    blocks.block(HERE, nodes=2, now_s=0.0)
    blocks.sold(HERE, 2)
    assert [(each.nodes, each.until_s) for each in blocks.listed(now_s=1.0)] == [(2, 180.0)]
    blocks.sold(HERE, 2)
    assert blocks.listed(now_s=1.0) == ()


def test_a_machine_that_never_joined_closes_what_was_only_short_and_a_quota_too() -> None:
    blocks = Blocks()
    blocks.block(HERE, nodes=4, longest_s=1800.0, first_s=1800.0, now_s=0.0)
    blocks.block(HERE, Obstacle.QUOTA, first_s=600.0, now_s=0.0)
    found = blocks.of(HERE, now_s=1.0)
    assert found is not None
    assert found.why is Obstacle.QUOTA
    blocks.block(HERE, Obstacle.FAILED_TO_JOIN, now_s=600.0)
    blocks.release(HERE)
    assert [(each.nodes, each.why) for each in blocks.listed(now_s=601.0)] == [
        (1, Obstacle.FAILED_TO_JOIN)
    ]


def test_no_block_is_for_nothing() -> None:
    with pytest.raises(InvalidInput, match="must be 1 or more, got 0"):
        Unavailable(HERE, 1.0, Obstacle.CAPACITY, 0)
