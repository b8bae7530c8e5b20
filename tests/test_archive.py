"""A folder packed and unpacked: the same files give the same archive, and nothing is put outside of
its folder."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from elastic import archive
from elastic.archive import check, pack, sum_of, unpack
from elastic.errors import InvalidInput
from elastic.store import back_up
from tests.empty_database import lay_out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "app"
    (made / "lib").mkdir(parents=True)
    (made / "train.py").write_text("import lib.net\n")
    (made / "lib/net.py").write_text("LAYERS = 3\n")
    (made / "run.sh").write_text("#!/bin/sh\n")
    (made / "run.sh").chmod(0o755)
    return made


def zip_of(**files: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return file.getvalue()


def test_what_is_unpacked_is_what_was_packed(folder: Path, tmp_path: Path) -> None:
    packed = pack(folder)
    assert packed.paths == ("lib/net.py", "run.sh", "train.py")
    assert packed.sha256 == sum_of(packed.content)
    check(packed.content)
    unpack(packed.content, tmp_path / "there")
    assert (tmp_path / "there/lib/net.py").read_text() == "LAYERS = 3\n"
    assert os.access(tmp_path / "there/run.sh", os.X_OK)
    assert not os.access(tmp_path / "there/train.py", os.X_OK)


def test_the_same_files_have_the_same_sum_whenever_they_were_written(folder: Path) -> None:
    before = pack(folder).sha256
    os.utime(folder / "train.py", (0, 0))
    assert pack(folder).sha256 == before
    (folder / "train.py").write_text("import lib\n")
    assert pack(folder).sha256 != before


def test_hidden_files_caches_and_environments_stay_at_home(folder: Path) -> None:
    for path in (
        ".env",
        ".secrets/key",
        "lib/__pycache__/net.pyc",
        "env/pyvenv.cfg",
        "env/lib/torch.py",
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("x")
    (folder / "results").mkdir()
    (folder / "results/.gitignore").write_text("# brought\n\n*\n")
    (folder / "results/model.pt").write_text("x")
    (folder / "lib/.gitignore").write_text("*\n!*.py\n")
    assert pack(folder).paths == ("lib/net.py", "run.sh", "train.py")


def test_what_git_ignores_stays_at_home(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / ".gitignore").write_text("data/\n")
    (folder / "data").mkdir()
    (folder / "data/photograph.raw").write_text("x")
    assert pack(folder).paths == (".gitignore", "lib/net.py", "run.sh", "train.py")
    subprocess.run(["git", "-C", folder, "add", "run.sh"], check=True)
    (folder / "run.sh").unlink()
    assert "run.sh" not in pack(folder).paths, "git still lists what was deleted"
    assert pack(folder / "lib").paths == ("net.py",)


def test_too_much_is_told_with_what_is_largest(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "model.pt").write_bytes(bytes(3000))
    monkeypatch.setattr(archive, "MOST_BYTES", 2000)
    with pytest.raises(InvalidInput, match=r"largest model\.pt"):
        pack(folder)


@pytest.mark.parametrize("named", ["none", "file", "empty"])
def test_what_holds_no_code_is_told(named: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match=r"code: wanted (the|a) folder"):
        pack(tmp_path / named)


def test_nothing_is_put_outside_of_the_folder(tmp_path: Path) -> None:
    unpack(zip_of(**{"../above.py": "x", "/etc/rooted.py": "x"}), tmp_path / "in/there")
    assert sorted(path.name for path in tmp_path.rglob("*.py")) == ["above.py", "rooted.py"]
    assert sorted(
        path.relative_to(tmp_path / "in/there").as_posix() for path in tmp_path.rglob("*.py")
    ) == [
        "above.py",
        "etc/rooted.py",
    ]


def test_an_earlier_half_is_no_hindrance(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "there.partial").mkdir()
    (tmp_path / "there.partial/old.py").write_text("x")
    unpack(pack(folder).content, tmp_path / "there")
    assert not list(tmp_path.rglob("old.py"))


def zip_of_a_bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("zeros", bytes(archive.MOST_BYTES + 1))
    return file.getvalue()


UNFIT = {
    "nothing": b"",
    "a beginning": b"PK",
    "words": b"no zip at all",
    "no file": zip_of(),
    "a file that is a folder": zip_of(**{"a": "x", "a/b": "x"}),
    "a name that is too long": zip_of(**{"n" * 300: "x"}),
    "a bomb": zip_of_a_bomb(),
    "our own package": zip_of(**{"elastic/__init__.py": ""}),
    "a name that is none": zip_of(**{"line\nfeed": "x"}),
}


@pytest.mark.parametrize("content", UNFIT.values(), ids=UNFIT.keys())
def test_what_cannot_be_unpacked_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="code: "):
        check(content)
    with pytest.raises(InvalidInput):
        unpack(content, tmp_path / "there")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("has_git", [True, False])
@pytest.mark.parametrize("mark", ["daemon.lock", "elasticd.db"])
def test_a_daemons_data_folder_stays_at_home(folder: Path, mark: str, has_git: bool) -> None:
    if has_git:
        subprocess.run(["git", "init", "-q", folder], check=True)
    data = folder / "rehearsal/data"
    (data / "local/nodes").mkdir(parents=True)
    for path in ("token", "secret", mark, "local/nodes/train.py"):
        (data / path).write_text("x")
    (folder / "rehearsal/notes.txt").write_text("x")
    assert pack(folder).paths == ("lib/net.py", "rehearsal/notes.txt", "run.sh", "train.py")
    with pytest.raises(InvalidInput, match="data is a daemon's data folder"):
        pack(data)


@pytest.mark.parametrize("has_git", [True, False])
def test_a_daemons_backup_stays_at_home(folder: Path, tmp_path: Path, has_git: bool) -> None:
    lay_out(tmp_path / "elasticd.db")
    if has_git:
        subprocess.run(["git", "init", "-q", folder], check=True)
    (tmp_path / "secret").write_text("x")
    back_up(
        f"sqlite:///{tmp_path / 'elasticd.db'}",
        {"secret": tmp_path / "secret"},
        folder / "backups/elasticd.tar",
        now_s=0.0,
    )
    with tarfile.open(folder / "samples.tar", "w") as samples:
        samples.add(folder / "train.py", "manifest.json")
    assert pack(folder).paths == ("lib/net.py", "run.sh", "samples.tar", "train.py")


def test_what_git_does_not_tell_is_not_guessed(folder: Path) -> None:
    (folder / ".git").write_text("gitdir: nowhere\n")
    with pytest.raises(InvalidInput, match="wanted git's list of the files of"):
        pack(folder)


@pytest.mark.parametrize("has_git", [True, False])
def test_a_linked_folder_is_told(folder: Path, tmp_path: Path, has_git: bool) -> None:
    if has_git:
        subprocess.run(["git", "init", "-q", folder], check=True)
    (tmp_path / "shared").mkdir()
    (folder / "shared").symlink_to(tmp_path / "shared")
    with pytest.raises(InvalidInput, match=f"shared in {folder} is a link to a folder"):
        pack(folder)


def test_a_file_is_sent_once_and_by_a_name_that_can_be_told(folder: Path) -> None:
    (folder / "linked.py").symlink_to(folder / "train.py")
    assert pack(folder).paths.count("linked.py") == 1
    (folder / os.fsdecode(b"caf\xe9.py")).touch()
    with pytest.raises(InvalidInput, match="printable UTF-8"):
        pack(folder)


def test_a_damaged_archive_is_refused() -> None:
    content = bytearray(zip_of(a="a" * 100))
    content[60] ^= 1
    with pytest.raises(InvalidInput, match="CRC"):
        check(bytes(content))


def test_more_files_than_can_be_unpacked_in_time_are_refused(tmp_path: Path) -> None:
    many = zip_of(**{f"{number}.py": "" for number in range(archive.MOST_FILES + 1)})
    with pytest.raises(InvalidInput, match="wanted at most 10000 files, got 10001"):
        unpack(many, tmp_path / "code")
    assert not (tmp_path / "code").exists()
