"""The examples in the docstrings."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "turns.buffers",
        "links.hang_detector",
        "state.state_sender",
        "turns.leveling",
        "settings",
        "division.shares",
        "turns.sums",
        "state.terms",
    ],
)
def test_the_examples_hold(name: str) -> None:
    module = importlib.import_module(f"elastic.workloads.session.{name}")
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert found.attempted and not found.failed
