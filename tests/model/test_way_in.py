"""The command line by which a person enters a node."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from elastic.model import for_any_shell

# What each of these shells reads for itself in one place or another.
WORDS = ("a b", "it's!", "x\ny", "$HOME", "`id`", 'a "b"', "50%", "\\n", "é", "!!")
SHELLS = ("sh", "bash", "dash", "zsh", "fish", "tcsh", "csh")


def lines_of(words: tuple[str, ...]) -> str:
    quoted = ["'" + each.replace("'", "'\\''") + "'" for each in words]
    return f"printf '%s|' {' '.join(quoted)}\nif true; then\n  echo done\nfi"


@pytest.mark.parametrize("shell", SHELLS)
def test_any_login_shell_hands_lines_to_sh_as_they_are(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"lacks {shell}")
    line = for_any_shell(lines_of(WORDS))
    done = subprocess.run([shell, "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout == "".join(f"{each}|" for each in WORDS) + "done\n"


def test_a_line_for_any_shell_holds_nothing_that_a_shell_reads_for_itself() -> None:
    # tcsh, which is seldom installed, reads both of these also within quotes.
    line = for_any_shell(lines_of(WORDS))
    assert "\n" not in line and "!" not in line
