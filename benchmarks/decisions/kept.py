"""What earlier decisions came to, kept beside the script: measured once, by the code of their own
commit."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.decisions.track import OURS, TODAY, Case, Outcome, Track

FILE = Path(__file__).with_name("before.json")
_ROOT = Path(__file__).resolve().parents[2]
_JUDGED = (
    *("usd", "best_usd", "alone_usd", "late_s", "may_be_late"),
    *("regret", "trial_usd", "cap_broken"),
)
Packed = dict[str, dict[str, dict[str, dict[str, float]]]]
"""Track, case, policy, values."""


def packed(outcomes: Iterable[Outcome]) -> Packed:
    """The outcomes as JSON holds them."""
    found: Packed = {}
    for each in outcomes:
        values = {key: float(f"{value:.6g}") for key, value in each.values.items()}
        found.setdefault(each.track, {}).setdefault(each.case, {})[each.policy] = values
    return found


def outcomes(track: Track, cases: Sequence[Case]) -> list[Outcome]:
    """What is kept of these cases; of others, such as those of other data, nothing is."""
    known: Packed = _kept().get("tracks", {})
    own = known.get(track.NAME, {})
    return [
        Outcome(track.NAME, case.cell, case.name, TODAY, own[case.name][TODAY])
        for case in cases
        if case.name in own
    ]


def measure(commit: str, tracks: Sequence[str], *, whole: bool) -> None:
    """Plays the tracks with `elastic` as it was at a commit, in a process of its own, and keeps
    what came of them."""
    with tempfile.TemporaryDirectory(prefix="elasticd-before-") as name:
        folder = Path(name)
        archive = subprocess.run(
            ["git", "archive", commit, "elastic", "migrations"],
            cwd=_ROOT,
            check=True,
            capture_output=True,
        )
        subprocess.run(["tar", "-x"], cwd=folder, input=archive.stdout, check=True)
        if not (folder / "elastic" / "simulator").exists():
            # The light world is younger than some commits; it needs little of them.
            shutil.copytree(_ROOT / "elastic" / "simulator", folder / "elastic" / "simulator")
        (folder / "benchmarks").symlink_to(_ROOT / "benchmarks")
        written = folder / "found.json"
        asked = ["--tracks", ",".join(tracks), "--policy", OURS, "--json", str(written)]
        subprocess.run(
            [sys.executable, "-m", "benchmarks.decisions", *asked, *(["--whole"] if whole else [])],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder)},
            check=True,
        )
        found: Packed = json.loads(written.read_text())
    known = _kept()
    kept_tracks: Packed = known.get("tracks", {})
    for track, cases in found.items():
        kept_tracks[track] = {case: {TODAY: _short(ours[OURS])} for case, ours in cases.items()}
    sha = subprocess.run(
        ["git", "rev-parse", "--short", commit],
        cwd=_ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    commits = known.get("commits", {}) | dict.fromkeys(found, sha)
    FILE.write_text(json.dumps({"commits": commits, "tracks": kept_tracks}, indent=0) + "\n")


def _short(values: Mapping[str, float]) -> dict[str, float]:
    """Without what is only looked at, unless there is nothing else."""
    return {key: value for key, value in values.items() if key in _JUDGED} or dict(values)


def _kept() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return found
