"""Sends one message to one address, through Apprise."""

from __future__ import annotations

import logging
import re
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Shorter parts of an address are words such as a host's, and no secrets.
_LEAST_SECRET = 6
_MOST_WHY = 500
_HIDDEN = "***"
_QUIET = logging.NullHandler()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that comes with a message, where the recipient's service takes files."""

    name: str
    content: bytes


def is_address(address: str) -> bool:
    """Whether Apprise knows how to send to an address."""
    told = _service(address)
    # Of several in one text, those that took a message would get it again when another is tried.
    return told is not None and len(told) == 1


def send(
    address: str, title: str, text: str, attachments: tuple[Attachment, ...] = ()
) -> str | None:
    """Sends a message, once. Gives why that failed, without the address; None: it was taken.

    Waits for a few seconds at most, as Apprise's time-outs say (`cto` and `rto` of an address).
    """
    told = _service(address)
    if told is None:
        return "its address is none that Apprise knows"
    import apprise

    with ExitStack() as stack:
        capture: Any = apprise.LogCapture  # which has no types
        log = stack.enter_context(capture(level=logging.WARNING, fmt="%(message)s"))
        options: dict[str, Any] = {}
        if attachments:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            # Apprise takes paths, whose last part becomes the name that people see.
            options["attach"] = [_written(folder, each) for each in attachments]
        if told.notify(title=title, body=text, **options):
            return None
        why = " ".join(log.getvalue().split())
    return without_secrets(why, address)[:_MOST_WHY] or "its service did not take it"


def _service(address: str) -> Any:
    """What sends to an address; None if Apprise does not know it."""
    import apprise  # slow to import, and few daemons have recipients

    # Its lines quote whole addresses, and the daemon's log would show them.
    spoken = apprise.logger
    spoken.propagate = False
    # Without any handler, logging would write to stderr by itself.
    spoken.addHandler(_QUIET)
    told = apprise.Apprise()
    return told if told.add(address) else None


def without_secrets(text: str, address: str) -> str:
    """Blanks what a text quotes of an address: passwords, tokens, paths.

    >>> without_secrets("no answer of hooks.net/T0K3N9", "json://me:pass+word@hooks.net/T0K3N9")
    'no answer of hooks.net/***'
    """
    rest = address.partition("://")[2]
    host = rest.rpartition("@")[2].partition("/")[0].partition("?")[0]
    parts = {each for each in re.split(r"[/@:?&=]", rest) if len(each) >= _LEAST_SECRET}
    # The longest first: of `abcdef-1` and `abcdef` the short one would leave `-1` to be read.
    for part in sorted(parts - set(re.split(r":", host)), key=len, reverse=True):
        text = text.replace(part, _HIDDEN)
    return text


def _written(folder: Path, attachment: Attachment) -> str:
    path = folder / attachment.name
    path.write_bytes(attachment.content)
    return str(path)
