"""Tests import through the packages' faces no less than they did."""

from __future__ import annotations

import doctest

import pytest

from benchmarks import faces
from benchmarks.faces import imported_names, is_through_face, share

LEAST = 0.85
"""Raise it when more does. What is left tests inner parts, whose names no other room wants."""


def test_the_example_holds() -> None:
    assert doctest.testmod(faces).failed == 0


def test_tests_import_through_faces_no_less_than_they_did() -> None:
    found = list(imported_names("tests"))
    assert len(found) > 2000
    assert share(found) >= LEAST


@pytest.mark.parametrize(
    ("module", "name", "is_so"),
    [
        ("elastic.providers.ec2", "Ec2Provider", True),
        ("elastic.providers.ec2.provider", "Ec2Provider", False),
        ("elastic.providers.ec2", "provider", False),
        ("elastic", "figures", True),
        ("elastic.errors", "Conflict", True),
        ("api.specs", "to_spec", True),
    ],
)
def test_a_face_is_what_a_package_lists_or_the_modules_of_one_that_lists_nothing(
    module: str, name: str, is_so: bool
) -> None:
    assert is_through_face(module, name) == is_so
