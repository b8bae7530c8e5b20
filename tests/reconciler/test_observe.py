"""What is seen of a job's nodes before a decision."""

from __future__ import annotations

import pytest

from elastic.model import Group, Outcome
from elastic.reconciler import training_group
from tests.reconciler.test_steps import HALF, generation, left, node


@pytest.mark.parametrize(
    ("outcome", "trains"), [(Outcome.SUCCEEDED, True), (Outcome.DRAINED, False), (Outcome.FAILED, False)]
)
def test_a_group_trains_until_the_last_of_its_nodes_is_done(outcome: Outcome, trains: bool) -> None:
    ended = node("a", exit=left(outcome))
    found = training_group(generation("a", "b"), (ended, node("b")))
    assert found == (Group.of(HALF, 2) if trains else None)


def test_a_group_does_not_train_whole_where_a_node_is_missing_or_about_to_be() -> None:
    assert training_group(generation("a", "b"), (node("a"),)) is None
    assert training_group(generation("a"), (node("a", stopping_at_s=90.0),)) is None
    assert training_group(generation("a", drain_at_s=90.0), (node("a"),)) is None
