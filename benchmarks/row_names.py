"""Reads the names of a benchmark's rows from its command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection


def names_of(known: Collection[str]) -> Callable[[str], tuple[str, ...]]:
    """Reads names with commas between them; no name is all of them."""

    def names(text: str) -> tuple[str, ...]:
        given = tuple(name for name in text.split(",") if name) or tuple(known)
        if unknown := sorted(set(given) - set(known)):
            raise argparse.ArgumentTypeError(
                f"no {', '.join(unknown)}; there is {', '.join(known)}"
            )
        return given

    return names
