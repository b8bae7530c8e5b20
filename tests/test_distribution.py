"""The wheel that nodes install of the elasticd that runs here."""

import csv
import hashlib
import io
import zipfile
from base64 import urlsafe_b64encode
from importlib.metadata import version
from pathlib import Path

import pytest

from elastic.distribution import Wheel, migrations_folder, own_wheel


@pytest.fixture(scope="module")
def wheel() -> Wheel:
    return own_wheel()


def files_of(wheel: Wheel) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(wheel.content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_same_files_make_the_same_bytes(wheel: Wheel) -> None:
    assert own_wheel() == wheel
    assert wheel.name == f"elasticd-{version('elasticd')}-py3-none-any.whl"
    assert wheel.sha256 == hashlib.sha256(wheel.content).hexdigest()


def test_it_holds_all_that_runs_here_and_no_more(wheel: Wheel) -> None:
    files = files_of(wheel)
    root = Path(__file__).parents[1]
    for name in ("elastic/agent/__main__.py", "api/app.py", "api/dashboard/static/base.css"):
        assert files[name] == (root / name).read_bytes()
    newest = max(migrations_folder().glob("versions/*.py"))
    assert files[f"elastic/migrations/versions/{newest.name}"] == newest.read_bytes()
    about = f"elasticd-{version('elasticd')}.dist-info/"
    assert {name.removeprefix(about) for name in files if name.startswith(about)} == {
        "METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE",
    }  # fmt: skip
    assert not [name for name in files if "__pycache__" in name or "/." in name]
    assert {name.partition("/")[0] for name in files} == {"elastic", "api", about.rstrip("/")}


def test_its_record_names_each_file_with_its_sum(wheel: Wheel) -> None:
    files = files_of(wheel)
    (record,) = (name for name in files if name.endswith("/RECORD"))
    listed = {
        name: (digest, size)
        for name, digest, size in csv.reader(io.StringIO(files[record].decode()))
    }
    assert listed.pop(record) == ("", "")
    assert listed == {
        name: (
            "sha256=" + urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("="),
            str(len(content)),
        )
        for name, content in files.items()
        if name != record
    }
