"""A migration that was released stays as it is: databases have run it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from elastic.distribution import migrations_folder

DIGESTS = Path(__file__).with_name("migrations.sha256")
FILES = sorted((migrations_folder() / "versions").glob("[0-9]*.py"))


def recorded() -> dict[str, str]:
    lines = (line.split() for line in DIGESTS.read_text().splitlines())
    return {name: digest for digest, name in lines}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_migration_is_not_edited(path: Path) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    assert path.name in recorded(), (
        f"{path.name} is new: add this line to {DIGESTS.name}: {found}  {path.name}"
    )
    assert found == recorded()[path.name], (
        f"{path.name} was edited, but databases have run it as it was. Restore it "
        "(`git checkout main -- migrations`) and add a new migration."
    )


def test_no_migration_is_removed() -> None:
    assert set(recorded()) == {path.name for path in FILES}
