import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.dashboard.charts import interval_bar, plot, scale_to
from elastic.model import Interval


@given(st.floats(min_value=1e-6, max_value=1e12, allow_nan=False))
def test_an_axis_holds_the_greatest_value_in_round_steps(greatest: float) -> None:
    scale = scale_to(greatest)
    assert scale.ticks[0] == 0
    assert scale.maximum >= greatest * (1 - 1e-9)
    assert scale.maximum <= greatest * 2
    assert 3 <= len(scale.ticks) <= 6


def test_an_axis_of_nothing_is_still_an_axis() -> None:
    assert scale_to(0.0).ticks == (0.0, 1.0)


def test_a_bar_without_an_interval_has_no_whisker() -> None:
    bar = interval_bar(Interval(50.0), scale_to(100.0))
    assert (bar.length, bar.low, bar.high) == (50.0, None, None)


def test_a_whisker_never_leaves_the_axis() -> None:
    bar = interval_bar(Interval(1.0, -3.0, 500.0), scale_to(2.0))
    assert (bar.low, bar.high) == (0.0, 100.0)


def test_a_line_is_broken_where_nothing_is_known() -> None:
    drawn = plot([0.0, 1.0, 2.0, 3.0], [("rate", [1.0, None, 1.0, 0.0])])
    assert drawn.lines[0].path == "M0 0h0M666.7 0h0L1000 1000"


def test_a_value_between_two_gaps_is_a_dot() -> None:
    # "h0" is a line of no length, which a round cap makes visible.
    drawn = plot([0.0, 1.0, 2.0], [("rate", [None, 1.0, None])])
    assert drawn.lines[0].path == "M500 0h0"


def test_an_empty_chart_is_no_error() -> None:
    drawn = plot([], [])
    assert drawn.lines == ()
    assert drawn.marks == ()


def test_marks_stand_where_their_instants_are() -> None:
    assert plot([0.0, 10.0], [("rate", [1.0, 1.0])], marks_at_s=[2.5]).marks == (250.0,)


@pytest.mark.parametrize("at_s", [[5.0], [5.0, 5.0]])
def test_a_chart_without_duration_is_no_error(at_s: list[float]) -> None:
    assert plot(at_s, [("rate", [1.0] * len(at_s))]).lines[0].path.startswith("M0 0")
