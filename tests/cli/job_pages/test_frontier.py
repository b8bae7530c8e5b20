"""The chart of cost against finish time, as characters."""

from __future__ import annotations

from elastic.cli.job_pages.frontier import COLUMNS, ROWS, Point, chart

HOUR_S = 3600.0


def test_dearer_is_higher_and_later_is_further_right() -> None:
    lines = chart([Point(10 * HOUR_S, 1.0), Point(2 * HOUR_S, 4.0)])
    a_row, b_row = (
        next(row for row, line in enumerate(lines) if letter in line) for letter in "ab"
    )
    assert b_row < a_row, "dollars grow upwards"
    assert lines[a_row].index("a") > lines[b_row].index("b"), "time grows to the right"
    assert len(lines) == ROWS + 2
    assert lines[0].startswith("$4.40 |") and lines[ROWS - 1].lstrip().startswith("$0 |")
    assert lines[-1].endswith("11 h")


def test_goals_are_drawn_where_they_lie_between_the_points() -> None:
    points = [Point(10 * HOUR_S, 1.0), Point(2 * HOUR_S, 4.0)]
    drawn = [
        line.split("|", 1)[1].ljust(COLUMNS)
        for line in chart(points, left_s=5.5 * HOUR_S, budget_usd=2.2)[:ROWS]
    ]
    assert all(line[COLUMNS // 2] == "|" for line in drawn), "half-way to 11 hours"
    assert drawn[ROWS - 1 - ROWS // 2].count("-") == COLUMNS - 1, "half-way to $4.40"


def test_goals_far_beyond_the_points_are_left_out() -> None:
    lines = chart(
        [Point(10 * HOUR_S, 1.0), Point(2 * HOUR_S, 4.0)], left_s=100 * HOUR_S, budget_usd=500.0
    )
    assert all(line.count("|") == 1 and "-" not in line for line in lines[:ROWS])


def test_one_group_makes_no_chart() -> None:
    assert chart([Point(HOUR_S, 1.0)]) == []


def test_a_deadline_that_has_passed_and_points_at_nothing_are_drawn_all_the_same() -> None:
    assert len(chart([Point(0.0, 0.0), Point(0.0, 0.0)], left_s=-5.0)) == ROWS + 2
