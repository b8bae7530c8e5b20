"""What is known of a spot pool."""

from __future__ import annotations

import doctest

import pytest

from elastic.model import AGES_S, Spells, pool


def test_the_numbers_in_docstrings_are_right() -> None:
    found = doctest.testmod(pool)

    assert found.attempted > 0
    assert found.failed == 0


def test_two_looks_at_a_spell_count_as_one() -> None:
    whole = Spells().add(0.0, 5000.0, has_ended=True)
    in_two = Spells().add(0.0, 700.0, has_ended=False).add(700.0, 5000.0, has_ended=True)

    assert in_two.seconds == pytest.approx(whole.seconds)
    assert in_two.ended == whole.ended
    assert sum(whole.seconds) == 5000.0
    assert len(whole.seconds) == len(AGES_S)
