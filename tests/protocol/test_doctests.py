"""The examples in the docstrings of the protocol hold."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "name", ["bounds", "protocol.checking", "protocol.messages", "worker.messages"]
)
def test_the_examples_of_a_module_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"elastic.{name}"))
    assert found.attempted > 0 and found.failed == 0
