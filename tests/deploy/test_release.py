"""A release is what was committed, is tried before it is tagged, and is refused in time."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from elastic import __version__
from tests.deploy.stack import ROOT

TAG = f"v{__version__}"
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "elasticd"
dynamic = ["version"]
[tool.hatch.version]
path = "elastic/__init__.py"
[tool.hatch.build.targets.wheel]
packages = ["elastic"]
exclude = ["lost.py"]
"""
PACKED = (
    "elastic",
    "api",
    "migrations",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    ".gitignore",
)


def git(repository: Path, *arguments: str) -> str:
    """What git prints, as somebody without settings of their own runs it."""
    author = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(repository), *author, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def release(repository: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "deploy/release.py", *options],
        cwd=repository,
        env={
            "PATH": "/usr/bin:/bin",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.com",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A repository that has what the first checks read, and nothing to build."""
    (tmp_path / "elastic").mkdir()
    shutil.copy(ROOT / "elastic/__init__.py", tmp_path / "elastic")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## {__version__}\n\nAll of it.\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "all")
    return tmp_path


def test_a_tree_with_changes_is_not_released(small: Path) -> None:
    (small / "new.txt").touch()
    refused = release(small)
    assert refused.returncode == 1
    assert "the working tree has changes; commit or remove them:\n?? new.txt" in refused.stderr


def test_a_version_is_released_once(small: Path) -> None:
    git(small, "tag", TAG)
    refused = release(small, "--dry-run")
    assert refused.returncode == 1
    assert f"the tag {TAG} exists" in refused.stderr


@pytest.mark.parametrize(
    "changelog", ["# Changelog\n", f"## {__version__}\n\n## 0.0.1\n\nOld.\n", "## 10.1.0\n\nNew.\n"]
)
def test_a_version_without_notes_is_not_released(small: Path, changelog: str) -> None:
    (small / "CHANGELOG.md").write_text(changelog)
    git(small, "commit", "--quiet", "--all", "-m", "another changelog")
    refused = release(small)
    assert refused.returncode == 1
    assert f"wanted a section '## {__version__}' with text" in refused.stderr


def test_what_cannot_be_built_is_not_tagged(small: Path) -> None:
    refused = release(small)
    assert refused.returncode == 1
    assert "hatchling build" in refused.stderr
    assert git(small, "tag") == ""


def test_a_wheel_that_lacks_a_file_is_not_tagged(small: Path) -> None:
    (small / "pyproject.toml").write_text(PROJECT)
    (small / "elastic/lost.py").touch()
    git(small, "add", ".")
    git(small, "commit", "--quiet", "-m", "a project")
    refused = release(small)
    assert refused.returncode == 1
    assert "files that are missing ['elastic/lost.py']" in refused.stderr
    assert git(small, "tag") == ""


@pytest.mark.slow
def test_a_release_is_built_tried_and_tagged(tmp_path: Path) -> None:
    names = git(ROOT, "ls-files", "-co", "--exclude-standard", "--", *PACKED).splitlines()
    for name in filter(lambda name: (ROOT / name).is_file(), names):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(f"## {__version__}\n\nFirst.\n\n## 0.0.9\n\nOld.\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "all")

    tried = release(tmp_path, "--dry-run")
    assert tried.returncode == 0, tried.stderr
    assert git(tmp_path, "tag") == ""
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert "elastic/migrations/env.py" in zipfile.ZipFile(wheel).namelist()
    with tarfile.open(tmp_path / "dist" / f"elasticd-{__version__}.tar.gz") as sdist:
        assert f"elasticd-{__version__}/api/app.py" in sdist.getnames()

    (tmp_path / "dist/left-over.whl").touch()
    released = release(tmp_path)
    assert released.returncode == 0, released.stderr
    notes = git(tmp_path, "for-each-ref", f"refs/tags/{TAG}", "--format=%(contents)")
    assert notes.strip() == f"elasticd {__version__}\n\nFirst."
    assert release(tmp_path).returncode == 1
