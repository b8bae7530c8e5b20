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


def test_a_log_is_read_once_and_a_value_that_was_written_in_two_parts_is_blanked(
    tmp_path: Path,
) -> None:
    path, mask = tmp_path / "g1.log", mask_of("s3cr3t-key", "another-one")
    with path.open("ab", buffering=0) as log:
        log.write(b"line\n" * 400_000 + b"s3cr")
        mask.blank(path)
        before = bytes_read()
        for part in (b"3t-key\n", b"another", b"-one\n"):
            log.write(part)
            mask.blank(path)
        assert bytes_read() - before < 100_000
        assert path.read_bytes().endswith(b"line\n**********\n***********\n")
        log.truncate(0)
        log.write(b"s3cr3t-key\n" + b"line\n" * 500_000)
        mask.blank(path)
    assert b"s3cr3t" not in path.read_bytes(), "a file that was cut is read again"


def bytes_read() -> int:
    """The bytes that this process has read so far."""
    return int(Path("/proc/self/io").read_text().split()[1])
