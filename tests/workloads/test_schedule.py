"""The learning rate over a run."""

from elastic.workloads.schedule import learning_rate


def test_falls_in_a_straight_line_from_the_decay_to_the_end() -> None:
    rates = [learning_rate(base=2.0, iteration=i, total=8, decay_from=0.5) for i in range(8)]
    assert rates == [2.0, 2.0, 2.0, 2.0, 2.0, 1.5, 1.0, 0.5]


def test_a_decay_that_begins_after_the_end_never_begins() -> None:
    assert {learning_rate(base=1.0, iteration=i, total=4, decay_from=2.0) for i in range(4)} == {
        1.0
    }
