from __future__ import annotations

from pathlib import Path

import pytest

from api.brought import settle_env, settle_requirements
from elastic.errors import InvalidInput


def test_a_variable_that_is_only_named_is_the_shells_and_secret() -> None:
    found = settle_env(
        {"env": ["WANDB_API_KEY", "EPOCHS=3", "EMPTY="]}, {"WANDB_API_KEY": "k", "HOME": "/root"}
    )
    assert found == {
        "env": {"WANDB_API_KEY": "k", "EPOCHS": "3", "EMPTY": ""},
        "secrets": ["WANDB_API_KEY"],
    }


def test_variables_that_the_shell_has_not_are_named() -> None:
    with pytest.raises(InvalidInput, match="wanted HF_TOKEN, WANDB_API_KEY in the environment"):
        settle_env({"env": ["HF_TOKEN", "WANDB_API_KEY", "HOME"]}, {"HOME": "/root"})


def test_a_map_of_variables_stays_as_it_is() -> None:
    assert settle_env({"env": {"A": "1"}}, {"A": "2"}) == {"env": {"A": "1"}}


def test_a_file_of_requirements_becomes_its_lines(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "requirements.txt").write_text(
        "# what it needs\neinops==0.8  # pinned\n\n-r more/dev.txt\ntqdm \\\n  "
        "--hash=sha256:00\n./wheels/x.whl\n"
    )
    (tmp_path / "more/dev.txt").write_text("rich\n")
    found = settle_requirements({"requirements": "requirements.txt"}, tmp_path)
    assert found["requirements"] == [
        "einops==0.8",
        "rich",
        "tqdm    --hash=sha256:00",
        "./wheels/x.whl",
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("-c other.txt\n", "constraints"),
        ("-r requirements.txt\n", "each once"),
        (None, "found no such file"),
    ],
)
def test_a_file_that_cannot_be_read_out_says_why(
    text: str | None, hint: str, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / "requirements.txt").write_text(text)
    with pytest.raises(InvalidInput, match=hint):
        settle_requirements({"requirements": "requirements.txt"}, tmp_path)
