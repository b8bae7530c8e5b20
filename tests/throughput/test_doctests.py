from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["mixing", "paramount", "scaling", "value"])
def test_the_numbers_in_docstrings_are_right(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"elastic.throughput.{name}"))

    assert found.attempted > 0
    assert found.failed == 0
