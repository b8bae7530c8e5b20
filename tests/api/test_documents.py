from __future__ import annotations

import json
import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.documents import MAX_BYTES, MAX_DEPTH, read_document
from elastic.errors import InvalidInput

LAUGHS = b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n"


def refusal(body: bytes, media_type: str | None = None) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_document(body, media_type=media_type)
    return str(caught.value)


def test_reads_yaml_by_the_core_schema_of_1_2() -> None:
    text = b"name: no\nrate: 2e-4\ncount: 12\non: true\nempty:\nclock: 12:30:00\nday: 2031-05-01\nquoted: '7'\n"
    expected = {"name": "no", "rate": 2e-4, "count": 12, "on": True, "empty": None}
    assert read_document(text) == expected | {
        "clock": "12:30:00",
        "day": "2031-05-01",
        "quoted": "7",
    }


def test_reads_json_by_its_brace_or_by_its_type() -> None:
    assert read_document(b' {"a":\t[1, 2.5, null, "x"]}') == {"a": [1, 2.5, None, "x"]}
    assert read_document(b"{a: 1}", media_type="application/yaml") == {"a": 1}
    assert "not JSON" in refusal(b"a: 1", "application/json")


def test_numbers_that_are_none_are_read_as_such_for_the_spec_to_refuse() -> None:
    found = read_document(b"a: .nan\nb: -.inf\nc: 1e999")
    assert math.isnan(found["a"]) and found["b"] == -math.inf and found["c"] == math.inf  # type: ignore[arg-type]


@pytest.mark.parametrize("body", [LAUGHS, b"a: &x 1\nb: 2", b"a: *nowhere"])
def test_refuses_anchors_and_aliases(body: bytes) -> None:
    assert "anchors and aliases" in refusal(body)


@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:os.system", "!!binary", "!!set", "!mine", "!!timestamp"]
)
def test_refuses_tags(tag: str) -> None:
    assert "tag" in refusal(f"a: {tag} x".encode()) or "tag" in refusal(f"a: {tag} {{}}".encode())


@pytest.mark.parametrize("body", [b"a: 1\na: 2", b'{"a": 1, "a": 2}', b"x: {b: 1, b: 2}"])
def test_refuses_a_field_that_stands_twice(body: bytes) -> None:
    assert "found twice" in refusal(body)


@pytest.mark.parametrize(
    "body",
    [b"a: " + b"[" * 5000, b"a: " + b"[" * 40 + b"]" * 40, b'{"a":' + b"[" * 40 + b"]" * 40 + b"}"],
)
def test_refuses_deep_nesting(body: bytes) -> None:
    assert f"at most {MAX_DEPTH} levels" in refusal(body)


def test_refuses_nesting_that_would_exhaust_the_json_reader() -> None:
    """Some versions of Python read as deep as that, and leave it to us."""
    assert refusal(b'{"a":' + b"[" * 60_000)
    assert "levels" in refusal(b'{"a":' + b"[" * 30_000 + b"]" * 30_000 + b"}")


def test_refuses_more_than_the_limit() -> None:
    assert str(MAX_BYTES) in refusal(b"a: " + b"x" * MAX_BYTES)


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe",
        b"a: \x07",
        b"a: [",
        b"- 1\n- 2",
        b"",
        b"a",
        b"a: 1\n---\nb: 2",
        b"1: x",
        b"? [a]\n: b",
    ],
)
def test_refuses_what_is_no_mapping_of_names(body: bytes) -> None:
    assert refusal(body)


@pytest.mark.parametrize(
    "body", [b'{"a": "\\u0000"}', b'{"a": "\\ud800"}', b'a: "\\0"', b'{"\\ud800": 1}']
)
def test_refuses_characters_that_nothing_else_can_hold(body: bytes) -> None:
    assert "surrogate" in refusal(body)


def test_refuses_integers_too_long_to_convert() -> None:
    assert "wanted int" in refusal(b"a: " + b"9" * 5000)
    assert "not JSON" in refusal(b'{"a": ' + b"9" * 5000 + b"}")


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="ascii")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="ascii")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.text(st.characters(codec="ascii", exclude_characters="\0"), min_size=1),
        plain,
        max_size=4,
    )
)
def test_what_json_writes_is_read_back_or_refused_by_name(document: dict[str, object]) -> None:
    body = json.dumps(document).encode()
    with suppress(InvalidInput):
        assert read_document(body, media_type="application/json") == document


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_be_refused(body: bytes) -> None:
    with suppress(InvalidInput):
        read_document(body)
