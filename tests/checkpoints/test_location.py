from __future__ import annotations

import doctest

import pytest

from elastic.checkpoints import location, manifest, parse_location
from elastic.errors import InvalidInput


@pytest.mark.parametrize("text", ["s3://training", "s3://my.bucket/a/b-c_d/2026"])
def test_a_location_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_location(text)) == text


@pytest.mark.parametrize(
    "text",
    ["s3://", "s3://Upper", "s3://b", "s3://good/a//b", "s3://good/../x", "/a", "s3://good/ä"],
)
def test_what_is_no_location_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="s3://BUCKET/PREFIX"):
        parse_location(text)


@pytest.mark.parametrize("module", [location, manifest])
def test_the_examples_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]
