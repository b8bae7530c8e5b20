"""The examples in the docstrings."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "buffers",
        "exact",
        "following",
        "leveling",
        "settings",
        "shares",
        "standing",
        "sums",
        "terms",
    ],
)
def test_the_examples_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"elastic.workloads.session.{name}"))
    assert found.attempted and not found.failed
