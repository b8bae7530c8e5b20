"""Nothing that a job or its node says acts on the terminal of who reads it."""

from __future__ import annotations

from typing import Any

import pytest

from elastic.cli import event, main
from elastic.cli.job_pages import show_report
from elastic.cli.watch import watched_job
from elastic.errors import NotFound

# Writes to the clipboard (OSC 52), then hides the line; and a CSI of one character.
EVIL = "\x1b]52;c;cm0gLXJmIC8=\x07word\x1b[2K\x9b2K"
ACTING = ("\x1b", "\x07", "\x9b")


def is_harmless(text: str) -> bool:
    return "word" in text and not any(each in text for each in ACTING)


def test_an_event_that_is_followed() -> None:
    assert is_harmless(event.line_of({"at_s": 1.0, "kind": "note", "text": EVIL}))


def test_what_a_node_prepares_and_a_warning_while_a_job_is_watched() -> None:
    job: dict[str, Any] = {
        "spec": {"name": "a"},
        "phase": "running",
        "current_group": None,
        "target_group": None,
        "candidates": [],
        "progress": {
            "iteration": 1,
            "iterations": None,
            "iterations_per_s": None,
            "eta_s": None,
        },
        "spent_usd": 0.0,
        "message": None,
        "waits_because": None,
        "preparing": [EVIL],
        "warnings": [EVIL],
    }
    seen = watched_job(job)
    assert is_harmless(seen.line())
    assert is_harmless("\n".join(seen.notices()))


def test_a_jobs_own_report_of_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    report: dict[str, Any] = {
        "name": "a",
        "phase": "succeeded",
        "iterations_done": 1,
        "elapsed_s": 1.0,
        "nodes": [],
        "spent_usd": 0.0,
        "iterations_per_usd": None,
        "warnings": [EVIL],
        "best_fixed": None,
        "worst_fixed": None,
        "decisions": [],
        "quality": {EVIL: EVIL},
        "notes": [],
        "artifacts": [],
    }
    show_report(report)
    assert is_harmless(capsys.readouterr().out)


def test_an_error_that_quotes_the_name_of_a_jobs_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(arguments: object) -> None:
        raise NotFound(f"no output {EVIL}")

    monkeypatch.setattr("elastic.cli.app.app", refuse)
    with pytest.raises(SystemExit):
        main(["job", "ls"])
    assert is_harmless(capsys.readouterr().err)
