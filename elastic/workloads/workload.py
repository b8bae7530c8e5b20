"""A training program as elasticd knows it: its options, presets, phases and command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elastic.errors import InvalidInput
from elastic.workloads.options import OptionValue, from_mapping, to_argv


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of a job whose iterations cost alike; it ends after `until_iteration`, or never."""

    name: str
    until_iteration: int | None = None


@dataclass(frozen=True, slots=True)
class Workload:
    """A program that torchrun starts with `--module`."""

    name: str
    module: str
    # The frozen dataclass by which options are checked.
    options: type[Any]
    # Named sets of options.
    presets: Mapping[str, Mapping[str, OptionValue]]
    # The phases of a job with given options.
    phases: Callable[[Any], tuple[Phase, ...]]
    # Makes relative paths in options count from a folder.
    placed: Callable[[Mapping[str, object], Path], Mapping[str, object]]
    # Returns notes on this machine's files that options name. Raises InvalidInput if they cannot
    # be trained on.
    looked_over: Callable[[Any], Sequence[str]]
    # Whether it trains in a session (`elastic.workloads.session`).
    has_session: bool = False

    def configure(
        self, values: Mapping[str, object] | None = None, *, preset: str | None = None
    ) -> Any:
        """Returns checked options: defaults, then `preset`, then `values`; raises InvalidInput."""
        if preset is not None and preset not in self.presets:
            known = ", ".join(sorted(self.presets))
            raise InvalidInput(f"preset: wanted one of {known}, got {preset!r}", field="preset")
        chosen = self.presets[preset] if preset is not None else {}
        return from_mapping(self.options, {**chosen, **(values or {})})

    def command(self, options: Any) -> list[str]:
        """Returns the module's arguments for `options`."""
        return to_argv(options)
