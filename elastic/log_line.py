"""One line of a worker's log: plain text of bounded length, and where it comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from elastic.bounds import Bound, Count

# A longer line is cut. A traceback's lines are shorter, and no screen shows more.
MAX_CHARACTERS = 4000

# Colours and cursor movements: CSI, OSC (titles, links) and the escapes of two characters.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
# What could act on a terminal or change a line's direction, and halves of UTF-16 pairs.
_CONTROLS = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


# A line that was cut ends with how much is missing.
_Line = Annotated[str, Bound(max_length=MAX_CHARACTERS + 100)]
_Number = Annotated[int, Bound(ge=0, lt=2**31)]


@dataclass(frozen=True, slots=True)
class LogPiece:
    """What one process has written since its node's last batch."""

    generation: _Number
    # Its local rank; None for torchrun itself.
    worker: Annotated[int, Bound(ge=0, lt=4096)] | None = None
    # Its rank in the job; None while it has none.
    rank: _Number | None = None
    lines: Annotated[tuple[_Line, ...], Bound(max_length=10_000)] = ()
    # How many lines before these were left out.
    dropped: Count = 0
    # What the newest line holds so far, if it has not ended.
    open: _Line | None = None
    # Set for what a node writes before its first generation.
    stage: Annotated[str, Bound(pattern="^(installing|setup)?$")] = ""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line that the daemon keeps."""

    # Grows in the order in which lines came; 0 for a line that has not ended.
    id: int
    at_s: float
    generation: int
    node_id: str
    # The local rank of the process that wrote it; None for torchrun itself.
    worker: int | None
    # Its rank in the job; None where it has none.
    rank: int | None
    text: str
    # `installing` or `setup` while the node prepared itself, else empty.
    stage: str = ""

    @property
    def source(self) -> str:
        """The process that wrote it, for people."""
        if self.stage:
            return f"{self.stage} on {self.node_id}"
        if self.worker is None:
            return f"torchrun on {self.node_id}"
        if self.rank is None:
            return self.node_id
        return f"rank {self.rank}"


def as_text(line: LogLine, *, before: LogLine | None, is_labelled: bool) -> str:
    """A line as people read it, below a heading where another generation begins.

    >>> as_text(LogLine(1, 0.0, 3, "n1", 0, 4, "loss 0.5"), before=None, is_labelled=True)
    '==> generation 3 <==\\n[rank 4] loss 0.5\\n'
    """
    is_first = before is None or before.generation != line.generation
    where = "" if is_labelled else f", {line.source}"
    heading = ""
    if is_first:
        heading = f"==> generation {line.generation}{where} <==\n"
    if is_labelled:
        return f"{heading}[{line.source}] {line.text}\n"
    return f"{heading}{line.text}\n"


def plain(line: str, *, cut: int = 0) -> str:
    r"""A line without escape sequences, with control characters written out.

    It is cut at `MAX_CHARACTERS`; `cut` is how much of it is missing already.

    >>> plain("\x1b[31mloss\x1b[0m 0.5\x07")
    'loss 0.5\\x07'
    >>> plain("x" * 5000)[-30:]
    'xx ... (1,000 characters more)'
    """
    line = harmless(line)
    cut += max(0, len(line) - MAX_CHARACTERS)
    if cut:
        return f"{line[:MAX_CHARACTERS]} ... ({cut:,} characters more)"
    return line


def harmless(line: str) -> str:
    r"""The whole line without escape sequences, with control characters written out.

    >>> harmless("\x1b]52;c;cm0=\x07copied\x07")
    'copied\\x07'
    """
    if line.isprintable():
        return line
    return _CONTROLS.sub(_written_out, _ESCAPES.sub("", line))


def plain_lines(text: str) -> str:
    r"""The text with each of its lines plain.

    >>> plain_lines("first\n\x1b[1msecond\x1b[0m")
    'first\nsecond'
    """
    return "\n".join(map(plain, text.split("\n")))


def last_state(raw: bytes) -> bytes:
    r"""What a terminal shows of a line that was drawn repeatedly, such as a progress bar.

    A carriage return at the end stays, since the next text replaces the line.

    >>> last_state(b"\r 10%\r 20%"), last_state(b"100%\r")
    (b' 20%', b'100%\r')
    """
    if b"\r" not in raw:
        return raw
    drawn = raw.rstrip(b"\r")
    return drawn.rpartition(b"\r")[2] + raw[len(drawn) :][:1]


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}"
