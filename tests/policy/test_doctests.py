from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["baseline", "beliefs", "hazards", "hurry", "horizon", "words"])
def test_the_numbers_in_docstrings_are_right(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"elastic.policy.{name}"))

    assert found.attempted > 0
    assert found.failed == 0
