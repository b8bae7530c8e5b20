"""What leaves a node holds no secret of its job."""

from __future__ import annotations

from pathlib import Path

from elastic.agent.mask import Mask


def mask_of(*values: str) -> Mask:
    mask = Mask()
    mask.add(values)
    return mask


def test_each_line_of_a_value_is_masked_the_longest_first() -> None:
    mask = mask_of("first-line\nsecond-line\n", "first-line-and-more")
    assert mask.cover("first-line-and-more, second-line") == "(hidden), (hidden)"


def test_short_values_mask_nothing() -> None:
    assert mask_of("1", "true", "").cover("1 is true") == "1 is true"


def test_values_are_no_patterns() -> None:
    assert mask_of("a.c[x]*$").cover("abc[x]*$ a.c[x]*$") == "abc[x]*$ (hidden)"


def test_a_message_keeps_its_shape() -> None:
    message = {"seq": 1, "lines": ["the s3cr3t!", None], "nested": {"text": "s3cr3t!"}}
    assert mask_of("s3cr3t!").covered(message) == {
        "seq": 1,
        "lines": ["the (hidden)", None],
        "nested": {"text": "(hidden)"},
    }


def test_a_log_is_blanked_where_it_is_while_others_append(tmp_path: Path) -> None:
    path = tmp_path / "g1.log"
    with path.open("ab", buffering=0) as log:
        log.write("é the sécret, ".encode() + b"\xff\n")
        mask_of("sécret").blank(path)
        log.write(b"more\n")
    assert path.read_bytes() == "é the *******, ".encode() + b"\xff\nmore\n"
