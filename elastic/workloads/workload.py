"""What the rest of elasticd knows of a training program: its options, presets, phases and command
line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elastic.errors import InvalidInput
from elastic.workloads.options import OptionValue, from_mapping, to_argv


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of a job whose iterations cost alike; it ends after `until_iteration`, or with the
    job (None)."""

    name: str
    until_iteration: int | None = None


@dataclass(frozen=True, slots=True)
class Workload:
    """A program that torchrun starts with `--module`.

    `options` is the frozen dataclass its options are checked by, `presets` names sets of them,
    `phases` says which stretches a job with given options has. `placed` gives options whose
    relative paths count from a folder. `looked_over` gives what is worth knowing of the files on
    this machine that options name, and raises InvalidInput where these cannot be trained on.
    `has_session` says whether it trains in a session (`elastic.workloads.session`).
    """

    name: str
    module: str
    options: type[Any]
    presets: Mapping[str, Mapping[str, OptionValue]]
    phases: Callable[[Any], tuple[Phase, ...]]
    placed: Callable[[Mapping[str, object], Path], Mapping[str, object]]
    looked_over: Callable[[Any], Sequence[str]]
    has_session: bool = False

    def configure(
        self, values: Mapping[str, object] | None = None, *, preset: str | None = None
    ) -> Any:
        """Gives checked options: the defaults, changed by `preset`, changed by `values`; raises
        InvalidInput."""
        if preset is not None and preset not in self.presets:
            known = ", ".join(sorted(self.presets))
            raise InvalidInput(f"preset: wanted one of {known}, got {preset!r}", field="preset")
        chosen = self.presets[preset] if preset is not None else {}
        return from_mapping(self.options, {**chosen, **(values or {})})

    def command(self, options: Any) -> list[str]:
        """Gives the arguments that, handed to the module, stand for `options`."""
        return to_argv(options)
