"""The documents hold: their links lead somewhere, their code runs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from api.specs import to_spec
from elastic.cli.job import read_spec
from elastic.config import load_settings
from tests.docs.pages import ROOT, Block, blocks, page, pages

_LINK = re.compile(r"\[[^\]]*\]\((?!https?://)([^)#]+)[^)]*\)")


@pytest.mark.parametrize("document", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    links = _LINK.findall(document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_python_in_the_documents_runs(block: Block, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", block.text], cwd=tmp_path, check=True, timeout=180)


@pytest.mark.parametrize("block", blocks("yaml"), ids=str)
def test_jobs_in_the_documents_are_valid(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANDB_API_KEY", "k")
    (tmp_path / "train.py").touch()
    (tmp_path / "requirements.txt").write_text("einops\n")
    (tmp_path / "db-password.txt").write_text("p\n")
    (tmp_path / "job.yaml").write_text(block.text)
    document, _ = read_spec(str(tmp_path / "job.yaml"))
    assert to_spec(document, now_s=0.0).name


@pytest.mark.parametrize("block", blocks("toml"), ids=str)
def test_settings_in_the_documents_are_valid(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "elasticd.toml"
    file.write_text(block.text)
    monkeypatch.setenv("ELASTICD_CONFIG", str(file))
    settings = load_settings()
    assert all(getattr(settings, name) is not None for name in tomllib.loads(block.text))


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", page("Makefile"), re.MULTILINE))
    named = {
        target
        for each in pages()
        for target in re.findall(r"\bmake ([a-z]+)\b`", each.read_text(encoding="utf-8"))
    }
    assert named <= targets


def test_every_decision_is_listed() -> None:
    listed = page("docs/decisions/README.md")
    written = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert [name for name in written if f"({name})" not in listed] == []


def test_the_glossary_is_in_order_and_defines_each_word_once() -> None:
    words = re.findall(r"^\*\*(.+?)\*\*:", page("docs/glossary.md"), re.MULTILINE)
    assert words == sorted(set(words))
